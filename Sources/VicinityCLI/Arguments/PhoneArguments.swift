import ArgumentParser
import VicinityCrossings
import VicinityEvaluation
import VicinityFormats
import VicinityMonitor
import VicinityRuns
import VicinitySimulation

/// The simulated phone: which it is, what surrounds it, and what its user does.
struct PhoneArguments: ParsableArguments {
  @Option(
    help: .value(
      "profile",
      "The phone: \(DeviceProfile.names.joined(separator: ", ")), or a profile's JSON file."))
  var device = "modern-phone"

  @Option(
    help: .value("file", "An Android power_profile.xml whose figures replace the phone's."),
    completion: .file(extensions: ["xml"]))
  var powerProfile: String?

  @Option(help: .value("n", "The seed of all random choices."))
  var seed: UInt64 = 1

  @Option(
    help: "The operating system's rules for apps in the background; those of the phone's profile by default.")
  var rules: DeviceProfile.Era?

  @Option(
    help: .value(
      "file",
      """
      The phone's surroundings: CSV with the columns time, indoors, cells, way, wifi, bluetooth, airplane, \
      screen and charging. Each row is valid from its time on; an empty cell means no change. Without it the \
      phone is indoors while it stays for ten minutes or more. The way is foot, road or rail; without it, \
      the speed tells foot from road.
      """),
    completion: .file())
  var environment: String?

  @Option(
    help: .value(
      "file",
      """
      What the user does: CSV time,action with the actions open, leave, interrupt, force-quit, \
      memory-pressure, terminate, restart, sleep, wake, socket-data, exit:STATUS, and all other actions \
      that a scenario may have. Without it the app is opened at the beginning and left a minute later.
      """),
    completion: .file())
  var actions: String?

  @Option(
    help: .value(
      "file",
      """
      A scenario: a text file whose lines say what the phone is, what is wrong with it, which beacons there \
      are, what the app asks for at its launch, and what happens when; see the page Scenarios.
      """),
    completion: .file())
  var scenario: String?

  @Option(
    name: .customLong("with"),
    help: .value(
      "line", "A line of a scenario, such as 'fault lost-additions' or 'at +60 airplane on'; may be repeated."
    ))
  var lines: [String] = []

  @Flag(help: "Wi-Fi is off.")
  var noWifi = false

  @Flag(help: "The phone is in airplane mode.")
  var airplaneMode = false

  @Option(help: "What the user allows; always by default.")
  var authorization: AppCapabilities.Authorization?

  @Flag(help: "The user allows only a coarse position.")
  var reducedAccuracy = false

  @Flag(inversion: .prefixedNo, help: "Whether the app has the location background mode; it has by default.")
  var locationMode: Bool?

  func profile() throws -> DeviceProfile {
    var profile = try DeviceFile.profile(device)
    if let powerProfile { profile = try DeviceFile.applying(powerProfile, to: profile) }
    return profile
  }

  /// The scenario for any track.
  ///
  /// - Parameter reading: How the tracks of other phones are read.
  func plan(reading: ReadingOptions) throws -> ScenarioPlan {
    let given = rules.map { BackgroundRules($0) }
    let script = try ScenarioScript(
      path: scenario, lines: lines, reading: reading, rules: given ?? BackgroundRules(of: profile()))
    try check(script)
    var base = PhoneSurroundings()
    base.hasWiFi = !noWifi
    base.isInAirplaneMode = airplaneMode
    let capabilities = script.capabilities(
      authorization: authorization, isReducedAccuracy: reducedAccuracy, hasLocationMode: locationMode)
    var plan = ScenarioPlan(
      script, base: base, rules: given, capabilities: capabilities, seed: seed)
    plan.environment = try environment.map { try ScenarioFile.environment($0, base: plan.base) }
    plan.actions = try actions.map { try ScenarioFile.actions($0) }
    return plan
  }

  /// What an option says must not be said by the scenario as well.
  private func check(_ script: ScenarioScript) throws {
    let options: [(isGiven: Bool, option: String, names: [String])] = [
      (rules != nil, "--rules", ["rules"]), (authorization != nil, "--authorization", ["authorization"]),
      (reducedAccuracy, "--reduced-accuracy", ["reduced-accuracy"]),
      (locationMode != nil, "--location-mode", ["location-mode"]), (noWifi, "--no-wifi", ["wifi"]),
      (airplaneMode, "--airplane-mode", ["airplane"]),
      (environment != nil, "--environment", SurroundingsSetting.names),
    ]
    for (isGiven, option, names) in options where isGiven {
      for name in names {
        if let place = script.stated[name] {
          throw CommandFailure("\(name) is stated by \(option) already", at: place)
        }
      }
    }
    for entry in script.entries {
      switch entry.step {
      case .surroundings where environment != nil:
        throw CommandFailure("the surroundings are stated by --environment already", at: entry.place)
      case .action where actions != nil:
        throw CommandFailure("the actions are stated by --actions already", at: entry.place)
      case .surroundings, .action: break
      }
    }
  }
}

/// Everything about a simulated phone but its track.
struct ScenarioPlan: Sendable {
  var script: ScenarioScript
  var base: PhoneSurroundings
  /// The phone's surroundings, and whether they say what carries it; nil to infer them from the track.
  var environment: (timeline: SurroundingsTimeline, hasWays: Bool)?
  /// The user's actions; nil for those of the script, or for an app that is opened and left a minute later.
  var actions: [TimedAction]?
  /// nil for those of the phone's profile.
  var rules: BackgroundRules?
  var capabilities: AppCapabilities
  var seed: UInt64

  /// The plan of a phone by its script, and by `base` and `rules` where that says nothing.
  init(
    _ script: ScenarioScript, base: PhoneSurroundings, rules: BackgroundRules?, capabilities: AppCapabilities,
    seed: UInt64
  ) {
    self.script = script
    self.base = base
    self.rules = script.rules ?? rules
    self.capabilities = capabilities
    self.seed = seed
    for setting in script.surroundings { setting.apply(to: &self.base) }
  }

  /// - Parameter start: What the script's times count from: the beginning of the track by default.
  func scenario(_ track: TrueTrack, _ profile: DeviceProfile, from start: Timestamp? = nil) -> Scenario {
    let start = start ?? track.start
    var surroundings = environment?.timeline ?? .inferred(from: track, base: base)
    if let environment, !environment.hasWays { surroundings = surroundings.withWays(of: track) }
    let scripted = script.actions(from: start)
    var rules = rules ?? BackgroundRules(of: profile)
    if let cushion = script.cushion { rules.regionCushion = cushion }
    var scenario = Scenario(
      track: track, surroundings: script.surroundings(over: surroundings, from: start),
      actions: actions ?? (script.movesApp ? scripted : StudyDevice.openedOnce(at: track.start) + scripted),
      beacons: script.beacons, atLaunch: script.atLaunch, profile: profile, rules: rules,
      capabilities: capabilities, hardware: script.hardware, faults: script.faults, seed: seed)
    scenario.whenLeft = script.whenLeft
    scenario.otherAppsRegions = script.otherAppsRegions
    // Other phones of the same kind. Their times count from the beginning of the first phone's track.
    scenario.companions = script.companions.enumerated().map { index, companion in
      let own =
        switch companion.way {
        case .along(let own): own
        case .stands(let place): TrueTrack(at: place, during: track)
        case nil: track
        }
      let plan = ScenarioPlan(
        companion.script, base: PhoneSurroundings(), rules: self.rules,
        capabilities: companion.script.capabilities(), seed: seed &+ UInt64(index + 1))
      return plan.scenario(own, profile, from: start)
    }
    return scenario
  }
}
