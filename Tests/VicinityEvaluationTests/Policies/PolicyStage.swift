import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

/// A phone that is off by half a metre at most, a way on a plane, and what policies make of it.
struct PolicyStage {
  static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  private(set) var fixes: [Fix]
  private var place: (east: Double, north: Double)
  private var seconds = 0.0

  init() {
    place = (0, 0)
    fixes = [Fix(time: Self.start, coordinate: Self.at(0, 0))]
  }

  /// Metres east and north of a place on the equator.
  static func at(_ east: Double, _ north: Double) -> Coordinate {
    Coordinate(latitude: north / 110_574.3, longitude: 10 + east / 111_319.5)
  }

  static func circle(_ name: String, _ east: Double, _ north: Double = 0, radius: Double) -> Region {
    Region(identifier: name, center: at(east, north), radius: radius)
  }

  private mutating func note() {
    fixes.append(
      Fix(time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.at(place.east, place.north)))
  }

  mutating func stand(for duration: Double) {
    seconds += duration
    note()
  }

  mutating func go(toEast east: Double, north: Double = 0, at speed: Double = 10) {
    let (dx, dy) = (east - place.east, north - place.north)
    let steps = max(1, Int(((dx * dx + dy * dy).squareRoot() / speed / 5).rounded()))
    let from = place
    for step in 1...steps {
      let share = Double(step) / Double(steps)
      place = (from.east + dx * share, from.north + dy * share)
      seconds += 5
      note()
    }
  }

  static func figure(_ value: Double) -> Figure {
    Figure(value, low: value, high: value, basis: .assumed, source: "assumed")
  }

  static func always(_ value: Double) throws -> Quantiles {
    try #require(Quantiles([.init(0, value), .init(1, value)], basis: .assumed, source: "assumed"))
  }

  static func exact(reporting accuracy: Double) throws -> PositionModel {
    PositionModel(
      error: try always(0.5), reported: try always(accuracy), correlationTime: figure(60),
      association: figure(0))
  }

  /// Each tier as the shipped phone has it, but for errors, delays and chance.
  static func profile() throws -> DeviceProfile {
    var profile = try DeviceProfile.named("iphone-6")
    let accuracies: [DesiredAccuracy: Double] = [
      .bestForNavigation: 5, .best: 5, .nearestTenMeters: 10, .hundredMeters: 20, .kilometer: 500,
      .threeKilometers: 1500, .reduced: 3000,
    ]
    for (tier, accuracy) in accuracies {
      profile.tiers[tier]?.moving = try exact(reporting: accuracy)
      profile.tiers[tier]?.still = nil
      profile.tiers[tier]?.indoors = nil
      profile.tiers[tier]?.fallback = nil
      profile.tiers[tier]?.delay = try always(0)
      profile.tiers[tier]?.interval = try always(accuracy < 20 ? 1 : accuracy < 500 ? 5 : 60)
      profile.tiers[tier]?.strayFixes = figure(0)
    }
    profile.regions.positions = try exact(reporting: 20)
    profile.regions.cushion = figure(20)
    profile.regions.wakeDelay = try always(5)
    profile.regions.interval = try always(15)
    profile.regions.delivery = try always(1)
    profile.significantChange.positions = try exact(reporting: 500)
    profile.significantChange.cellChange = try always(800)
    profile.significantChange.arrival = try always(120)
    profile.significantChange.departure = try always(120)
    profile.firstFix.hot = try always(1)
    profile.firstFix.warm = try always(2)
    return profile
  }

  /// Plays a policy with the app put away after ten seconds, under an open sky.
  func play(
    _ policy: any MonitoringPolicy, _ regions: [Region], actions: [(Double, UserAction)] = []
  ) throws -> PolicyPlay {
    let index = try RegionIndex(regions)
    var all = [TimedAction(time: Self.start.advanced(by: .seconds(10)), .leaveApp)]
    for (second, action) in actions {
      all.append(TimedAction(time: Self.start.advanced(by: .seconds(second)), action))
    }
    let scenario = Scenario(
      track: try TrueTrack(fixes), surroundings: SurroundingsTimeline(), actions: all,
      profile: try Self.profile(), seed: 7)
    let result = try Simulation.run(scenario, recording: .all) { policy.makeApp(watching: index) }
    return PolicyPlay(result: result)
  }
}

/// What came of a policy.
struct PolicyPlay {
  let result: SimulationResult

  private func seconds(_ entry: TimelineEntry) -> Double { entry.time.seconds(since: result.start) }

  /// What was reported, in its order: `+shop`, `-shop`.
  var reports: [String] {
    result.timeline.compactMap { entry in
      guard case .reported(let isEntry, let region, _) = entry.kind else { return nil }
      return (isEntry ? "+" : "-") + region
    }
  }

  /// When single positions came.
  var samples: [Double] {
    result.timeline.compactMap { entry in
      guard case .delivered(.locations(_, from: .single)) = entry.kind else { return nil }
      return seconds(entry)
    }
  }

  /// When positions of the standard service came.
  var followed: [Double] {
    result.timeline.compactMap { entry in
      guard case .delivered(.locations(_, from: .standard)) = entry.kind else { return nil }
      return seconds(entry)
    }
  }

  /// What is registered at a time.
  func registered(at time: Double) -> Set<String> {
    var names: Set<String> = []
    for entry in result.timeline where seconds(entry) <= time {
      switch entry.kind {
      case .registered(let region): names.insert(region.identifier)
      case .unregistered(let name): names.remove(name)
      default: break
      }
    }
    return names
  }

  /// The most regions that were registered at a time.
  var mostRegistered: Int {
    var (count, most) = (0, 0)
    for entry in result.timeline {
      switch entry.kind {
      case .registered: count += 1
      case .unregistered: count -= 1
      default: break
      }
      most = max(most, count)
    }
    return most
  }

  /// What the app says that it has lost.
  var complaints: [String] {
    result.timeline.compactMap { entry in
      guard case .lost(let what) = entry.kind else { return nil }
      let isOwn = ["no registrations", "no decisions", "no plans", "a fix:", "onitoringFailure"].contains {
        what.contains($0)
      }
      return isOwn ? what : nil
    }
  }
}
