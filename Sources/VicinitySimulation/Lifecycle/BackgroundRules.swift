public import VicinityGeodesy
public import VicinityMonitor

/// What an operating system of some era allows apps in the background.
public struct BackgroundRules: Hashable, Sendable {
  public enum Platform: String, CaseIterable, Hashable, Sendable {
    /// A phone.
    case iOS
    /// A computer: apps are neither suspended nor relaunched, and nothing happens while it sleeps.
    case macOS
  }

  /// Which blocking of the main thread ends an app.
  public enum Watchdog: String, CaseIterable, Hashable, Sendable {
    /// Any callback that takes longer than ``BackgroundRules/watchdogTime``, whatever background tasks there
    /// are, also in front: as modern phones do (Apple, *Addressing watchdog terminations*; one limit for all
    /// callbacks is a simplification).
    case everyCallback
    /// In the background only, and not while a background task is held: the task then gives the main thread
    /// its own time as well, which is how the *App Programming Guide for iOS* saves with a blocking call.
    /// Leaving the app has ``BackgroundRules/watchdogTime`` for both of its messages together, from
    /// `PhoneEvent.willResignActive` on.
    case leaving
  }

  public var platform: Platform
  /// Short name: that of the era, `DeviceProfile.Era`.
  public var name: String
  /// How long all background tasks together keep an app running after it has entered the background.
  public var backgroundTaskTime: Duration
  /// How long before the end of that time the expiration handlers are called.
  public var expirationWarning: Duration = .seconds(5)
  /// How long an app that was woken by an event runs: "around 10 seconds" (*Location and Maps Programming
  /// Guide*). Apple's engineers have seen anything from none to 30 s (Apple Developer Forums, thread 815618).
  public var eventTime: Duration = .seconds(10)
  /// How long the main thread may be blocked before the app is killed, where ``watchdog`` watches it.
  public var watchdogTime: Duration = .seconds(10)
  /// Which blocking of the main thread ends an app.
  public var watchdog = Watchdog.everyCallback
  /// Whether expiration handlers are called on another thread, so also while the main thread is blocked. True
  /// in ``iOS4`` and ``iOS7``, where a handler is to set a flag that a blocking loop sees; that it takes
  /// another thread is assumed. Later ones are called on the main thread, when that is free
  /// (`beginBackgroundTask(expirationHandler:)`).
  public var expiresBesideMainThread = false
  /// The shortest time between two keep-alive wake-ups.
  public var keepAliveInterval: Duration = .seconds(600)
  /// How long before the end of the requested interval the keep-alive handler is called. Zero by default.
  /// Apple's guides say that the interval is the longest time between two calls; 10 s in ``iOS4`` and
  /// ``iOS7`` is assumed.
  public var keepAliveLead: Duration = .zero
  /// How long a keep-alive wake-up may last.
  public var keepAliveTime: Duration = .seconds(30)
  /// Whether region and significant-change events relaunch an app that its user has force-quit. A developer
  /// reports that iOS 18 and before relaunch it and that iOS 26 does not; there a suspended app is woken as
  /// before (Apple Developer Forums, thread 826964). Apple's guides have said all along that the user's wish
  /// counts.
  public var relaunchesForceQuit: Bool
  /// Whether a running app gets `PhoneEvent.willTerminate` when its user force-quits it. False by default, as
  /// in the *App Programming Guide for iOS*: "no notification is sent to the app". UIKit has been seen to
  /// tell a running app.
  public var tellsForceQuit = false
  /// Whether events wait for the first unlock after a restart.
  public var needsFirstUnlock = true
  /// How many local notifications an app may have scheduled; those due soonest are kept. 64 by default
  /// (Apple, `UILocalNotification`); 128 in ``iOS4`` and ``iOS7``, as the *App Programming Guide for iOS* has
  /// it.
  public var notificationLimit = 64
  /// Whether Background App Refresh, a setting since iOS 7, decides whether events wake and start the app.
  /// Apple's documentation says so to this day; an observer found that iOS 8 delivers significant changes
  /// whatever the setting (raimon49.github.io, 27 December 2014).
  public var needsBackgroundRefresh = true
  /// Whether Background App Refresh also decides about updates of the standard service in the background. The
  /// *Location and Maps Programming Guide* has apps that rely on them look at `backgroundRefreshStatus`
  /// first. False by default: on modern phones they go on (assumed).
  public var refreshDecidesUpdates = false
  /// Whether phones have a low power mode, as since iOS 9.
  public var hasLowPowerMode = true
  /// Whether there are beacon regions, ranging and advertising: since iOS 7 (`CLBeaconRegion`).
  public var hasBeacons = true
  /// Whether positions can be held back, `allowDeferredLocationUpdates(untilTraveled:timeout:)`: since iOS 6.
  public var hasDeferredUpdates = true
  /// Whether there is a significant-change service: not on a computer, where the *Location and Maps
  /// Programming Guide* has the standard service alone.
  public var hasSignificantChanges = true
  /// Whether airplane mode alone ends the monitoring of regions, as the *Location and Maps Programming Guide*
  /// says. Modern phones leave Wi-Fi on, and go on as long as there is a network to be located by.
  public var airplaneModeEndsMonitoring = false
  /// Whether airplane mode switches the satellite receiver off, as is reported of 2011 and no longer of 2017
  /// (``changes``). So in ``iOS4`` and ``iOS7``; from which version on it did not is assumed.
  public var airplaneModeEndsSatellites = false
  /// How far beyond a boundary a crossing is told, metres; nil for the figure of the phone's profile
  /// (``RegionMonitoringProfile/cushion``). By the *Location and Maps Programming Guide* hardware and
  /// technology decide, and about 200 m may be assumed in tests: so in ``iOS4`` and ``iOS7``.
  public var regionCushion: Meters?
  /// Whether the system decides about regions by its own checks alone, whatever other services are on
  /// (*Location and Maps Programming Guide*). False by default: it uses good positions that it has for the
  /// standard service anyway (assumed).
  public var watchesRegionsApart = false
  /// How many regions all apps together may have watched. The *Location and Maps Programming Guide* says that
  /// the number is limited systemwide, and not how many there are: 100 is assumed.
  public var systemRegionLimit = 100
  /// Whether an app that may use location in use only monitors regions while it is in use, as since
  /// `CLMonitor` (iOS 17). Before, monitoring needed "always" and was refused.
  public var monitorsWhenInUse = false
  /// Whether `CLMonitor` withholds entries after a launch in the background until the app is in front, while
  /// it tells exits. The classic service tells both. What one developer reports (Apple Developer Forums,
  /// thread 812111), of a launch by a remote notification; that it is so after any launch in the background
  /// is assumed.
  public var withholdsEntries = false
  /// Whether there are live updates, `CLLocationUpdate.liveUpdates(_:)`: since iOS 17 (Apple, *Discover
  /// streamlined location updates*, WWDC23 10180).
  public var hasLiveUpdates = false
  /// Whether there are service sessions, `CLServiceSession`: since iOS 18 (Apple, *What's new in location
  /// authorization*, WWDC24 10212).
  public var hasServiceSessions = false
  /// How long after a launch an app may go on with a session of the process before. "A few seconds" (an
  /// engineer of Apple's, Apple Developer Forums, thread 797319), "immediately"
  /// (`CLBackgroundActivitySession.h`); five seconds are assumed.
  public var sessionResumeTime: Duration = .seconds(5)
  /// Whether the standard service goes on in the background only for apps that ask for it by
  /// `LocationSettings.allowsBackgroundUpdates`, since iOS 9. Before, the mode `location` alone counted.
  public var needsBackgroundUpdatesAllowed = true
  /// Which of these updates keep the app running: a rule that is new with iOS 16.4. Its sources are an
  /// engineer's answer, as others quote it, and the reports of developers.
  public var backgroundUpdates = BackgroundUpdateRules.anyUpdates
  /// Whether the standard service goes on while an app without the mode `location` is suspended, and its
  /// positions come in one packet on return, as the *App Programming Guide for iOS* describes. Modern phones
  /// switch it off (assumed: Apple's page *Handling location updates in the background* says that updates are
  /// queued, and not whether there are any); then only positions that other services happened to get come on
  /// return.
  public var holdsUpdatesWhileSuspended = false

