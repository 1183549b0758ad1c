internal import VicinityCrossings
public import VicinityMonitor

/// The sessions by which an app says that it wants location: `CLBackgroundActivitySession`, since iOS 17, and
/// `CLServiceSession`, since iOS 18.
///
/// The rules are those of `CLBackgroundActivitySession.h` in the SDK of iOS 17; engineers of Apple's say the
/// same of both kinds (Apple Developer Forums, threads 767865 and 797319):
///
/// - A session can be begun at any time. It comes into force only while the app is in front.
/// - One in force stays so in the background, and when the process ends.
/// - The next process goes on with it if it begins one at once, in the background too; otherwise the session
///   ends. "Within a few seconds" is ``BackgroundRules/sessionResumeTime``.
/// - A session that is begun in the background and goes on with none is refused, as `insufficientlyInUse`.
///   That one which is still held comes into force when the app comes to the front is what the header allows,
///   and assumed.
/// - It ends when the app says so, and not when the app lets go of the object: what WWDC23 10180 says of that
///   is not so (thread 767929).
/// - A restart of the phone ends it (assumed). How its process ends makes no difference (the header: "even if
///   the app stops running").
struct Sessions: Hashable {
  struct Session: Hashable {
    /// Whether this process has begun one, and has not ended it.
    var isHeld = false
    /// Whether one is in force, of this process or carried over from the last.
    var isInForce = false
  }

  var activity = Session()
  var service = Session()

  /// What an app is told of a session that it holds.
  static func diagnostics(of session: Session) -> Diagnostics? {
    session.isHeld && !session.isInForce ? .insufficientlyInUse : nil
  }
}

// MARK: What apps ask

extension SimulatedPhone {
  public var backgroundUpdates: BackgroundUpdateRules { scenario.rules.backgroundUpdates }

  /// Whether a background activity session is in force: it also needs the mode `location`, and the user's
  /// permission (`CLBackgroundActivitySession.h`).
  public var hasBackgroundActivity: Bool {
    sessions.activity.isInForce && capabilities.hasLocationMode && mayLocate
  }

  /// Begins a background activity session: the app stays in use, which the user sees, until
  /// ``endBackgroundActivity()``. Updates of the standard service then keep it running whatever their
  /// settings; the session by itself does not (assumed).
  ///
  /// In the background it goes on with one of the process before, within
  /// ``BackgroundRules/sessionResumeTime`` of the launch, and is refused otherwise. Nothing happens where one
  /// is held, or where the system has none.
  public func beginBackgroundActivity() {
    guard backgroundUpdates.hasActivitySessions else { return }
    begin(\.activity, "background activity")
  }

  public func endBackgroundActivity() { end(\.activity, "background activity") }

  /// Begins a service session, as a background activity session is begun. Only apps that declare that they
  /// hold them need one (``AppCapabilities/requiresServiceSession``); all others have one by themselves while
  /// they listen.
  public func beginServiceSession() {
    guard scenario.rules.hasServiceSessions else { return }
    begin(\.service, "service session")
  }

  public func endServiceSession() { end(\.service, "service session") }
}

// MARK: The system

extension SimulatedPhone {
  /// Whether what `CLMonitor` watches is suspended until the app holds a service session.
  ///
  /// `NSLocationRequireExplicitServiceSession` concerns `CLMonitor` and live updates, whose consumers have
  /// sessions without asking (WWDC24 10212). That the classic services go on as they are is assumed.
  var requiresServiceSession: Bool { declaresServiceSessions && slotService == .conditionMonitor }

  /// Whether the app declares that it holds service sessions itself, to a system that has them.
  var declaresServiceSessions: Bool {
    scenario.rules.hasServiceSessions && capabilities.requiresServiceSession
  }

  private func begin(_ path: WritableKeyPath<Sessions, Sessions.Session>, _ name: String) {
    guard !sessions[keyPath: path].isHeld else { return }
    changeSessions { sessions in
      sessions[keyPath: path].isHeld = true
      if appState == .foreground { sessions[keyPath: path].isInForce = true }
    }
    if sessions[keyPath: path].isInForce {
      record(.service(name: name, setting: "begun"))
    } else {
      record(.lost("\(name): begun in the background"))
    }
  }

  private func end(_ path: WritableKeyPath<Sessions, Sessions.Session>, _ name: String) {
    guard sessions[keyPath: path].isHeld || sessions[keyPath: path].isInForce else { return }
    record(.service(name: name, setting: "ended"))
    changeSessions { $0[keyPath: path] = Sessions.Session() }
  }

  /// The state of the app has changed.
  func sessionsHandleApp(from old: AppState) {
    switch appState {
    case .foreground:
      changeSessions { sessions in
        if sessions.activity.isHeld { sessions.activity.isInForce = true }
        if sessions.service.isHeld { sessions.service.isInForce = true }
      }
    case .background, .suspended: break
    case .notRunning:
      sessions.activity.isHeld = false
      sessions.service.isHeld = false
      return timers.cancel(.sessions)
    }
    if old == .notRunning, sessions.activity.isInForce || sessions.service.isInForce {
      timers[.sessions] = now.advanced(by: scenario.rules.sessionResumeTime)
    }
  }

  /// What the app has not gone on with by now ends.
  func sessionsAreDue() {
    timers.cancel(.sessions)
    changeSessions { sessions in
      if !sessions.activity.isHeld { sessions.activity.isInForce = false }
      if !sessions.service.isHeld { sessions.service.isInForce = false }
    }
  }

  func endSessions() { changeSessions { $0 = Sessions() } }

  /// Changes the sessions; the services follow, and the app is told what that means for it.
  private func changeSessions(_ body: (inout Sessions) -> Void) {
    var changed = sessions
    body(&changed)
    guard changed != sessions else { return }
    let before = environment
    change {
      sessions = changed
      regionsHandle(.settings)
      refreshStandard()
      guard isLimited, environment != before else { return }
      lifecycle.hasUntoldSettings = true
      tellSettings()
    }
  }
}
