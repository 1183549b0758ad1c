import Foundation
import Testing
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityMonitor
import VicinitySimulation

@testable import VicinityCLI

/// A scenario can say all that the simulator can do: the simulator's requests, actions, settings and
/// properties, taken from its source and its types, each with a line that reaches it.
@Suite struct ScenarioCoverTests {
  private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

  /// A line for each case of `AppRequest`.
  private static let requests = [
    "heading 20", "heading off", "keep-alive 600 working 31", "keep-alive off",
    "updates best filter 10 pauses background shown for fitness", "updates off", "live-updates fitness",
    "live-updates off", "defer 100 60", "defer off", "locate best", "background-activity",
    "background-activity off", "service-session", "service-session off", "significant-changes",
    "significant-changes off", "visits", "visits off",
    "monitor a beacon \(uuid) no-entries no-exits on-display",
    "unmonitor a", "state a", "range \(uuid)", "range \(uuid) off", "advertise \(uuid)", "advertise off",
    "notify a after 60 repeats title t body b sound s badge 1", "notify a at 1000 every 60 wall",
    "notify a now", "notify a crossing r", "unnotify a", "badge 3", "socket voip", "socket off", "work 5",
    "block 5 under-task", "block 5 until-expiry",
  ]

  /// The functions of `SimulatedPhone` that an app calls, and the request that reaches each; nil where a
  /// function asks nothing of the phone that anybody could see but the app itself.
  private static let functions: [String: String?] = [
    "allowDeferredLocationUpdates": "deferUpdates", "disallowDeferredLocationUpdates": "stopDeferring",
    "startRangingBeacons": "range", "stopRangingBeacons": "stopRanging", "startAdvertising": "advertise",
    "stopAdvertising": "stopAdvertising", "startMonitoring": "monitor", "stopMonitoring": "stopMonitoring",
    "requestState": "requestState", "requestLocation": "locate",
    "startMonitoringSignificantLocationChanges": "startSignificantChanges",
    "stopMonitoringSignificantLocationChanges": "stopSignificantChanges",
    "startUpdatingLocation": "startUpdates", "stopUpdatingLocation": "stopUpdates",
    "startUpdatingHeading": "startHeading", "stopUpdatingHeading": "stopHeading",
    "startLiveUpdates": "startLiveUpdates", "stopLiveUpdates": "stopLiveUpdates",
    "startMonitoringVisits": "startVisits", "stopMonitoringVisits": "stopVisits", "work": "block",
    "workConcurrently": "work", "beginBackgroundTask": "work", "endBackgroundTask": "work",
    "beginBackgroundActivity": "beginBackgroundActivity", "endBackgroundActivity": "endBackgroundActivity",
    "beginServiceSession": "beginServiceSession", "endServiceSession": "endServiceSession",
    "schedule": "notify", "notify": "notify", "cancelNotifications": "cancelNotification",
    "setKeepAliveHandler": "keepAlive", "clearKeepAliveHandler": "stopKeepAlive",
    "connectSocket": "connectSocket", "disconnectSocket": "disconnectSocket",
    // A timer does what its app does then; the rest are questions, and the app's own records.
    "setTimer": nil, "cancelTimer": nil, "isMonitoringAvailable": nil, "lastReport": nil, "report": nil,
    "show": nil, "lose": nil,
  ]

  /// A line for each case of `UserAction` but the app's requests.
  private static let actions = [
    "open", "leave", "interrupt", "force-quit", "memory-pressure", "terminate", "exit 1", "restart", "sleep",
    "wake", "socket-data", "time-zone 3600", "other-regions 5", "authorization denied", "work 5",
  ]

