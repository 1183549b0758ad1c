import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor
import VicinitySimulation

/// What a line of a scenario has happen at a time.
enum ScenarioStep: Hashable, Sendable {
  case action(UserAction)
  case surroundings(SurroundingsSetting)
}

/// A property of the phone's surroundings and its new value.
enum SurroundingsSetting: Hashable, Sendable {
  /// One of ``flags``, by its name.
  case flag(String, Bool)
  case cells(PhoneSurroundings.CellDensity)
  case way(TravelMode)

  static let flags: [(name: String, path: any WritableKeyPath<PhoneSurroundings, Bool> & Sendable)] = [
    ("indoors", \.isIndoors), ("wifi", \.hasWiFi), ("bluetooth", \.hasBluetooth),
    ("airplane", \.isInAirplaneMode), ("screen", \.isScreenOn), ("charging", \.isCharging),
  ]
  static let names = flags.map(\.name) + ["cells", "way"]

  func apply(to surroundings: inout PhoneSurroundings) {
    switch self {
    case .flag(let name, let isOn):
      for flag in Self.flags where flag.name == name { surroundings[keyPath: flag.path] = isOn }
    case .cells(let cells): surroundings.cells = cells
    case .way(let way): surroundings.way = way
    }
  }
}

/// The verbs of scenarios: what users, settings, surroundings and apps do.
enum ScenarioActions {
  /// What happens at a time.
  static func step(_ words: inout ScenarioWords) throws -> ScenarioStep {
    if let setting = try surroundings(&words) { return .surroundings(setting) }
    if let action = try userAction(&words) { return .action(action) }
    if let request = try request(&words) { return .action(.app(request)) }
    let word = try words.word("what happens")
    let known =
      (userWords.map(\.0) + ["exit", "time-zone", "other-regions"] + settingNames + SurroundingsSetting.names
        + requestNames)
    throw words.fault(
      "no action \"\(word.text)\"; there are \(known.joined(separator: ", "))", at: word.column)
  }

  // MARK: The user

  private static let userWords: [(String, UserAction)] = [
    ("open", .openApp), ("leave", .leaveApp), ("interrupt", .interrupt), ("force-quit", .forceQuit),
    ("memory-pressure", .memoryPressure), ("terminate", .terminate), ("restart", .restart),
    ("sleep", .sleep), ("wake", .wake), ("socket-data", .socketData),
  ]

  static func userAction(_ words: inout ScenarioWords) throws -> UserAction? {
    for (name, action) in userWords where words.take(name) { return action }
    if words.take("exit") {
      return .exit(status: Int32(try words.integer("the status", in: Int(Int32.min)...Int(Int32.max))))
    }
    if words.take("other-regions") { return .otherAppsRegions(try otherRegions(&words)) }
    if words.take("time-zone") {
      return .setTimeZone(
        offset: .seconds(try words.number("the offset from UTC in seconds", in: -86_400...86_400)))
    }
    return try setting(&words).map { .set($0) }
  }

  static func otherRegions(_ words: inout ScenarioWords) throws -> Int {
    try words.integer("the number of other apps' regions", in: 0...1_000_000)
  }

  // MARK: Settings

  static let settingNames = [
    "authorization", "reduced-accuracy", "location-services", "background-refresh", "low-power",
    "notifications",
  ]

  static let authorizations = AppCapabilities.Authorization.allCases.map { ($0.rawValue, $0) }

  static func setting(_ words: inout ScenarioWords) throws -> SettingChange? {
    if words.take("authorization") {
      return .authorization(try words.choice("the authorization", authorizations))
    }
    if words.take("reduced-accuracy") { return .reducedAccuracy(try words.isOn("reduced accuracy")) }
    if words.take("location-services") { return .locationServices(try words.isOn("location services")) }
    if words.take("background-refresh") { return .backgroundRefresh(try words.isOn("background refresh")) }
    if words.take("low-power") { return .lowPower(try words.isOn("low power mode")) }
    if words.take("notifications") { return .notifications(try words.isOn("notifications")) }
    return nil
  }

  // MARK: Surroundings

