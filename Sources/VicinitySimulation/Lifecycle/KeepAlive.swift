internal import VicinityCrossings
internal import VicinityMonitor

// Apps with the `voip` background mode (*App Programming Guide for iOS*, 2010 to 2015, "Tips for Developing a
// VoIP App"). The system launches them after the phone has started, relaunches them "if it exits with a
// nonzero exit code" (the guide adds that memory pressure can be the cause), wakes them when data arrives on
// a socket that they have configured for that, and calls the handler of `setKeepAliveTimeout(_:handler:)` at
// intervals of at least 600 s, which may run for ``BackgroundRules/keepAliveTime``.
extension SimulatedPhone {
  /// Requests `PhoneEvent.keptAlive` at intervals while the app is in the background. The event wakes the
  /// app. The request lasts as long as the process.
  ///
  /// - Parameter interval: The longest time between two events; at least
  ///   ``BackgroundRules/keepAliveInterval``.
  /// - Returns: False when the interval is too short or the app has no keep-alive capability.
  @discardableResult
  public func setKeepAliveHandler(interval: Duration) -> Bool {
    guard capabilities.isKeptAlive, appRuns,
      interval >= max(scenario.rules.keepAliveInterval, .seconds(1))
    else {
      return false
    }
    lifecycle.keepAliveInterval = interval
    nextKeepAlive()
    return true
  }

  /// Stops `PhoneEvent.keptAlive`.
  public func clearKeepAliveHandler() {
    lifecycle.keepAliveInterval = nil
    lifecycle.keepAliveWork = .zero
    nextKeepAlive()
  }

  /// Schedules the next event: an interval after the handler was set or called, or somewhat sooner
  /// (``BackgroundRules/keepAliveLead``).
  func nextKeepAlive() {
    let wait = lifecycle.keepAliveInterval.map { max($0 - scenario.rules.keepAliveLead, .seconds(1)) }
    timers[.keepAlive] = wait.map { now.advanced(by: $0) } ?? .distantFuture
  }

  func keepAliveIsDue() {
    guard !lifecycle.isAsleep, !lifecycle.isTerminating else { return nextKeepAlive() }
    switch lifecycle.state {
    // The handler is called in the background only.
    case .foreground: nextKeepAlive()
    case .background: dispatch(.keptAlive, isOwed: true)
    case .suspended: wake(for: .keptAlive, time: .zero, because: "kept alive")
    case .notRunning: break
    }
  }

  /// Connects a socket: from now on the app gets `PhoneEvent.socketData`, until it disconnects or its process
  /// ends. A process that is started again connects again. One socket stands for all.
  ///
  /// - Parameter wakesApp: Whether the socket is configured for VoIP (`kCFStreamNetworkServiceTypeVoIP`): the
  ///   system then watches it while the app is suspended, and wakes it. That takes
  ///   ``AppCapabilities/isKeptAlive``.
  public func connectSocket(wakesApp: Bool) {
    guard appRuns else { return }
    record(.service(name: "socket", setting: wakesApp ? "connected for VoIP" : "connected"))
    lifecycle.socketWakes = wakesApp
  }

  public func disconnectSocket() {
    guard lifecycle.socketWakes != nil else { return }
    record(.service(name: "socket", setting: "disconnected"))
    lifecycle.socketWakes = nil
  }

  func socketDataArrives() {
    guard let wakesApp = lifecycle.socketWakes else {
      return record(.lost("data for an app that has connected no socket"))
    }
    switch lifecycle.state {
    case .foreground, .background: deliver(.socketData, .running)
    case .suspended:
      guard wakesApp, capabilities.isKeptAlive else {
        return record(.lost("data while the app was suspended: its socket is not one that wakes it"))
      }
      wake(for: .socketData, time: scenario.rules.eventTime, because: "socket data")
    case .notRunning: break
    }
  }

  /// Starts a keep-alive app: after the phone has started, and when the app was killed, also for memory, or
  /// ended with a status other than zero.
  func restartIfKeptAlive() {
    if capabilities.isKeptAlive, scenario.rules.platform == .iOS, isMultitaskingSupported,
      lifecycle.state == .notRunning
    {
      launch(.keepAlive)
    }
  }
}