  /// Before iOS 7: ten minutes for background tasks. Apple publishes no times; those of all eras are the
  /// initial values of `UIApplication.backgroundTimeRemaining`.
  public static let iOS4 = guides(name: "ios4", backgroundTaskTime: .seconds(600), hasRefresh: false)
    .changed("ios4") { rules in
      rules.hasBeacons = false
      rules.hasDeferredUpdates = false
    }
  /// iOS 7 to 12: 180 s for background tasks.
  public static let iOS7 = guides(name: "ios7", backgroundTaskTime: .seconds(180), hasRefresh: true)
  /// Since iOS 13: about 30 s for background tasks.
  public static let iOS13 = BackgroundRules(
    platform: .iOS, name: "ios13", backgroundTaskTime: .seconds(30), relaunchesForceQuit: true)
  /// Since iOS 16.4: as iOS 13, and some updates no longer keep an app running.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let iOS16_4 = iOS13.changed("ios16.4") { $0.backgroundUpdates = .iOS16_4 }
  /// Since iOS 17: `CLMonitor`, which watches in use with "when in use" authorization, live updates, and
  /// background activity sessions.
  public static let iOS17 = iOS16_4.changed("ios17") { rules in
    rules.backgroundUpdates = .iOS17
    rules.monitorsWhenInUse = true
    rules.withholdsEntries = true
    rules.hasLiveUpdates = true
  }
  /// Since iOS 18: service sessions.
  public static let iOS18 = iOS17.changed("ios18") { $0.hasServiceSessions = true }
  /// Since iOS 26: an app that its user has force-quit is not started again.
  public static let iOS26 = iOS18.changed("ios26") { $0.relaunchesForceQuit = false }
  public static let macOS = BackgroundRules(
    platform: .macOS, name: "macos", backgroundTaskTime: .seconds(600), relaunchesForceQuit: false
  ).changed("macos") { $0.hasSignificantChanges = false }

