internal import VicinityCrossings
internal import VicinityMonitor

// Apps that are kept alive: the `voip` mode (*App Programming Guide for iOS*, 2010 to 2015, "Tips for Developing a VoIP
// App"): launched when the phone has started, relaunched "if it exits with a nonzero exit code", woken when data
// arrives on the socket they have handed to the system, and by the handler of `setKeepAliveTimeout(_:handler:)`, whose
// interval is 600 s at least and which may run for ``BackgroundRules/keepAliveTime``.
extension SimulatedPhone {
  /// From now on, while the app is in the background, ``PhoneEvent/keptAlive`` comes at intervals, waking it. It lasts as
  /// long as the process.
  ///
  /// - Parameter interval: The time between two; ``BackgroundRules/keepAliveInterval`` at least.
  /// - Returns: Whether it was accepted: the interval is long enough, and the app one that is kept alive.
  @discardableResult
  public func setKeepAliveHandler(interval: Duration) -> Bool {
    guard scenario.capabilities.isKeptAlive, appRuns,
      interval >= max(scenario.rules.keepAliveInterval, .seconds(1))
    else {
      return false
    }
    lifecycle.keepAliveInterval = interval
    nextKeepAlive()
    return true
  }

  /// No more ``PhoneEvent/keptAlive``.
  public func clearKeepAliveHandler() {
    lifecycle.keepAliveInterval = nil
    nextKeepAlive()
  }

  /// Intervals count from when the handler was set or called.
  func nextKeepAlive() {
    agenda[.keepAlive] = lifecycle.keepAliveInterval.map { now.advanced(by: $0) } ?? .distantFuture
  }

  func keepAliveIsDue() {
    guard !lifecycle.isAsleep, !lifecycle.isTerminating else { return nextKeepAlive() }
    switch lifecycle.state {
    // It is called in the background only.
    case .foreground: nextKeepAlive()
    case .background: hand(.keptAlive, isOwed: true)
    case .suspended: wake(for: .keptAlive, time: .zero, because: "kept alive")
    case .notRunning: break
    }
  }

  func socketDataArrives() {
    switch lifecycle.state {
    case .foreground, .background: deliver(.socketData, .running)
    case .suspended:
      guard scenario.capabilities.isKeptAlive else { return }
      wake(for: .socketData, time: scenario.rules.eventTime, because: "socket data")
    // Sockets are gone with the process.
    case .notRunning: break
    }
  }

  /// Starts an app that is kept alive: at boot, and when it has ended otherwise than by its user or with status zero.
  func restartIfKeptAlive() {
    if scenario.capabilities.isKeptAlive, scenario.rules.platform == .iOS, lifecycle.state == .notRunning {
      launch(.keepAlive)
    }
  }
}
