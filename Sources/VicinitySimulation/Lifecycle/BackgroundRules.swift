/// What an operating system of some era allows apps in the background.
public struct BackgroundRules: Hashable, Sendable {
  public enum Platform: String, CaseIterable, Hashable, Sendable {
    /// A phone.
    case iOS
    /// A computer: apps are neither suspended nor relaunched, and nothing happens while it sleeps.
    case macOS
  }

  public var platform: Platform
  /// Short name: `ios4`, `ios7`, `ios13`, `macos`.
  public var name: String
  /// How long all background tasks together keep an app running after it has entered the background.
  public var backgroundTaskTime: Duration
  /// How long before the end of that time the expiration handlers are called.
  public var expirationWarning: Duration = .seconds(5)
  /// How long an app that was woken by an event runs: "around 10 seconds" (*Location and Maps Programming Guide*).
  /// Apple's engineers have seen anything from none to 30 s (Apple Developer Forums, thread 815618).
  public var eventTime: Duration = .seconds(10)
  /// How long any callback, including the handler of entering the background, may block the main thread before the app is
  /// killed.
  public var watchdogTime: Duration = .seconds(10)
  /// The shortest time between two keep-alive wake-ups.
  public var keepAliveInterval: Duration = .seconds(600)
  /// How long a keep-alive wake-up may last.
  public var keepAliveTime: Duration = .seconds(30)
  /// Whether region and significant-change events relaunch an app that its user has force-quit. Reports say that iOS 18 and
  /// before relaunch it and that iOS 26 does not (Apple Developer Forums, thread 826964).
  public var relaunchesForceQuit: Bool
  /// Whether a running app gets ``PhoneEvent/willTerminate`` when its user force-quits it. False by default, as in the
  /// *App Programming Guide for iOS*: "no notification is sent to the app". UIKit has been seen to tell a running app.
  public var tellsForceQuit = false
  /// Whether events wait for the first unlock after a restart.
  public var needsFirstUnlock = true
  /// How many local notifications an app may have scheduled; those due soonest are kept. 128 by default; Apple's
  /// `UILocalNotification` page says 64, and so does `NotificationScheduler`.
  public var notificationLimit = 128

  /// Before iOS 7: ten minutes for background tasks. Apple publishes no times; those of all eras are the initial values of
  /// `UIApplication.backgroundTimeRemaining`.
  public static let iOS4 = BackgroundRules(
    platform: .iOS, name: "ios4", backgroundTaskTime: .seconds(600), relaunchesForceQuit: true)
  /// iOS 7 to 12: 180 s for background tasks.
  public static let iOS7 = BackgroundRules(
    platform: .iOS, name: "ios7", backgroundTaskTime: .seconds(180), relaunchesForceQuit: true)
  /// Since iOS 13: about 30 s for background tasks.
  public static let iOS13 = BackgroundRules(
    platform: .iOS, name: "ios13", backgroundTaskTime: .seconds(30), relaunchesForceQuit: true)
  public static let macOS = BackgroundRules(
    platform: .macOS, name: "macos", backgroundTaskTime: .seconds(600), relaunchesForceQuit: false)

  /// Rules whose other times and limits have their defaults, which are the same in all eras.
  public init(
    platform: Platform, name: String, backgroundTaskTime: Duration, relaunchesForceQuit: Bool
  ) {
    self.platform = platform
    self.name = name
    self.backgroundTaskTime = backgroundTaskTime
    self.relaunchesForceQuit = relaunchesForceQuit
  }
}