  /// The rules of an era.
  public init(_ era: DeviceProfile.Era) {
    self =
      switch era {
      case .iOS4: .iOS4
      case .iOS7: .iOS7
      case .iOS13: .iOS13
      case .iOS16_4: .iOS16_4
      case .iOS17: .iOS17
      case .iOS18: .iOS18
      case .iOS26: .iOS26
      case .macOS: .macOS
      }
  }

  /// The rules of a phone's era: ``iOS13`` where its profile names none.
  public init(of profile: DeviceProfile) { self.init(profile.era ?? .iOS13) }

  /// Rules whose other times and limits have their defaults, which are the same in all eras.
  public init(
    platform: Platform, name: String, backgroundTaskTime: Duration, relaunchesForceQuit: Bool
  ) {
    self.platform = platform
    self.name = name
    self.backgroundTaskTime = backgroundTaskTime
    self.relaunchesForceQuit = relaunchesForceQuit
  }

  private func changed(_ name: String, _ body: (inout BackgroundRules) -> Void) -> BackgroundRules {
    var rules = self
    rules.name = name
    body(&rules)
    return rules
  }

  /// The rules of Apple's guides, which were written for iOS 4 to 7.
  private static func guides(
    name: String, backgroundTaskTime: Duration, hasRefresh: Bool
  ) -> BackgroundRules {
    var rules = BackgroundRules(
      platform: .iOS, name: name, backgroundTaskTime: backgroundTaskTime, relaunchesForceQuit: true)
    rules.watchdog = .leaving
    rules.expiresBesideMainThread = true
    rules.keepAliveLead = .seconds(10)
    rules.notificationLimit = 128
    rules.needsBackgroundRefresh = hasRefresh
    rules.hasLowPowerMode = false
    rules.refreshDecidesUpdates = hasRefresh
    rules.airplaneModeEndsMonitoring = true
    rules.airplaneModeEndsSatellites = true
    rules.regionCushion = 200
    rules.watchesRegionsApart = true
    rules.needsBackgroundUpdatesAllowed = false
    rules.holdsUpdatesWhileSuspended = true
    return rules
  }
}
