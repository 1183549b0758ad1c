import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityPlanner
import VicinityTestSupport

/// The guarantee itself: no region that is not registered is entered where a plan says that none can be.
@Suite("Guarantee")
struct GuaranteeTests {
  static let isLong = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == "1"

  @Test(arguments: RegionFamily.allCases)
  func randomPlacesInTheDisc(_ family: RegionFamily) throws {
    let seed: UInt64 = 4201
    var random = SplitMix64(seed: seed ^ UInt64(family.rawValue.utf8.count))
    let regions = family.circles(300, seed: seed)
    let index = try RegionIndex(regions)
    for (i, place) in family.positions(Self.isLong ? 600 : 60, among: regions, seed: seed).enumerated() {
      var options = PlanOracleTests.options(&random, regions)
      if random.unit() < 0.5 { options.strategy = .boundaryAhead(turnMargin: random.uniform(0.05...1)) }
      if random.unit() < 0.5 { options.tolerance = random.logUniform(4...3000) }
      let error = random.logUniform(1...2000)
      let planner = try PlannerRun(index, options: options)
      _ = try planner.advance(
        to: Fix(
          time: Timestamp(microseconds: 1), coordinate: place,
          horizontalAccuracy: error / options.errorFactor,
          speed: 20, course: random.uniform(0...359)))
      let plan = try #require(planner.plan)
      let certificate = try #require(plan.certificate)
      let chosen = Set(plan.registrations.map(\.ordinal))
      let watched = Set(plan.watched.map(\.ordinal))
      let message = "\(family), place \(i), seed \(seed), \(options)"
      // Where there is a promise, it covers the fix's error, and S holds all that the device may be in.
      if plan.saturation == nil {
        #expect(
          PlanOracle.distance(Region(identifier: "", center: plan.center, radius: 0), place) + error
            <= certificate, "\(message)")
        for (k, region) in regions.enumerated() where !chosen.contains(k) && !watched.contains(k) {
          #expect(PlanOracle.distance(region, place) > error, "\(k), \(message)")
        }
      }
      guard certificate > 0, certificate < .infinity else { continue }
      for _ in 0..<8 {
        let far = certificate * (random.unit() < 0.5 ? 1 - 1e-9 : random.unit().squareRoot())
        let there = Geodesic.uncheckedDirect(plan.center, azimuth: random.uniform(0...360), distance: far)
          .coordinate
        guard Geodesic.uncheckedDistance(plan.center, there) < certificate else { continue }
        for (k, region) in regions.enumerated() where !chosen.contains(k) {
          let distance = PlanOracle.distance(region, there)
          // A region watched from within may be left only beyond the disc.
          let wasInside = PlanOracle.distance(region, plan.center) <= 0
          #expect(wasInside ? distance <= 1e-6 : distance > -1e-6, "\(k), \(message)")
        }
      }
    }
  }

  /// Fixes as far off as they may be, in any direction.
  private func noisy(_ track: [Fix], _ random: inout SplitMix64, upTo error: Double) -> [Fix] {
    track.map { fix in
      var result = fix
      result.horizontalAccuracy = random.logUniform(1...error)
      let off = 3 * result.horizontalAccuracy * (random.unit() < 0.2 ? 1 : random.unit())
      result.coordinate =
        Geodesic.uncheckedDirect(
          fix.coordinate, azimuth: random.uniform(0...360), distance: off
        ).coordinate
      return result
    }
  }

  /// Follows tracks with noisy fixes and holds every plan to the true way.
  ///
  /// - Returns: What became of the entries, and how many plans there were.
  private func follow(
    _ tracks: [[Fix]], _ regions: [Region], _ options: PlanOptions, error: Double, seed: UInt64
  ) throws -> (tally: PlanTally, plans: Int) {
    let index = try RegionIndex(regions)
    var planner = try RegistrationPlanner(index, options: options)
    var verifier = try PlanVerifier(index, maximumGap: .seconds(1_000_000_000))
    var random = SplitMix64(seed: seed)
    var violations = 0
    for (i, track) in tracks.enumerated() {
      planner.reset()
      verifier.reset()
      var truth: [Fix] = []
      for fix in track where truth.last.map({ $0.time < fix.time }) ?? true { truth.append(fix) }
      let fixes = noisy(truth, &random, upTo: error)
      for (fix, position) in zip(fixes, truth) {
        for violation in try verifier.advance(to: position, under: planner.plan) {
          violations += 1
          Issue.record("\(violation), track \(i), \(options.strategy), seed \(seed)")
        }
        _ = try planner.advance(to: fix)
      }
    }
    #expect(violations == verifier.tally.violations)
    return (verifier.tally, planner.counts.plans)
  }

  /// Circles on and beside tracks, so that there is something to miss.
  private func regions(
    _ tracks: [[Fix]], _ count: Int, radii: ClosedRange<Double>, spread: Double, seed: UInt64
  )
    -> [Region]
  {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { i in
      let track = tracks[random.below(tracks.count)]
      let near = track[random.below(track.count)].coordinate
      let center = Geodesic.uncheckedDirect(
        near, azimuth: random.uniform(0...360), distance: spread * random.unit()
      ).coordinate
      return Region(identifier: "\(i)", center: center, radius: random.logUniform(radii))
    }
  }

  private func check(
    _ tracks: [[Fix]], _ counts: [Int], radii: ClosedRange<Double>, spread: Double, error: Double,
    _ name: String, seed: UInt64
  ) throws {
    let long = Self.isLong ? counts + counts.map { $0 * 30 } : counts
    for count in long {
      let regions = regions(tracks, count, radii: radii, spread: spread, seed: seed)
      for strategy in [PlanStrategy.boundary, .boundaryAhead()] {
        for var options in [PlanOptions.followed, PlanOptions()] {
          options.strategy = strategy
          let (tally, plans) = try follow(tracks, regions, options, error: error, seed: seed)
          #expect(tally.entries > 0, "\(name), \(count)")
          if Self.isLong { print("\(name), \(count) regions, \(strategy.name): \(plans) plans, \(tally)") }
        }
      }
    }
  }

  @Test func walks() throws {
    let seed: UInt64 = 4202
    let starts = [(48.2, 16.4), (0, 180), (89.98, 10), (-77.8, -179.99)]
    let tracks = starts.enumerated().map { i, place in
      TrackGenerator.walk(
        Self.isLong ? 20_000 : 1500, from: Coordinate(latitude: place.0, longitude: place.1), steps: 1...60,
        seed: seed + UInt64(i))
    }
    try check(tracks, [60, 2000], radii: 5...3000, spread: 8000, error: 60, "walks", seed: seed)
  }

  @Test(.enabled(if: SharedTracks.has("porto_taxi"), "needs ../shared/data/tracks/porto_taxi"))
  func taxis() throws {
    let all = try SharedTracks.taxis()
    let taxis = stride(from: 0, to: all.count, by: Self.isLong ? 1 : 20).map { all[$0] }
    try check(taxis, [500, 10_000], radii: 20...400, spread: 6000, error: 80, "taxis", seed: 4203)
  }

  @Test(.enabled(if: SharedTracks.has("adsb/kiwi.json.gz"), "needs ../shared/data/tracks/adsb"))
  func flights() throws {
    let flights = try SharedTracks.flights("kiwi.json.gz") + SharedTracks.flights("noumea.json.gz")
    try check(flights, [300, 10_000], radii: 100...30_000, spread: 60_000, error: 200, "flights", seed: 4204)
  }

  /// A million regions: crowded around taxis, and sparse below flights.
  @Test(
    .enabled(
      if: isLong && SharedTracks.has("porto_taxi") && SharedTracks.has("adsb/kiwi.json.gz"),
      "a soak: set VICINITY_LONG_TESTS=1, with ../shared/data/tracks"))
  func millions() throws {
    let all = try SharedTracks.taxis()
    let taxis = stride(from: 0, to: all.count, by: 20).map { all[$0] }
    let flights = try SharedTracks.flights("kiwi.json.gz")
    let cases = [
      ("taxis", taxis, 20.0...200.0, 60_000.0, 80.0),
      ("flights", flights, 100.0...3000.0, 2_000_000.0, 200.0),
    ]
    for (name, tracks, radii, spread, error) in cases {
      let regions = regions(tracks, 1_000_000, radii: radii, spread: spread, seed: 4207)
      for options in [PlanOptions.followed, PlanOptions()] {
        let (tally, plans) = try follow(tracks, regions, options, error: error, seed: 4207)
        #expect(tally.entries > 0, "\(name)")
        print("\(name), 1000000 regions: \(plans) plans, \(tally)")
      }
    }
  }

  @Test(.enabled(if: SharedTracks.has("bus_liverpool"), "needs ../shared/data/tracks/bus_liverpool"))
  func buses() throws {
    let buses = try SharedTracks.buses()
    try check(buses, [200, 3000], radii: 20...300, spread: 3000, error: 30, "buses", seed: 4205)
  }

  /// What the phones said, held to where they were: their errors are often beyond three times the accuracy,
  /// and the certificate's geometry does not care.
  @Test(.enabled(if: SharedPhones.isThere, "needs ../shared/data/mobilitynet"))
  func phones() throws {
    let (rides, truths) = try SharedPhones.rides(limit: Self.isLong ? .max : 6)
    #expect(rides.count >= 5)
    let regions = regions(truths.map { $0.value }, 3000, radii: 20...500, spread: 5000, seed: 4206)
    let index = try RegionIndex(regions)
    var total = PlanTally()
    for ride in rides {
      guard let truth = truths[ride.run] else { continue }
      for strategy in [PlanStrategy.boundary, .boundaryAhead()] {
        var options = PlanOptions.followed
        options.strategy = strategy
        var planner = try RegistrationPlanner(index, options: options)
        var verifier = try PlanVerifier(index, maximumGap: .seconds(1_000_000_000))
        var next = 0
        for position in truth {
          _ = try verifier.advance(to: position, under: planner.plan)
          while next < ride.fixes.count, ride.fixes[next].time <= position.time {
            let fix = ride.fixes[next]
            next += 1
            do {
              _ = try planner.advance(to: fix)
            } catch .twoPlaces {
              // Two fixes of one moment: the second is no news.
              continue
            }
          }
        }
        total = total + verifier.tally
      }
    }
    #expect(total.violations == 0)
    #expect(total.entries > 0)
    if Self.isLong { print("phones: \(total)") }
  }
}
