import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityTestSupport

@testable import VicinityEvaluation
@testable import VicinitySimulation

@Suite("The safe-sampling bound")
struct SafeSamplingBoundTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  private static let place = Coordinate(latitude: 47, longitude: 8)

  @Test(
    "A phone that stands 4 km from a circle's edge needs a fix every d / v + L seconds, the first after L")
  func standing() throws {
    let frame = LocalFrame(Self.place)
    let center = frame.coordinate(at: Offset(east: 4100, north: 0))
    let radius = Geodesic.uncheckedDistance(Self.place, center) - 4000
    let regions = try RegionIndex([Region(identifier: "r", center: center, radius: radius)])
    let track = try TrueTrack([
      Fix(time: Self.start, coordinate: Self.place),
      Fix(time: Self.start.advanced(by: .seconds(1000)), coordinate: Self.place),
    ])
    let times = try SafeSamplingBound(maximumSpeed: 40, within: .seconds(60)).times(
      along: track, watching: regions)
    // 60, then every 100 + 60: 220, 380, 540, 700, 860.
    #expect(times.count == 6)
    for (time, expected) in zip(times, [60.0, 220, 380, 540, 700, 860]) {
      #expect(abs(time.seconds(since: Self.start) - expected) < 1e-4)
    }
  }

  @Test("A century at one place is counted without going through it, and as it would be")
  func century() throws {
    let regions = try RegionIndex([Region(identifier: "r", center: Self.place, radius: 400)])
    func track(_ seconds: Double) throws -> TrueTrack {
      try TrueTrack([
        Fix(time: Self.start, coordinate: Self.place),
        Fix(time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place),
      ])
    }
    let bound = try SafeSamplingBound(maximumSpeed: 40, within: .seconds(10))
    // 10, and every 20 s.
    let long = try bound.count(along: track(3_155_760_000), watching: regions)
    #expect(abs(Double(long) - 3_155_760_000 / 20) <= 2)
    let day = try track(86_400)
    #expect(
      try bound.count(along: day, watching: regions) == bound.times(along: day, watching: regions).count)
  }

  @Test("Inside a region its own boundary counts; without regions none is needed")
  func insideAndNone() throws {
    let regions = try RegionIndex([Region(identifier: "r", center: Self.place, radius: 400)])
    let track = try TrueTrack([
      Fix(time: Self.start, coordinate: Self.place),
      Fix(time: Self.start.advanced(by: .seconds(100)), coordinate: Self.place),
    ])
    let bound = try SafeSamplingBound(maximumSpeed: 40, within: .seconds(10))
    // 10, 30, 50, 70, 90.
    #expect(try bound.count(along: track, watching: regions) == 5)
    #expect(try bound.count(along: track, watching: RegionIndex([])) == 0)
  }

  /// The fewest fixes on a grid of seconds, by looking at all of them, with distances by the authority.
  private func fewestOnGrid(_ scenario: RandomScenario, speed: Double, latency: Double) throws -> Int {
    let track = scenario.scenario.track
    let seconds = Int(track.end.seconds(since: track.start))
    let places = track.positions(at: (0...seconds).map { track.start.advanced(by: .seconds($0)) })
    let circles = (0..<scenario.regions.count).compactMap { ordinal -> (Coordinate, Double)? in
      guard case .circle(let center, let radius) = scenario.regions.region(at: ordinal).shape else {
        return nil
      }
      return (center, radius)
    }
    let deadlines = try places.enumerated().map { second, place in
      var nearest = Double.infinity
      for (center, radius) in circles {
        nearest = min(nearest, abs(try Geodesic.distance(from: place, to: center) - radius))
      }
      return Double(second) + nearest / speed + latency
    }
    var count = 0
    var reach = latency
    var next = 0
    while reach <= track.end.seconds(since: track.start) {
      count += 1
      var farthest = reach
      var last = next
      while last <= seconds, Double(last) <= reach {
        farthest = max(farthest, deadlines[last])
        last += 1
      }
      next = last
      guard farthest > reach else { break }
      reach = farthest
    }
    return count
  }

  @Test(
    "No schedule on a grid of seconds has fewer, and one that may be a second later hardly more",
    arguments: 1...6)
  func grid(seed: UInt64) throws {
    let scenario = try RandomScenario(seed: seed, circles: 12, legs: 4)
    let track = scenario.scenario.track
    // 14 m/s is the fastest there is; 5 is broken by some of the ways.
    for speed in [20.0, 5] {
      let bound = try SafeSamplingBound(maximumSpeed: speed, within: .seconds(60))
        .count(along: track, watching: scenario.regions)
      let grid = try fewestOnGrid(scenario, speed: speed, latency: 60)
      #expect(bound <= grid, "seed \(seed), \(speed) m/s: \(bound) > \(grid)")
      let exact = try SafeSamplingBound(maximumSpeed: speed, within: .seconds(60))
        .times(along: track, watching: scenario.regions).count
      #expect(bound <= exact && exact <= grid, "seed \(seed), \(speed) m/s: \(bound), \(exact), \(grid)")
      if speed > 14 {
        let later = try SafeSamplingBound(maximumSpeed: speed, within: .seconds(59))
          .count(along: track, watching: scenario.regions)
        #expect(grid <= later, "seed \(seed): \(grid) > \(later)")
        #expect(bound > 10)
      }
    }
  }

  @Test(
    "A policy of fixes alone that gives the guarantee takes as many, and each crossing is noticed in time",
    arguments: 1...8)
  func policy(seed: UInt64) throws {
    let random = try RandomScenario(seed: seed, circles: 20, legs: 5)
    let track = random.scenario.track
    let bound = try SafeSamplingBound(maximumSpeed: 20, within: .seconds(60))
    let least = try bound.count(along: track, watching: random.regions)
    let app = PromisingApp(random.regions, speed: 20, latency: 60)
    let result = try Simulation.run(random.scenario) { app }
    #expect(result.counts.fixes >= least, "seed \(seed): \(result.counts.fixes) < \(least)")
    // Exact positions are no reason for many more: what an answer takes is all.
    #expect(Double(result.counts.fixes) < 1.3 * Double(least) + 5)
    for crossing in random.crossings {
      let next = app.fixes.first { $0 >= crossing.time } ?? track.end
      #expect(next.seconds(since: crossing.time) <= 60.001 || next == track.end, "seed \(seed): \(crossing)")
    }
  }

  @Test("A speed or latency that is not above zero is refused")
  func refused() {
    for speed in [0, -1, Double.nan, .infinity] {
      #expect(throws: BoundError.self) { try SafeSamplingBound(maximumSpeed: speed) }
    }
    #expect(throws: BoundError.outOfRange("latency", 0)) { try SafeSamplingBound(within: .zero) }
  }
}

/// Asks for an exact position a little before each is due.
private final class PromisingApp: PhoneApp {
  private let regions: RegionIndex
  private let speed: Double
  private let latency: Double
  private(set) var fixes: [Timestamp] = []

  init(_ regions: RegionIndex, speed: Double, latency: Double) {
    self.regions = regions
    self.speed = speed
    self.latency = latency
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched:
      phone.locationSettings = LocationSettings(
        desiredAccuracy: .threeKilometers, distanceFilter: 1e7, pausesAutomatically: false,
        allowsBackgroundUpdates: true)
      phone.startUpdatingLocation()
      phone.requestLocation(.hundredMeters)
    case .timer: phone.requestLocation(.hundredMeters)
    case .locations(let list, .single):
      for fix in list {
        fixes.append(fix.time)
        guard let distance = try? regions.distanceToBoundary(from: fix.coordinate) else { continue }
        // The answer takes a tenth of a second.
        phone.setTimer(after: .seconds(distance / speed + latency - 1))
      }
    default: break
    }
  }
}