  static func surroundings(_ words: inout ScenarioWords) throws -> SurroundingsSetting? {
    for (name, _) in SurroundingsSetting.flags where words.take(name) {
      return .flag(name, try words.isOn(name))
    }
    if words.take("cells") {
      return .cells(
        try words.choice("cells", PhoneSurroundings.CellDensity.allCases.map { ($0.rawValue, $0) }))
    }
    if words.take("way") {
      return .way(try words.choice("the way", TravelMode.allCases.map { ($0.rawValue, $0) }))
    }
    return nil
  }

  // MARK: The app

  static let requestNames = [
    "heading", "keep-alive", "updates", "live-updates", "defer", "locate", "significant-changes", "visits",
    "monitor",
    "unmonitor", "background-activity", "service-session",
    "state", "range", "advertise", "notify", "unnotify", "badge", "socket", "work", "block",
  ]

  private static let activities = LocationSettings.Activity.allCases.map { ($0.rawValue, $0) }
  private static let accuracies = DesiredAccuracy.allCases.map { ($0.rawValue, $0) }

  static func request(_ words: inout ScenarioWords) throws -> AppRequest? {
    if words.take("heading") {
      if words.take("off") { return .stopHeading }
      return .startHeading(filter: words.isAtEnd ? 1 : try words.number("the filter in degrees", in: 0...360))
    }
    if words.take("keep-alive") {
      if words.take("off") { return .stopKeepAlive }
      return .keepAlive(
        interval: try words.seconds("the interval in seconds", least: 1),
        working: words.take("working") ? try words.seconds("the handler's work in seconds") : .zero)
    }
    if words.take("updates") { return words.take("off") ? .stopUpdates : .startUpdates(try settings(&words)) }
    if words.take("live-updates") {
      if words.take("off") { return .stopLiveUpdates }
      return .startLiveUpdates(words.isAtEnd ? .other : try words.choice("the activity", activities))
    }
    if words.take("defer") {
      if words.take("off") { return .stopDeferring }
      let distance =
        words.take("any") ? Meters.infinity : try words.number("the distance in metres", in: 0...1e8)
      return .deferUpdates(
        distance: distance, timeout: words.take("any") ? nil : try words.seconds("the time in seconds"))
    }
    if words.take("locate") { return .locate(try words.choice("the accuracy", accuracies)) }
    if words.take("significant-changes") {
      return words.take("off") ? .stopSignificantChanges : .startSignificantChanges
    }
    if words.take("background-activity") {
      return words.take("off") ? .endBackgroundActivity : .beginBackgroundActivity
    }
    if words.take("service-session") { return words.take("off") ? .endServiceSession : .beginServiceSession }
    if words.take("visits") { return words.take("off") ? .stopVisits : .startVisits }
    if words.take("monitor") { return .monitor(try region(&words)) }
    if words.take("unmonitor") { return .stopMonitoring(identifier: try words.word("the region").text) }
    if words.take("state") { return .requestState(identifier: try words.word("the region").text) }
    if words.take("range") {
      let identity = try words.beacon("the beacons").identity
      return words.take("off") ? .stopRanging(identity) : .range(identity)
    }
    if words.take("advertise") {
      if words.take("off") { return .stopAdvertising }
      let identity = try words.beacon("the beacon").identity
      let power = words.take("power") ? try words.integer("the power in dBm", in: -128...127) : nil
      return .advertise(identity, measuredPower: power)
    }
    if words.take("notify") { return .notify(try notification(&words)) }
    if words.take("unnotify") {
      return .cancelNotification(identifier: try words.word("the notification").text)
    }
    if words.take("badge") { return .setBadge(try words.integer("the badge", in: 0...1_000_000)) }
    if words.take("socket") {
      return words.take("off") ? .disconnectSocket : .connectSocket(wakesApp: words.take("voip"))
    }
    if words.take("block") {
      let time = try words.seconds("the time in seconds")
      if words.take("until-expiry") { return .blockWatching(time) }
      return .block(time, underTask: words.take("under-task"))
    }
    if words.take("work") { return .work(try words.seconds("the time in seconds")) }
    return nil
  }

