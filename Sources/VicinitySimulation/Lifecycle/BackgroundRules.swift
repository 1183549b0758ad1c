internal import VicinityMonitor

/// What a system of some era lets an app in the background do.
public struct BackgroundRules: Hashable, Sendable {
  /// Whose rules.
  public enum Platform: String, CaseIterable, Hashable, Sendable {
    /// A phone.
    case iOS
    /// A computer: apps are not suspended and not relaunched, and nothing happens while it sleeps.
    case macOS
  }

  /// Whose rules.
  public var platform: Platform
  /// What they are called: `ios4`, `ios7`, `ios13`, `macos`.
  public var name: String
  /// How long an app may run on when it goes to the background: all background tasks together.
  public var backgroundTaskTime: Duration
  /// How long before the end of that the expiration handlers are called.
  public var expirationWarning: Duration
  /// How long an app that was woken by an event runs: "around 10 seconds" (*Location and Maps Programming Guide*).
  /// Apple's engineers have seen anything from none to 30 s (Apple Developer Forums, thread 815618).
  public var eventTime: Duration
  /// How long the handler of entering the background may take before the app is killed, and any callback that blocks
  /// the main thread.
  public var watchdogTime: Duration
  /// The least time between two keep-alive wake-ups.
  public var keepAliveInterval: Duration
  /// How long each of them may last.
  public var keepAliveTime: Duration
  /// Whether an app that its user has force-quit is relaunched by region and significant-change events. On iOS 26 it is
  /// reported not to be, as on iOS 18 and before it was (Apple Developer Forums, thread 826964).
  public var relaunchesForceQuit: Bool
  /// Whether an app that runs when its user force-quits it is told by ``PhoneEvent/willTerminate``. No, by default, after
  /// the *App Programming Guide for iOS*: "no notification is sent to the app"; UIKit is seen to tell one that runs.
  public var tellsForceQuit: Bool
  /// Whether events wait for the first unlock after a restart.
  public var needsFirstUnlock: Bool
  /// How many local notifications an app may have scheduled: those to be shown soonest. 128 by default; Apple's
  /// `UILocalNotification` page says 64, as `NotificationScheduler` does.
  public var notificationLimit: Int

  /// Before iOS 7: ten minutes for background tasks. This and the eras' other times are what
  /// `UIApplication.backgroundTimeRemaining` began at; Apple publishes none.
  public static let iOS4 = BackgroundRules(
    platform: .iOS, name: "ios4", backgroundTaskTime: .seconds(600), relaunchesForceQuit: true)
  /// iOS 7 to 12: 180 s.
  public static let iOS7 = BackgroundRules(
    platform: .iOS, name: "ios7", backgroundTaskTime: .seconds(180), relaunchesForceQuit: true)
  /// From iOS 13 on: about 30 s.
  public static let iOS13 = BackgroundRules(
    platform: .iOS, name: "ios13", backgroundTaskTime: .seconds(30), relaunchesForceQuit: true)
  /// macOS.
  public static let macOS = BackgroundRules(
    platform: .macOS, name: "macos", backgroundTaskTime: .seconds(600), relaunchesForceQuit: false)

  /// Rules; what is not said is the same in every era: 10 s for an event and before the watchdog, 600 s between
  /// keep-alive wake-ups of 30 s, 128 local notifications.
  public init(
    platform: Platform, name: String, backgroundTaskTime: Duration, expirationWarning: Duration = .seconds(5),
    eventTime: Duration = .seconds(10), watchdogTime: Duration = .seconds(10),
    keepAliveInterval: Duration = .seconds(600), keepAliveTime: Duration = .seconds(30),
    relaunchesForceQuit: Bool, tellsForceQuit: Bool = false, needsFirstUnlock: Bool = true,
    notificationLimit: Int = 128
  ) {
    self.platform = platform
    self.name = name
    self.backgroundTaskTime = backgroundTaskTime
    self.expirationWarning = expirationWarning
    self.eventTime = eventTime
    self.watchdogTime = watchdogTime
    self.keepAliveInterval = keepAliveInterval
    self.keepAliveTime = keepAliveTime
    self.relaunchesForceQuit = relaunchesForceQuit
    self.tellsForceQuit = tellsForceQuit
    self.needsFirstUnlock = needsFirstUnlock
    self.notificationLimit = notificationLimit
  }
}
