import ArgumentParser
import VicinityEvaluation
import VicinityFormats
import VicinityMonitor
import VicinitySimulation

/// The simulated phone: which it is, what surrounds it, and what its user does.
struct PhoneArguments: ParsableArguments {
  /// What the system lets an app in the background do.
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

  /// What the user has allowed.
  enum Authorization: String, CaseIterable, ExpressibleByArgument {
    case denied, whenInUse, always

    var authorization: AppCapabilities.Authorization {
      switch self {
      case .denied: .denied
      case .whenInUse: .whenInUse
      case .always: .always
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      "The phone: \(DeviceProfile.names.joined(separator: ", ")), or a profile's JSON file.",
      valueName: "profile"))
  var device = "iphone-6"

  @Option(
    help: ArgumentHelp(
      "An Android power_profile.xml whose figures take the place of the phone's.", valueName: "file"),
    completion: .file(extensions: ["xml"]))
  var powerProfile: String?

  @Option(help: ArgumentHelp("What decides everything that is left to chance.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: "What the system lets apps in the background do.")
  var rules = Rules.ios13

  @Option(
    help: ArgumentHelp(
      """
      What surrounds the phone: CSV of time, indoors, cells, wifi, bluetooth, airplane, screen and charging, each row from its time \
      on; empty cells leave as it was. Without it: under a roof while the phone stays for ten minutes or more.
      """, valueName: "file"),
    completion: .file())
  var environment: String?

  @Option(
    help: ArgumentHelp(
      """
      What the user does: CSV time,action with the actions open, leave, force-quit, memory-pressure, terminate, restart, sleep, \
      wake, socket-data and exit:STATUS. Without it the app is opened at the beginning and left a minute later.
      """, valueName: "file"),
    completion: .file())
  var actions: String?

  @Flag(help: "Wi-Fi is off.")
  var noWifi = false

  @Flag(help: "The phone is in airplane mode.")
  var airplaneMode = false

  @Option(help: "What the user allows.")
  var authorization = Authorization.always

  @Flag(help: "The user allows only a coarse position.")
  var reducedAccuracy = false

  @Flag(inversion: .prefixedNo, help: "Whether the app has the location background mode.")
  var locationMode = true

  /// The phone.
  func profile() throws -> DeviceProfile {
    var profile = try DeviceFile.profile(device)
    if let powerProfile { profile = try DeviceFile.applying(powerProfile, to: profile) }
    return profile
  }

  /// What happens to it, whichever way it goes.
  func plan() throws -> ScenarioPlan {
    var base = Environment()
    base.hasWiFi = !noWifi
    base.isInAirplaneMode = airplaneMode
    return ScenarioPlan(
      base: base, surroundings: try environment.map { try ScenarioFile.environment($0, base: base) },
      actions: try actions.map { try ScenarioFile.actions($0) }, rules: rules.rules,
      capabilities: AppCapabilities(
        authorization: authorization.authorization, isReducedAccuracy: reducedAccuracy,
        hasLocationMode: locationMode),
      seed: seed)
  }
}

/// What happens to a phone besides where it goes.
struct ScenarioPlan: Sendable {
  var base: Environment
  /// What surrounds it; nil for what its track lets one guess.
  var surroundings: EnvironmentTimeline?
  /// What its user does; nil for an app that is opened and left a minute later.
  var actions: [TimedAction]?
  var rules: BackgroundRules
  var capabilities: AppCapabilities
  var seed: UInt64

  /// What happens to it along a track.
  func scenario(_ track: TrueTrack, _ profile: DeviceProfile) -> Scenario {
    Scenario(
      track: track, environment: surroundings ?? .inferred(from: track, base: base),
      actions: actions ?? StudyDevice.openedOnce(at: track.start), profile: profile, rules: rules,
      capabilities: capabilities, seed: seed)
  }
}
