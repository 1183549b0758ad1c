import VicinityMonitor

@testable import VicinityProfiles

/// A phone of round numbers, for tests: what they come to can be worked out by hand.
enum SampleProfile {
  static func figure(_ value: Double) -> Figure {
    Figure(value, low: value, high: value, basis: .assumed, source: "test")
  }

  /// All numbers alike.
  static func always(_ value: Double) -> Quantiles {
    Quantiles([.init(0, value), .init(1, value)], basis: .assumed, source: "test") ?? nothing
  }

  static func uniform(_ range: ClosedRange<Double>) -> Quantiles {
    Quantiles(
      [.init(0, range.lowerBound), .init(1, range.upperBound)], basis: .assumed, source: "test") ?? nothing
  }

  static let nothing: Quantiles = {
    guard let zero = Quantiles([.init(0, 0), .init(1, 0)], basis: .assumed, source: "test") else {
      fatalError("two points are a distribution")
    }
    return zero
  }()

  static func positions(error: Double, reported: Double, correlation: Double = 60) -> PositionModel {
    PositionModel(
      error: uniform(0...(2 * error)), reported: uniform((reported / 2)...(1.5 * reported)),
      correlationTime: figure(correlation), association: figure(0.5))
  }

  static func tier(
    error: Double, reported: Double, interval: Double, gnss: Double = 0, wifi: Double = 0, cell: Double = 0
  ) -> TierProfile {
    TierProfile(
      moving: positions(error: error, reported: reported), still: nil, indoors: nil, fallback: nil,
      interval: always(interval), delay: always(0), strayFixes: figure(1), gnss: figure(gnss),
      wifi: figure(wifi), cell: figure(cell), processor: figure(0), motion: figure(0), fix: figure(50))
  }

  static let phone = DeviceProfile(
    name: "sample", title: "A phone of round numbers", platform: .ios, notes: [],
    sources: ["test": "made up"],
    battery: figure(10), idle: figure(20), screen: figure(400), awake: figure(100), awakeTail: figure(1),
    work: figure(500),
    tiers: [
      .best: tier(error: 5, reported: 10, interval: 1, gnss: 250),
      .nearestTenMeters: tier(error: 6, reported: 10, interval: 1, gnss: 240),
      .hundredMeters: tier(error: 30, reported: 65, interval: 6, wifi: 60),
      .kilometer: tier(error: 500, reported: 1000, interval: 60, cell: 20),
      .threeKilometers: tier(error: 1000, reported: 3000, interval: 120, cell: 10),
      .reduced: tier(error: 4000, reported: 5000, interval: 900),
    ],
    firstFix: FirstFixProfile(
      hot: always(1), warm: always(5), cold: always(30), hotFor: figure(7200), warmFor: figure(604_800)),
    regions: RegionMonitoringProfile(
      slots: 20, maximumRadius: figure(10_000), cushion: figure(100), inwardShare: figure(0.5),
      timeToRemain: figure(20), wakeDelay: always(10), interval: always(30),
      // More than a day, so that what happens on the way can be worked out without the checks at rest.
      restInterval: always(100_000),
      positions: positions(error: 30, reported: 65), delivery: always(1), look: figure(500),
      watching: figure(5)),
    significantChange: SignificantChangeProfile(
      distance: figure(500), interval: figure(300), cellChange: uniform(500...1500),
      positions: positions(error: 300, reported: 1000), report: figure(1000), listening: figure(2),
      arrival: always(300), departure: always(200)),
    beacons: BeaconProfile(
      scanInterval: figure(10), scan: figure(20), ranging: figure(50), advertising: figure(5),
      noise: figure(4), exitAfter: figure(30)),
    heading: HeadingProfile(
      error: figure(8), correlationTime: figure(30), rate: figure(10), power: figure(10)))
}
