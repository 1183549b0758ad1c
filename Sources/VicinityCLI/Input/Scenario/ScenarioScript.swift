import Foundation
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityMonitor
import VicinityRuns
import VicinitySimulation

/// A scenario as text: lines of words.
///
///     # Everything after a number sign is a comment.
///     rules ios7
///     authorization whenInUse
///     hardware no-compass
///     fault lost-additions
///     airplane on
///     beacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/7 at 46.2,6.15 power -59 range 30
///     launch keep-alive 600
///     at +60 leave
///     at 2020-09-13T13:26:40Z background-refresh off
///
/// A line that is unknown, or contradicts another, is an error with its line and column. See the page
/// Scenarios of VicinitySimulation.
struct ScenarioScript: Sendable {
  struct Entry: Sendable {
    var time: ScenarioTime
    var step: ScenarioStep
    var place: String
  }

  /// Another phone that runs at the same time.
  struct Companion: Sendable {
    enum Way: Sendable {
      case along(TrueTrack)
      case stands(Coordinate)
    }

    var name: String
    var way: Way?
    var script = ScenarioScript()
    /// Where it is first named.
    var place: String
  }

  var rules: BackgroundRules?
  var capabilities: [SettingChange] = []
  var hasLocationMode: Bool?
  var requiresServiceSession: Bool?
  var isKeptAlive: Bool?
  var isToldOfDeactivation: Bool?
  /// The cushion of regions, in place of the era's and the phone's, metres.
  var cushion: Meters?
  var otherAppsRegions = 0
  var hardware = PhoneHardware()
  var faults: Set<PhoneFault> = []
  var beacons: [PlacedBeacon] = []
  /// The surroundings from the beginning.
  var surroundings: [SurroundingsSetting] = []
  var atLaunch: [AppRequest] = []
  var whenLeft: [AppRequest] = []
  /// All of these, and where each stands.
  private var requests: [(request: AppRequest, place: String)] = []
  var entries: [Entry] = []
  /// In the order in which they are first named.
  var companions: [Companion] = []
  private(set) var stated: [String: String] = [:]

  private init() {}

