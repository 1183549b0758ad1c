import Testing
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityMonitor

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Distances and reports of beacons in range.
@Suite struct BeaconRangerTests {
  private typealias Presence = BeaconPresenceTests

  private func ranger(_ options: BeaconRangingOptions = .init()) throws -> BeaconRanger {
    var ranger = try BeaconRanger(options)
    ranger.start(Presence.any, at: Presence.time(0))
    return ranger
  }

  // MARK: The model

  @Test func theModelIsThePathLoss() {
    let model = BeaconDistanceModel()
    #expect(model.distance(loss: 0) == 1)
    #expect(model.distance(loss: 20) == 10)
    #expect(model.distance(loss: -20) == 0.1)
    #expect(abs(model.distance(loss: 6) - 1.995) < 1e-3)
    #expect(abs(BeaconDistanceModel(pathLossExponent: 4).distance(loss: 40) - 10) < 1e-12)
    let table: [(Double, BeaconProximity)] = [
      (0, .immediate), (0.499, .immediate), (0.5, .near), (2.999, .near), (3, .far), (.infinity, .far),
      (-1, .unknown), (.nan, .unknown),
    ]
    for (distance, proximity) in table { #expect(model.proximity(distance) == proximity) }
    #expect(BeaconProximity.allCases.map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test func optionsAreChecked() {
    func refuses(_ options: BeaconRangingOptions, _ error: BeaconOptionsError) {
      #expect(throws: error) { _ = try BeaconRanger(options) }
    }
    refuses(.init(interval: .zero), .durationNotPositive(option: "ranging interval", value: .zero))
    refuses(.init(smoothing: 0), .outOfRange(option: "ranging smoothing", value: 0))
    refuses(.init(smoothing: 5, listing: 4), .outOfRange(option: "ranging listing", value: 4))
    refuses(.init(listing: 1001), .outOfRange(option: "ranging listing", value: 1001))
    refuses(
      .init(model: .init(pathLossExponent: 0)), .outOfRange(option: "path loss exponent", value: 0))
    refuses(
      .init(model: .init(immediateWithin: 2, nearWithin: 1)), .outOfRange(option: "near within", value: 1))
    #expect(throws: BeaconOptionsError.self) {
      _ = try BeaconRanger(.init(model: .init(pathLossExponent: .nan)))
    }
  }

  // MARK: Reports

  @Test func onceASecondNearestFirst() throws {
    var ranger = try ranger()
    #expect(ranger.nextReport == Presence.time(1))
    #expect(ranger.see(Presence.sighting(1, 1, at: 0, rssi: -79)).isEmpty)
    #expect(ranger.see(Presence.sighting(1, 2, at: 0.2, rssi: 0)).isEmpty)
    #expect(ranger.see(Presence.sighting(1, 3, at: 0.4, rssi: -49)).isEmpty)
    #expect(ranger.see(Presence.sighting(1, 3, at: 0.5, rssi: -51)).isEmpty)
    #expect(ranger.see(Presence.sighting(1, 0, at: 0.6, rssi: -62)).isEmpty)
    #expect(ranger.advance(to: Presence.time(0.999)).isEmpty)
    let reports = ranger.advance(to: Presence.time(1))
    #expect(reports.count == 1 && reports[0].time == Presence.time(1))
    let beacons = reports[0].beacons
    #expect(beacons.map(\.beacon.minor) == [3, 0, 1, 2])
    #expect(beacons.map(\.proximity) == [.immediate, .near, .far, .unknown])
    #expect(beacons.map(\.rssi) == [-50, -62, -79, 0])
    #expect(abs(beacons[0].accuracy - pow(10, -0.45)) < 1e-12 && beacons[2].accuracy == 10)
    #expect(beacons[3].accuracy == -1 && beacons[3].time == Presence.time(0.2))
    #expect(ranger.nextReport == Presence.time(2))
    #expect(ranger.advance(to: Presence.time(1.5)).isEmpty)
  }