  private static func settings(_ words: inout ScenarioWords) throws -> LocationSettings {
    var settings = LocationSettings(
      desiredAccuracy: try words.choice("the accuracy", accuracies), pausesAutomatically: false)
    while !words.isAtEnd {
      if words.take("filter") {
        settings.distanceFilter = try words.number("the filter in metres", in: 0...1e8)
      } else if words.take("for") {
        settings.activity = try words.choice("the activity", activities)
      } else if words.take("pauses") {
        settings.pausesAutomatically = true
      } else if words.take("background") {
        settings.allowsBackgroundUpdates = true
      } else if words.take("shown") {
        settings.showsIndicator = true
      } else {
        break
      }
    }
    return settings
  }

  private static func region(_ words: inout ScenarioWords) throws -> MonitoredRegion {
    let identifier = try words.word("the region's identifier").text
    if words.take("beacon") {
      var region = MonitoredRegion(identifier: identifier, beacon: try words.beacon("the beacons").identity)
      try wishes(&words, of: &region)
      return region
    }
    guard words.take("circle") else { throw words.fault("neither beacon nor circle") }
    var region = MonitoredRegion(
      identifier: identifier, center: try words.coordinate("the centre"),
      radius: try words.number("the radius in metres", in: 0...2.1e7))
    try wishes(&words, of: &region)
    return region
  }

  private static func wishes(_ words: inout ScenarioWords, of region: inout MonitoredRegion) throws {
    while !words.isAtEnd {
      let column = words.column
      if words.take("no-entries") {
        region.notifyOnEntry = false
      } else if words.take("no-exits") {
        region.notifyOnExit = false
      } else if words.take("on-display") {
        guard case .beacon = region.area else {
          throw words.fault(
            "only the state of a beacon region is told when the display is turned on", at: column)
        }
        region.notifyEntryStateOnDisplay = true
      } else {
        break
      }
    }
  }

  private static func notification(_ words: inout ScenarioWords) throws -> NotificationRequest {
    let identifier = try words.word("the notification's identifier").text
    var request = NotificationRequest(identifier: identifier, title: identifier)
    let column = words.column
    if words.take("now") {
      request.trigger = .now
    } else if words.take("after") {
      request.trigger = .timeInterval(try words.seconds("the seconds", least: 0.001))
    } else if words.take("entering") {
      request.trigger = .region(try words.word("the region").text, onEntry: true, onExit: false)
    } else if words.take("leaving") {
      request.trigger = .region(try words.word("the region").text, onEntry: false, onExit: true)
    } else if words.take("crossing") {
      request.trigger = .region(try words.word("the region").text, onEntry: true, onExit: true)
    } else if words.take("at") {
      guard case .at(let time) = try words.time("the time") else {
        throw words.fault("a notification's time has no +; say after SECONDS", at: column)
      }
      request.trigger = .date(time)
    } else {
      throw words.fault("neither now, after, at, entering, leaving nor crossing")
    }
    while !words.isAtEnd {
      let column = words.column
      if words.take("repeats") {
        switch request.trigger {
        case .timeInterval(let interval, _):
          guard interval >= NotificationScheduler.shortestRepeat else {
            throw words.fault("repeating more often than every 60 s is not possible", at: column)
          }
          request.trigger = .timeInterval(interval, repeats: true)
        case .region(let region, let onEntry, let onExit, _):
          request.trigger = .region(region, onEntry: onEntry, onExit: onExit, repeats: true)
        case .now, .date: throw words.fault("what comes at a time repeats every SECONDS", at: column)
        }
      } else if words.take("every") {
        let interval = try words.seconds(
          "the seconds", least: NotificationScheduler.shortestRepeat / .seconds(1))
        guard case .date(let date, _) = request.trigger else {
          throw words.fault("only what comes at a time repeats every SECONDS", at: column)
        }
        request.trigger = .date(date, every: interval)
      } else if words.take("title") {
        request.title = try words.word("the title").text
      } else if words.take("body") {
        request.body = try words.word("the body").text
      } else if words.take("sound") {
        request.sound = try words.word("the sound").text
      } else if words.take("badge") {
        request.badge = try words.integer("the badge", in: 0...1_000_000)
      } else if words.take("wall") {
        guard case .date = request.trigger else {
          throw words.fault("only a time can be one on the wall", at: column)
        }
        request.followsTimeZone = true
      } else {
        break
      }
    }
    return request
  }
}