  private static let settings = [
    "authorization denied", "reduced-accuracy on", "location-services off", "background-refresh off",
    "low-power on", "notifications off",
  ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The lines of all files of the simulator, file after file.
  private static func sources() throws -> [Substring] {
    let folder = root.appending(path: "Sources/VicinitySimulation")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let swift = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    #expect(swift.count > 40)
    return try swift.sorted { $0.path < $1.path }.flatMap {
      try String(contentsOf: $0, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }
  }

  /// The public functions in extensions of `SimulatedPhone`.
  static func functionNames(in lines: [Substring]) -> Set<String> {
    var names: Set<String> = []
    var isPhone = false
    for line in lines {
      if let first = line.first, first.isLetter { isPhone = line.hasPrefix("extension SimulatedPhone") }
      guard isPhone, let match = line.firstMatch(of: /^  public func (\w+)/) else { continue }
      names.insert(String(match.1))
    }
    return names
  }

  /// The cases of an enumeration.
  static func caseNames(of type: String, in lines: [Substring]) -> Set<String> {
    var names: Set<String> = []
    var isType = false
    for line in lines {
      if let first = line.first, first.isLetter { isType = line.hasPrefix("public enum \(type):") }
      if isType, let match = line.firstMatch(of: /^  case (\w+)/) { names.insert(String(match.1)) }
    }
    return names
  }

  private static func label(_ value: Any) -> String {
    Mirror(reflecting: value).children.first?.label ?? "\(value)"
  }

  private static func step(_ line: String) throws -> ScenarioStep {
    var words = try ScenarioWords(line, place: "line")
    let step = try ScenarioActions.step(&words)
    try words.finish()
    return step
  }

  private static func request(_ line: String) throws -> AppRequest {
    guard case .action(.app(let request)) = try step(line) else { throw Missing(what: line) }
    return request
  }

  private struct Missing: Error { var what: String }

  private static func script(_ lines: [String], _ rules: BackgroundRules = .iOS26) throws -> ScenarioScript {
    try ScenarioScript(path: nil, lines: lines, reading: ReadingOptions(), rules: rules)
  }

  @Test("Every request of the simulator has a line, and every function that an app calls has a request")
  func allOfIt() throws {
    let sources = try Self.sources()
    let reached = Set(try Self.requests.map { Self.label(try Self.request($0)) })
    #expect(reached == Self.caseNames(of: "AppRequest", in: sources))
    let known = Self.functionNames(in: sources)
    #expect(known.count > 30)
    for name in known {
      guard let request = Self.functions[name] else {
        Issue.record("no line of a scenario reaches \(name)")
        continue
      }
      if let request { #expect(reached.contains(request), "\(name)") }
    }
    #expect(Set(Self.functions.keys).isSubset(of: known))
    let actions = Set(
      try Self.actions.map { line -> String in
        guard case .action(let action) = try Self.step(line) else { throw Missing(what: line) }
        return Self.label(action)
      })
    #expect(actions == Self.caseNames(of: "UserAction", in: sources))
    let settings = Set(
      try Self.settings.map { line -> String in
        guard case .action(.set(let setting)) = try Self.step(line) else { throw Missing(what: line) }
        return Self.label(setting)
      })
    #expect(settings == Self.caseNames(of: "SettingChange", in: sources))
  }

  @Test("The check finds a function, a case and a property that no line reaches")
  func theCheckCanFail() {
    let lines = """
      extension SimulatedPhone {
        public func startSinging(_ song: String) {}
        func inside() {}
      }
      extension Other {
        public func elsewhere() {}
      }
      public enum AppRequest: Hashable, Sendable {
        case sing(String)
      }
      public enum Other: Hashable {
        case no
      }
      """.split(separator: "\n")
    #expect(Self.functionNames(in: lines) == ["startSinging"])
    #expect(Self.caseNames(of: "AppRequest", in: lines) == ["sing"])
    struct Two { var (a, b) = (1, 2) }
    #expect(Self.untouched(Two(), [Two(a: 5, b: 2)]) == ["b"])
  }

  /// The properties that are the same in all changed values as in a first one.
  static func untouched<Value>(_ value: Value, _ changed: [Value]) -> [String] {
    let before = Mirror(reflecting: value).children
    return before.compactMap { property in
      let isChanged = changed.contains { other in
        Mirror(reflecting: other).children.contains {
          $0.label == property.label && "\($0.value)" != "\(property.value)"
        }
      }
      return isChanged ? nil : property.label
    }
  }

  @Test("Every property of the phone, the app, its surroundings and its requests has a word")
  func properties() throws {
    // The hardware.
    let hardware = try [
      "no-regions", "no-bluetooth", "no-compass", "no-modem", "no-satellites", "no-multitasking",
    ].map { try Self.script(["hardware \($0)"]).hardware }
    #expect(Self.untouched(PhoneHardware(), hardware) == [])
    // The app and its settings.
    let app = try [
      "authorization denied", "reduced-accuracy on", "location-services off", "background-refresh off",
      "low-power on", "notifications off", "location-mode off", "explicit-sessions on", "kept-alive on",
      "resign-active on",
    ].map { try Self.script([$0]).capabilities() }
    #expect(Self.untouched(AppCapabilities(), app) == [])
    // The surroundings; whether a place is the measured one is for calibration alone.
    let lines = [
      "indoors on", "wifi off", "bluetooth off", "airplane on", "screen on", "charging on", "cells rural",
      "way foot",
    ]
    let surroundings = try lines.map { line -> PhoneSurroundings in
      var surroundings = PhoneSurroundings()
      for setting in try Self.script([line]).surroundings { setting.apply(to: &surroundings) }
      return surroundings
    }
    #expect(Set(Self.untouched(PhoneSurroundings(), surroundings)).isSubset(of: ["isAtMeasuredSite"]))
    // Faults and eras, by their names.
    for fault in PhoneFault.allCases {
      #expect(try Self.script(["fault \(fault.rawValue)"]).faults == [fault])
    }
    for era in DeviceProfile.Era.allCases {
      #expect(try Self.script(["rules \(era.rawValue)"]).rules == BackgroundRules(era))
    }
    // Requests with parts.
    guard case .monitor(let region) = try Self.request(Self.requests[19]),
      case .startUpdates(let updates) = try Self.request(Self.requests[4]),
      case .notify(let notification) = try Self.request(Self.requests[26]),
      case .notify(let daily) = try Self.request(Self.requests[27])
    else { throw Missing(what: "requests") }
    let plain = MonitoredRegion(
      identifier: "", center: Coordinate(latitude: 0, longitude: 0), radius: 1)
    #expect(Self.untouched(plain, [region]) == [])
    #expect(
      Self.untouched(LocationSettings(desiredAccuracy: .kilometer, pausesAutomatically: false), [updates])
        == [])
    #expect(
      Self.untouched(NotificationRequest(identifier: "", title: ""), [notification, daily]) == [])
  }

  @Test("Every part of a scenario is a line's or an option's, and reaches the simulator")
  func parts() throws {
    let script = try Self.script([
      "cushion 150", "other-regions 7", "beacon \(Self.uuid) at 0,0", "launch visits", "leaving work 5",
      "phone friend stands 0,0", "fault no-relaunch", "hardware no-compass", "rules ios7",
      "authorization denied", "airplane on", "at +1 open",
    ])
    let track = try TrueTrack([
      Fix(time: Timestamp(microseconds: 0), coordinate: Coordinate(latitude: 1, longitude: 1))
    ])
    let plan = ScenarioPlan(
      script, base: PhoneSurroundings(), rules: nil, capabilities: script.capabilities(), seed: 9)
    let scenario = plan.scenario(track, try .named("iphone-6"))
    let other = Scenario(
      track: try TrueTrack([
        Fix(time: Timestamp(microseconds: 5), coordinate: Coordinate(latitude: 0, longitude: 0))
      ]),
      profile: try .named("modern-phone"))
    #expect(Self.untouched(other, [scenario]) == [])
    #expect(scenario.rules.regionCushion == 150 && scenario.otherAppsRegions == 7)
    #expect(scenario.whenLeft == [.work(.seconds(5))] && scenario.atLaunch == [.startVisits])
    // A cushion needs no rules of its own.
    let cushion = try Self.script(["cushion 150"])
    let alone = ScenarioPlan(
      cushion, base: PhoneSurroundings(), rules: nil, capabilities: cushion.capabilities(), seed: 9)
    #expect(alone.scenario(track, try .named("iphone-6")).rules.name == "ios13")
    #expect(alone.scenario(track, try .named("iphone-6")).rules.regionCushion == 150)
  }
}