  @Test func smoothingAndForgetting() throws {
    var ranger = try ranger(.init(smoothing: 2, listing: 4))
    _ = ranger.see(Presence.sighting(1, 1, at: 0.5, rssi: -59))
    _ = ranger.see(Presence.sighting(1, 1, at: 1.5, rssi: -99))
    let second = ranger.advance(to: Presence.time(2))[0].beacons[0]
    // The mean in decibels of 0 and 40 is 20: 10 m; the level is of the last second alone.
    #expect(second.accuracy == 10 && second.rssi == -99)
    let third = ranger.advance(to: Presence.time(3))[0].beacons[0]
    #expect(third.accuracy == 100 && third.rssi == 0 && third.proximity == .far)
    let fourth = ranger.advance(to: Presence.time(4))[0].beacons[0]
    #expect(fourth.accuracy == -1 && fourth.proximity == .unknown && fourth.time == Presence.time(1.5))
    #expect(ranger.advance(to: Presence.time(5))[0].beacons.count == 1)
    #expect(ranger.advance(to: Presence.time(6))[0].beacons.isEmpty)
  }

  @Test func constraintsShareSightings() throws {
    var ranger = try BeaconRanger()
    #expect(ranger.nextReport == nil && ranger.advance(to: Presence.time(5)).isEmpty)
    #expect(ranger.see(Presence.sighting(1, 1, at: 5)).isEmpty)
    ranger.start(Presence.ones, at: Presence.time(6))
    ranger.start(Presence.one(2), at: Presence.time(6.5))
    ranger.start(Presence.ones, at: Presence.time(6.6))
    #expect(ranger.rangedConstraints == [Presence.ones, Presence.one(2)])
    for (major, minor) in [(1, 1), (1, 2), (2, 2)] as [(UInt16, UInt16)] {
      _ = ranger.see(Presence.sighting(major, minor, at: 6.7))
    }
    let reports = ranger.see(Presence.sighting(1, 3, at: 7.1))
    #expect(reports.map(\.constraint) == [Presence.ones, Presence.one(2)])
    #expect(reports.map { $0.beacons.map(\.beacon.minor) } == [[1, 2], [2]])
    ranger.stop(Presence.ones)
    #expect(ranger.advance(to: Presence.time(8)).map { $0.beacons.map(\.beacon.minor) } == [[2]])
    ranger.stop(Presence.one(2))
    #expect(ranger.nextReport == nil && ranger.advance(to: Presence.time(9)).isEmpty)
  }

  @Test func lateAndLongSilences() throws {
    var ranger = try ranger()
    _ = ranger.see(Presence.sighting(1, 1, at: 2.5, rssi: -59))
    // Late for its second, in time for the mean; before the start; and too old.
    _ = ranger.see(Presence.sighting(1, 1, at: 1.5, rssi: -99))
    _ = ranger.see(Presence.sighting(1, 2, at: -1))
    #expect(ranger.advance(to: Presence.time(3))[0].beacons.map(\.accuracy) == [10])
    // Of the seconds that nobody asked about, the last.
    let reports = ranger.advance(to: Presence.time(100.5))
    #expect(reports.map(\.time) == [Presence.time(100)] && reports[0].beacons.isEmpty)
    _ = ranger.see(Presence.sighting(1, 1, at: 50))
    #expect(ranger.advance(to: Presence.time(40)).isEmpty)
    #expect(ranger.advance(to: Presence.time(101))[0].beacons.isEmpty)
  }

  @Test func hostileNumbers() throws {
    var ranger = try BeaconRanger(.init(interval: .microseconds(1)))
    ranger.start(Presence.any, at: Timestamp(microseconds: .min))
    for level in [Int.min, -128, 0, 1, 127, Int.max] {
      for power in [Int.min, -59, 21, Int.max] {
        var sighting = Presence.sighting(1, 1, at: 0, rssi: level, power: power)
        sighting.time = Timestamp(microseconds: .max)
        _ = ranger.see(sighting)
      }
    }
    #expect(ranger.nextReport != nil)
    #expect(ranger.advance(to: Timestamp(microseconds: .max)).isEmpty)
    var other = try self.ranger()
    for level in [Int.min, -128, 0, 1, 127, Int.max] {
      _ = other.see(Presence.sighting(1, 1, at: 0, rssi: level))
    }
    _ = other.see(Presence.sighting(1, 1, at: 0, power: 21))
    #expect(other.advance(to: Presence.time(1))[0].beacons.map(\.proximity) == [.unknown])
  }

