public import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex
internal import VicinityPlanner

/// Devices that go through the regions of an index, by every rule, and plans along their way: to find bytes
/// that make them crash or hang.
public enum CrossingExercise {
  /// Where the regions should be, in and around which the devices go.
  public static let middle = Coordinate(latitude: 48.2, longitude: 16.37)

  /// Steps of a walk, a drive, and a flight; then a gap, and a fix at the antimeridian.
  public static let track: [Fix] = {
    var fixes: [Fix] = []
    var seconds = 1_600_000_000
    func go(_ latitude: Degrees, _ longitude: Degrees, after duration: Int) {
      seconds += duration
      fixes.append(
        Fix(
          time: Timestamp(microseconds: Int64(seconds) * 1_000_000),
          coordinate: Coordinate(latitude: latitude, longitude: longitude),
          horizontalAccuracy: Double(fixes.count % 5) * 12))
    }
    for i in 0..<12 {
      go(middle.latitude + 4e-4 * Double(i), middle.longitude + 3e-4 * Double(i * 7 % 12), after: 10)
    }
    for i in 0..<8 { go(middle.latitude - 0.01 * Double(i), middle.longitude + 0.005 * Double(i), after: 60) }
    go(middle.latitude + 0.05, middle.longitude - 0.1, after: 280)
    go(middle.latitude, middle.longitude, after: 290)
    go(middle.latitude + 1e-3, middle.longitude, after: 4000)
    go(44.5, 9.1, after: 299)
    go(-33.9, 179.9999, after: 400)
    return fixes
  }()

  private static let rules: [CrossingRule] = [.coreLocation(), .naive, .exitMargin(), .overlap()]

  /// Asks everything; some number that depends on all answers.
  ///
  /// - Parameter variant: What differs from one call to the next, so that many calls ask more than one could
  ///   in the time.
  @discardableResult
  public static func run(_ index: RegionIndex, variant: Int) throws -> Int {
    var sum = 0
    for crossing in try crossings(index, CrossingOptions()) {
      sum &+= index.identifier(of: crossing.region).utf8.count
    }
    let stays = CrossingOptions(
      dwell: .seconds(30), rule: variant & 1 == 0 ? .geometric : rules[variant >> 1 & 3])
    var detector = try CrossingDetector(index, options: stays)
    for fix in track { sum &+= try detector.advance(to: fix).count }
    sum &+= detector.occupied.count
    sum &+= try advanceFleet(
      index, CrossingOptions(rule: variant & 1 == 0 ? rules[variant >> 1 & 3] : .geometric))
    var planner = try RegistrationPlanner(index)
    for fix in track[8..<16] {
      if case .planned = try planner.advance(to: fix) { sum &+= planner.plan?.registrations.count ?? 0 }
    }
    return sum
  }

  /// The crossings along the track.
  private static func crossings(_ index: RegionIndex, _ options: CrossingOptions) throws -> [Crossing] {
    var detector = try CrossingDetector(index, options: options)
    var crossings: [Crossing] = []
    let fixes = track
    try detector.advance(through: fixes[0..<fixes.count].span, into: &crossings)
    return crossings
  }

  /// Two devices whose state is kept and taken up again half way.
  private static func advanceFleet(_ index: RegionIndex, _ options: CrossingOptions) throws -> Int {
    var names = DeviceNames()
    for name in ["a", "b"] { names.insert(name) }
    var fleet = try Fleet(index, options: options, deviceCount: 2)
    var crossings: [Crossing] = []
    let half = track.count / 2
    for fix in track[..<half] { for device in 0..<2 { try fleet.advance(device, to: fix, into: &crossings) } }
    let snapshot = fleet.snapshot(names: names)
    var restoredNames = DeviceNames()
    // An index that lists a region twice gives states that are refused.
    if var restored = try? Fleet.restored(fromSnapshot: snapshot, index: index, names: &restoredNames) {
      for fix in track[half...] { try restored.advance(1, to: fix, into: &crossings) }
    }
    return crossings.reduce(0) { $0 &+ $1.region }
  }

  /// What is wrong with the crossings of an index whose contents have been verified: nil when they are those
  /// of an index that is made anew of its regions.
  public static func disagreement(_ index: RegionIndex) throws -> String? {
    let twin = try RegionIndex((0..<index.count).map { index.region(at: $0) })
    for options in [CrossingOptions(), CrossingOptions(dwell: .seconds(30), rule: .naive)] {
      let (found, expected) = (try crossings(index, options), try crossings(twin, options))
      if found != expected { return "\(options.rule): crossings \(found) where \(expected) belong" }
    }
    return nil
  }
}
