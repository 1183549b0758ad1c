import ArgumentParser
import VicinityEvaluation
import VicinityMonitor
import VicinitySimulation

/// The simulated phone: which it is, what surrounds it, and what its user does.
struct PhoneArguments: ParsableArguments {
  /// The operating system's rules for apps in the background.
  enum Rules: String, CaseIterable, ExpressibleByArgument {
    case ios4, ios7, ios13, macos

    var rules: BackgroundRules {
      switch self {
      case .ios4: .iOS4
      case .ios7: .iOS7
      case .ios13: .iOS13
      case .macos: .macOS
      }
    }
  }

  @Option(
    help: .value(
      "profile",
      "The phone: \(DeviceProfile.names.joined(separator: ", ")), or a profile's JSON file."))
  var device = "iphone-6"

  @Option(
    help: .value("file", "An Android power_profile.xml whose figures replace the phone's."),
    completion: .file(extensions: ["xml"]))
  var powerProfile: String?

  @Option(help: .value("n", "The seed of all random choices."))
  var seed: UInt64 = 1

  @Option(help: "The operating system's rules for apps in the background.")
  var rules = Rules.ios13

  @Option(
    help: .value(
      "file",
      """
      The phone's surroundings: CSV with the columns time, indoors, cells, way, wifi, bluetooth, airplane, screen and charging. \
      Each row is valid from its time on; an empty cell means no change. Without it the phone is indoors while it stays \
      for ten minutes or more. The way is foot, road or rail; without it, the speed tells foot from road.
      """),
    completion: .file())
  var environment: String?

  @Option(
    help: .value(
      "file",
      """
      What the user does: CSV time,action with the actions open, leave, force-quit, memory-pressure, terminate, restart, sleep, \
      wake, socket-data and exit:STATUS. Without it the app is opened at the beginning and left a minute later.
      """),
    completion: .file())
  var actions: String?

  @Flag(help: "Wi-Fi is off.")
  var noWifi = false

  @Flag(help: "The phone is in airplane mode.")
  var airplaneMode = false

  @Option(help: "What the user allows.")
  var authorization = AppCapabilities.Authorization.always

  @Flag(help: "The user allows only a coarse position.")
  var reducedAccuracy = false

  @Flag(inversion: .prefixedNo, help: "Whether the app has the location background mode.")
  var locationMode = true

  func profile() throws -> DeviceProfile {
    var profile = try DeviceFile.profile(device)
    if let powerProfile { profile = try DeviceFile.applying(powerProfile, to: profile) }
    return profile
  }

  /// The scenario for any track.
  func plan() throws -> ScenarioPlan {
    var base = PhoneSurroundings()
    base.hasWiFi = !noWifi
    base.isInAirplaneMode = airplaneMode
    return ScenarioPlan(
      base: base, environment: try environment.map { try ScenarioFile.environment($0, base: base) },
      actions: try actions.map { try ScenarioFile.actions($0) }, rules: rules.rules,
      capabilities: AppCapabilities(
        authorization: authorization, isReducedAccuracy: reducedAccuracy,
        hasLocationMode: locationMode),
      seed: seed)
  }
}

/// Everything about a simulated phone but its track.
struct ScenarioPlan: Sendable {
  var base: PhoneSurroundings
  /// The phone's surroundings, and whether they say what carries it; nil to infer them from the track.
  var environment: (timeline: SurroundingsTimeline, hasWays: Bool)?
  /// The user's actions; nil for an app that is opened and left a minute later.
  var actions: [TimedAction]?
  var rules: BackgroundRules
  var capabilities: AppCapabilities
  var seed: UInt64

  func scenario(_ track: TrueTrack, _ profile: DeviceProfile) -> Scenario {
    var surroundings = environment?.timeline ?? .inferred(from: track, base: base)
    if let environment, !environment.hasWays { surroundings = surroundings.withWays(of: track) }
    return Scenario(
      track: track, surroundings: surroundings,
      actions: actions ?? StudyDevice.openedOnce(at: track.start), profile: profile, rules: rules,
      capabilities: capabilities, seed: seed)
  }
}
