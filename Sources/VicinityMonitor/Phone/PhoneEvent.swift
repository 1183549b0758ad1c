public import VicinityCrossings

/// An event that the phone delivers to the app.
public enum PhoneEvent: Hashable, Sendable {
  /// The process has started (`didFinishLaunching`). The app has to start its services again; registered
  /// regions are still registered.
  case launched(LaunchReason)
  /// The app is in the foreground.
  case becameActive
  /// The app is about to resign being active: `applicationWillResignActive`, the first of two messages when
  /// it is left, the only one when it is interrupted. Only apps that ask for it get it.
  case willResignActive
  /// The app left the foreground; ``Phone/beginBackgroundTask(_:)`` now keeps it running for a while.
  case enteredBackground
  /// The app is about to return to the foreground.
  case willEnterForeground
  /// The system is about to end the app, which runs in the foreground or in the background. The event is not
  /// delivered to suspended apps, nor when the user, the watchdog or a restart ends the app.
  case willTerminate
  /// The time of a background task is nearly up: the app must end the task, or it is killed.
  case taskExpires(BackgroundTask)
  /// The system is short of memory.
  case memoryWarning
  /// Positions in the order of their times.
  case locations([Fix], from: LocationSource)
  /// The standard service has paused, because the phone stands still.
  case locationUpdatesPaused
  /// The standard service continues after a pause.
  case locationUpdatesResumed
  /// Deferred updates have ended. The held positions come first, with ``locations(_:from:)``.
  case deferredUpdatesFinished(reason: DeferralEnd)
  /// The phone cannot determine its position now: `kCLErrorLocationUnknown`.
  case locationUnknown
  /// The user has not allowed, or no longer allows, positions: `kCLErrorDenied`.
  case locationDenied
  /// The user has changed what the app may do, which the app can ask for:
  /// `locationManagerDidChangeAuthorization(_:)` and
  /// `UIApplication.backgroundRefreshStatusDidChangeNotification`.
  case settingsChanged
  case entered(region: String)
  case exited(region: String)
  /// The state of a region, which the app asked for or which has just become known.
  case determined(RegionState, region: String)
  /// A region is not monitored, and why.
  case monitoringFailed(region: String, RegionMonitoringError)
  /// A local notification came due while the app was in front: `application(_:didReceive:)`. It was not
  /// shown.
  case notificationReceived(NotificationRequest)
  /// A visit has begun or ended.
  case visited(Visit)
  /// The beacons in range that match one constraint.
  case ranged(BeaconRanging)
  case heading(Heading)
  /// A timer of the app has fired: its number.
  case timer(Int)
  /// The keep-alive handler is called: the app may work for some seconds.
  case keptAlive
  case socketData
  /// A `CLMonitor` tells of a condition: the state, when it changed, the beacon observed, and what stands
  /// against it.
  case conditionChanged(SlotReport)
}

/// Why an app was started.
public enum LaunchReason: String, CaseIterable, Hashable, Sendable {
  case user
  /// A region or significant-change event, a visit or a beacon: `UIApplicationLaunchOptionsLocationKey`.
  case location
  /// The app is kept alive: the phone has started, or the app ended with a status other than zero.
  case keepAlive
}

/// The service that positions come from.
public enum LocationSource: String, CaseIterable, Hashable, Sendable {
  case standard
  /// `requestLocation()`: one position, then nothing.
  case single
  case significantChange
}

/// Why deferred updates ended.
public enum DeferralEnd: String, CaseIterable, Hashable, Sendable {
  /// The phone has travelled the requested distance.
  case distance
  /// The requested time is over.
  case timeout
  /// The app came to the foreground, or stopped or changed the service.
  case canceled
  /// Updates cannot be deferred: no satellites, or a coarser tier than best.
  case notAvailable
}

/// A stay of the phone at one position: Core Location's `CLVisit`.
public struct Visit: Hashable, Sendable {
  /// The position and its accuracy.
  public var fix: Fix
  /// When the phone arrived.
  public var arrival: Timestamp
  /// When the phone left; nil while it is still there.
  public var departure: Timestamp?

  public init(fix: Fix, arrival: Timestamp, departure: Timestamp? = nil) {
    self.fix = fix
    self.arrival = arrival
    self.departure = departure
  }
}

/// The direction in which the phone points.
public struct Heading: Hashable, Sendable {
  /// Degrees clockwise from magnetic north, 0 ..< 360.
  public var magnetic: Double
  /// Degrees clockwise from true north, 0 ..< 360; negative while location is off, because the declination
  /// depends on the position.
  public var trueNorth: Double
  /// The largest expected error of the magnetic heading, degrees; negative when unknown.
  public var accuracy: Double
  public var time: Timestamp

  public init(magnetic: Double, trueNorth: Double, accuracy: Double, time: Timestamp) {
    self.magnetic = magnetic
    self.trueNorth = trueNorth
    self.accuracy = accuracy
    self.time = time
  }
}

/// A background task, which keeps an app running for a while after it has left the foreground.
public struct BackgroundTask: Hashable, Sendable {
  /// Unique within a process.
  public let number: Int

  public init(number: Int) { self.number = number }

  /// No task, as when no time is left: `UIBackgroundTaskIdentifier.invalid`.
  public static let invalid = BackgroundTask(number: 0)
}