  /// The script in a file and in lines of the command line, which come after it.
  ///
  /// - Parameters:
  ///   - reading: How the tracks of other phones are read.
  ///   - rules: Those of the phone where the script states none.
  init(
    path: String?, lines: [String], reading: ReadingOptions, rules: BackgroundRules = .iOS13
  ) throws {
    if let path {
      let text: String
      do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
        throw CommandFailure("cannot read the scenario: \(error.localizedDescription)", at: path)
      }
      for (index, line) in CSVScanner.lines(of: text).enumerated() {
        var words = try ScenarioWords(line, place: "\(path):\(index + 1)")
        try read(&words, in: (path as NSString).deletingLastPathComponent, reading)
      }
    }
    for (index, line) in lines.enumerated() {
      var words = try ScenarioWords(line, place: "--with:\(index + 1)")
      try read(&words, in: "", reading)
    }
    try check(rules)
  }

  private static let rulesByName = DeviceProfile.Era.allCases.map { ($0.rawValue, BackgroundRules($0)) }

  private static var hardwareNames: [(String, WritableKeyPath<PhoneHardware, Bool>)] {
    [
      ("no-regions", \.monitorsRegions), ("no-bluetooth", \.hasBluetoothLE), ("no-compass", \.hasCompass),
      ("no-modem", \.hasModem), ("no-satellites", \.hasSatellites),
      ("no-multitasking", \.supportsMultitasking),
    ]
  }

  private static let names =
    [
      "rules", "location-mode", "explicit-sessions", "kept-alive", "resign-active", "cushion",
      "other-regions",
      "hardware", "fault", "beacon", "phone", "launch", "leaving", "at",
    ]
    + ScenarioActions.settingNames + SurroundingsSetting.names

  /// Reads a line, or the part of one that is about another phone.
  ///
  /// - Parameters:
  ///   - folder: What the paths of tracks are relative to.
  ///   - reading: How tracks are read; nil in the part about another phone, which has no phones beside it.
  private mutating func read(
    _ words: inout ScenarioWords, in folder: String, _ reading: ReadingOptions?
  ) throws {
    guard !words.isAtEnd else { return }
    let column = words.column
    if words.take("phone") {
      guard let reading else {
        throw words.fault("a phone beside another has none beside itself", at: column)
      }
      try readCompanion(&words, in: folder, reading)
    } else if words.take("at") {
      let time = try words.time("the time")
      let step = try ScenarioActions.step(&words)
      entries.append(Entry(time: time, step: step, place: "\(words.place):\(column)"))
    } else if words.take("launch") {
      atLaunch.append(try request(&words, at: column, "launched"))
    } else if words.take("leaving") {
      whenLeft.append(try request(&words, at: column, "left"))
    } else if words.take("beacon") {
      beacons.append(try beacon(&words))
    } else if words.take("hardware") {
      let start = words.column
      let property = try words.choice("the hardware", Self.hardwareNames)
      guard hardware[keyPath: property] else { throw words.fault("stated twice", at: start) }
      hardware[keyPath: property] = false
    } else if words.take("fault") {
      let start = words.column
      let fault = try words.choice("the fault", PhoneFault.allCases.map { ($0.rawValue, $0) })
      guard faults.insert(fault).inserted else { throw words.fault("stated twice", at: start) }
    } else {
      try readSetting(&words, at: column)
    }
    try words.finish()
  }

  /// What the app asks for at its launch, or when it is left.
  private mutating func request(
    _ words: inout ScenarioWords, at column: Int, _ moment: String
  ) throws -> AppRequest {
    let start = words.column
    guard let request = try ScenarioActions.request(&words) else {
      let word = try words.word("what the app asks for")
      let known = ScenarioActions.requestNames.joined(separator: ", ")
      throw words.fault(
        "an app cannot ask for \"\(word.text)\" when it is \(moment); it can for \(known)", at: start)
    }
    requests.append((request, "\(words.place):\(column)"))
    return request
  }

  /// What a line says of another phone, behind the word "phone".
  private mutating func readCompanion(
    _ words: inout ScenarioWords, in folder: String, _ reading: ReadingOptions
  ) throws {
    let name = try words.word("the name of the phone")
    let known = companions.firstIndex { $0.name == name.text }
    var companion =
      known.map { companions[$0] } ?? Companion(name: name.text, place: "\(words.place):\(name.column)")
    let start = words.column
    if words.take("along") {
      let file = try words.word("the file of its track")
      let path = folder.isEmpty || file.text.hasPrefix("/") ? file.text : folder + "/" + file.text
      let device = words.take("of") ? try words.word("the device in its track's file").text : nil
      guard companion.way == nil else { throw words.fault("where the phone is, is stated twice", at: start) }
      do {
        companion.way = .along(try SingleTrack.read(path, device: device, options: reading))
      } catch {
        throw words.fault("the track of the phone: \(error)", at: file.column)
      }
    } else if words.take("stands") {
      guard companion.way == nil else { throw words.fault("where the phone is, is stated twice", at: start) }
      companion.way = .stands(try words.coordinate("the place"))
    } else {
      guard !words.isAtEnd else { throw words.fault("what there is to say of the phone is missing") }
      try companion.script.read(&words, in: folder, nil)
    }
    if let known { companions[known] = companion } else { companions.append(companion) }
  }

  private mutating func readSetting(_ words: inout ScenarioWords, at column: Int) throws {
    var name = ""
    if words.take("rules") {
      name = "rules"
      rules = try words.choice("the rules", Self.rulesByName)
    } else if words.take("location-mode") {
      name = "location-mode"
      hasLocationMode = try words.isOn("the location mode")
    } else if words.take("explicit-sessions") {
      name = "explicit-sessions"
      requiresServiceSession = try words.isOn("explicit sessions")
    } else if words.take("kept-alive") {
      name = "kept-alive"
      isKeptAlive = try words.isOn("kept alive")
    } else if words.take("resign-active") {
      name = "resign-active"
      isToldOfDeactivation = try words.isOn("being told of it")
    } else if words.take("cushion") {
      name = "cushion"
      cushion = try words.number("the cushion in metres", in: 0...10_000)
    } else if words.take("other-regions") {
      name = "other-regions"
      otherAppsRegions = try ScenarioActions.otherRegions(&words)
    } else {
      var copy = words
      let word = try copy.word("a setting")
      name = word.text
      if let setting = try ScenarioActions.setting(&words) {
        capabilities.append(setting)
      } else if let setting = try ScenarioActions.surroundings(&words) {
        surroundings.append(setting)
      } else {
        throw words.fault(
          "\"\(word.text)\" is no line of a scenario; there are \(Self.names.joined(separator: ", "))",
          at: word.column)
      }
    }
    if let other = stated[name] { throw words.fault("\(name) is stated at \(other) already", at: column) }
    stated[name] = "\(words.place):\(column)"
  }

  private func beacon(_ words: inout ScenarioWords) throws -> PlacedBeacon {
    let identity = try words.beacon("the beacon").identity
    guard words.take("at") else { throw words.fault("where the beacon is: at LATITUDE,LONGITUDE") }
    var beacon = PlacedBeacon(identity: identity, coordinate: try words.coordinate("the place"))
    if words.take("power") { beacon.measuredPower = try words.integer("the power in dBm", in: -128...127) }
    if words.take("range") { beacon.range = try words.number("the range in metres", in: 0...1000) }
    return beacon
  }

  // MARK: Contradictions

  /// - Parameter others: The rules where the script states none.
  private func check(_ others: BackgroundRules) throws {
    let rules = rules ?? others
    for companion in companions {
      guard companion.way != nil else {
        throw CommandFailure(
          "where the phone \(companion.name) is, is not stated: phone \(companion.name) along FILE, or stands LATITUDE,LONGITUDE",
          at: companion.place)
      }
      try companion.script.check(rules)
    }
    for entry in entries {
      guard case .action(let action) = entry.step else { continue }
      switch action {
      case .sleep, .wake:
        guard rules.platform == .macOS else {
          throw CommandFailure("only a computer sleeps and wakes: that needs rules macos", at: entry.place)
        }
      case .set(.backgroundRefresh): try checkRefresh(rules, entry.place)
      case .set(.lowPower): try checkLowPower(rules, entry.place)
      case .app(let request): try check(request, rules, entry.place)
      default: break
      }
    }
    for (request, place) in requests { try check(request, rules, place) }
    if let place = stated["explicit-sessions"], !rules.hasServiceSessions {
      throw CommandFailure("rules \(rules.name) know no service sessions", at: place)
    }
    if let place = stated["background-refresh"] { try checkRefresh(rules, place) }
    if let place = stated["low-power"] { try checkLowPower(rules, place) }
    try checkInstants()
  }

  /// Whether the era has what an app asks for.
  private func check(_ request: AppRequest, _ rules: BackgroundRules, _ place: String) throws {
    var asksForBeacons = false
    if case .monitor(let region) = request, case .beacon = region.area { asksForBeacons = true }
    let (isKnown, what): (Bool, String) =
      switch request {
      case .range, .advertise: (rules.hasBeacons, "beacons")
      case .monitor where asksForBeacons: (rules.hasBeacons, "beacons")
      case .deferUpdates: (rules.hasDeferredUpdates, "deferred updates")
      case .startSignificantChanges: (rules.hasSignificantChanges, "significant changes")
      case .startLiveUpdates: (rules.hasLiveUpdates, "live updates")
      case .beginServiceSession: (rules.hasServiceSessions, "service sessions")
      default: (true, "")
      }
    guard isKnown else { throw CommandFailure("rules \(rules.name) know no \(what)", at: place) }
  }

  private func checkRefresh(_ rules: BackgroundRules, _ place: String) throws {
    guard rules.needsBackgroundRefresh else {
      throw CommandFailure("rules \(rules.name) know no background refresh", at: place)
    }
  }

  /// Phones have it since iOS 9.
  private func checkLowPower(_ rules: BackgroundRules, _ place: String) throws {
    guard rules.hasLowPowerMode else {
      throw CommandFailure("rules \(rules.name) know no low power mode", at: place)
    }
  }

  /// At one instant the app cannot be opened and left, nor a setting be given two values.
  private func checkInstants() throws {
    var seen: [String: String] = [:]
    for entry in entries {
      guard let subject = Self.subject(of: entry.step) else { continue }
      let key = "\(entry.time) \(subject)"
      if let other = seen[key] {
        throw CommandFailure("contradicts what happens at the same time at \(other)", at: entry.place)
      }
      seen[key] = entry.place
    }
  }

  /// What a step decides; two steps that decide the same at one instant contradict each other.
  private static func subject(of step: ScenarioStep) -> String? {
    switch step {
    case .action(.openApp), .action(.leaveApp), .action(.interrupt): "front"
    case .action(.sleep), .action(.wake): "sleep"
    case .action(.set(let setting)):
      String("\(setting)".split(separator: " ").dropLast().joined(separator: " "))
    case .action(.setTimeZone): "time zone"
    case .surroundings(.flag(let name, _)): name
    case .surroundings(.cells): "cells"
    case .surroundings(.way): "way"
    default: nil
    }
  }

  // MARK: Use

  /// How the app is declared and what its user allows, where options do not say it.
  func capabilities(
    authorization: AppCapabilities.Authorization? = nil, isReducedAccuracy: Bool = false,
    hasLocationMode: Bool? = nil
  ) -> AppCapabilities {
    var result = AppCapabilities(
      authorization: authorization ?? .always, isReducedAccuracy: isReducedAccuracy,
      hasLocationMode: self.hasLocationMode ?? hasLocationMode ?? true,
      requiresServiceSession: requiresServiceSession ?? false, isKeptAlive: isKeptAlive ?? false,
      isToldOfDeactivation: isToldOfDeactivation ?? false)
    for setting in capabilities { setting.apply(to: &result) }
    return result
  }

  /// The surroundings over time, on top of those of the track.
  func surroundings(over timeline: SurroundingsTimeline, from start: Timestamp) -> SurroundingsTimeline {
    let changes = entries.compactMap { entry -> (time: Timestamp, setting: SurroundingsSetting)? in
      guard case .surroundings(let setting) = entry.step else { return nil }
      return (entry.time.timestamp(from: start), setting)
    }
    guard !changes.isEmpty else { return timeline }
    var result: [SurroundingsTimeline.Change] = []
    let times = Set(changes.map(\.time) + timeline.changes.map(\.time)).sorted()
    for time in times {
      var surroundings = timeline.changes.last { $0.time <= time }?.surroundings ?? timeline.initial
      for change in changes where change.time <= time { change.setting.apply(to: &surroundings) }
      result.append(.init(time: time, surroundings: surroundings))
    }
    return SurroundingsTimeline(timeline.initial, changes: result)
  }

  /// What the user, the system and the app do, from the beginning of a track on.
  func actions(from start: Timestamp) -> [TimedAction] {
    entries.compactMap { entry -> TimedAction? in
      guard case .action(let action) = entry.step else { return nil }
      return TimedAction(time: entry.time.timestamp(from: start), action)
    }
  }

  /// Whether the script says when the app is in front or ends. Otherwise it is left a minute after its
  /// beginning.
  var movesApp: Bool {
    entries.contains { entry in
      switch entry.step {
      case .action(.openApp), .action(.leaveApp), .action(.interrupt), .action(.forceQuit),
        .action(.terminate),
        .action(.exit), .action(.restart), .action(.memoryPressure):
        true
      case .action, .surroundings: false
      }
    }
  }

  /// What happens before or after a track would never be seen.
  func check(_ track: TrueTrack) throws {
    for entry in entries {
      let time = entry.time.timestamp(from: track.start)
      guard time >= track.start, time <= track.end else {
        throw CommandFailure(
          "\(time) is not within the track, \(track.start) to \(track.end)", at: entry.place)
      }
    }
    for companion in companions {
      if case .along(let other) = companion.way, other.end <= track.start || other.start >= track.end {
        throw CommandFailure(
          "the track of the phone \(companion.name), \(other.start) to \(other.end), and the phone's own, \(track.start) to \(track.end), have no time in common",
          at: companion.place)
      }
      // Its own times count from the beginning of the phone's track, too.
      try companion.script.check(track)
    }
  }
}