  // MARK: Properties

  /// Random sightings, against sums over all of them.
  @Test(arguments: 0..<40 as Range<UInt64>) func agreesWithSums(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let smoothing = 1 + random.below(6)
    let listing = smoothing + random.below(8)
    var ranger = try ranger(.init(smoothing: smoothing, listing: listing))
    var all: [BeaconSighting] = []
    var clock = 0.0
    var reported = 0
    while clock < 60 {
      clock += random.uniform(0...0.4)
      let lateness = random.below(5) == 0 ? random.uniform(0...8) : 0
      let sighting = Presence.sighting(
        1, UInt16(random.below(6)), at: max(0, clock - lateness),
        rssi: random.below(6) == 0 ? 0 : -30 - random.below(70), power: -59 - random.below(10))
      let reports = ranger.see(sighting)
      if let report = reports.last {
        let second = Int(report.time.seconds(since: Presence.time(0)).rounded()) - 1
        check(report, all, second, smoothing, listing, seed)
        reported += 1
      }
      all.append(sighting)
    }
    #expect(reported > 50)
  }

  private func check(
    _ report: BeaconRanging, _ all: [BeaconSighting], _ second: Int, _ smoothing: Int, _ listing: Int,
    _ seed: UInt64
  ) {
    func number(_ sighting: BeaconSighting) -> Int {
      Int(sighting.time.seconds(since: Presence.time(0)).rounded(.down))
    }
    let listed = Set(all.filter { second - listing < number($0) && number($0) <= second }.map(\.beacon))
    #expect(Set(report.beacons.map(\.beacon)) == listed, "seed \(seed), second \(second)")
    for found in report.beacons {
      let heard = all.filter {
        $0.beacon == found.beacon && $0.rssi != 0 && second - smoothing < number($0) && number($0) <= second
      }
      guard !heard.isEmpty else {
        #expect(found.accuracy == -1 && found.proximity == .unknown, "seed \(seed), second \(second)")
        continue
      }
      let loss = heard.map { Double($0.measuredPower - $0.rssi) }.reduce(0, +) / Double(heard.count)
      #expect(abs(found.accuracy / pow(10, loss / 20) - 1) < 1e-9, "seed \(seed), second \(second)")
    }
    let known = report.beacons.prefix { $0.proximity != .unknown }
    #expect(report.beacons.dropFirst(known.count).allSatisfy { $0.proximity == .unknown })
    #expect(zip(known, known.dropFirst()).allSatisfy { $0.accuracy <= $1.accuracy })
  }

  /// With levels that scatter by 4 dB the mean is right in the middle, and five seconds of four levels each
  /// leave 4/√20 dB.
  @Test func scatterAverages() throws {
    var random = SplitMix64(seed: 7)
    var errors: [Double] = []
    for _ in 0..<400 {
      let distance = random.logUniform(0.2...20)
      var ranger = try ranger()
      for step in 0..<20 {
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + random.unit() }
        let level = -59 - 20 * log10(distance) + 4 * normal
        _ = ranger.see(Presence.sighting(1, 1, at: Double(step) / 4, rssi: Int(level.rounded())))
      }
      errors.append(20 * log10(ranger.advance(to: Presence.time(5))[0].beacons[0].accuracy / distance))
    }
    let mean = errors.reduce(0, +) / Double(errors.count)
    let deviation = (errors.map { $0 * $0 }.reduce(0, +) / Double(errors.count)).squareRoot()
    #expect(abs(mean) < 0.15)
    #expect(deviation > 0.7 && deviation < 1.1)
  }
}
