public import VicinityCrossings
public import VicinityMonitor

/// An app on a simulated phone.
///
/// What a process has in memory dies with it: when the system starts the app anew, a new value is made, which finds the
/// regions that are still registered, and what it has saved, on the phone. Every call is the app's main thread at work:
/// it takes the time that the app says it works and no more, and while the app is suspended there are none.
public protocol PhoneApp {
  /// Something has happened.
  mutating func phone(_ phone: SimulatedPhone, did event: PhoneEvent)
}

/// Why an app was started.
public enum LaunchReason: String, CaseIterable, Hashable, Sendable {
  /// The user opened it.
  case user
  /// A region or significant-change event, a visit or a beacon: `UIApplicationLaunchOptionsLocationKey`.
  case location
  /// It is kept alive: the phone has started, or it ended with a status other than zero.
  case keepAlive
}

/// What an app is told.
public enum PhoneEvent: Hashable, Sendable {
  /// The process has begun; `didFinishLaunching`. Services must be started again; registered regions still are.
  case launched(LaunchReason)
  /// It is in front.
  case becameActive
  /// It is no longer; ``SimulatedPhone/beginBackgroundTask(_:)`` now keeps it running for a while.
  case enteredBackground
  /// It is about to be in front again.
  case willEnterForeground
  /// The system is about to end it, and tells it, because it runs in the foreground or in the background. A suspended app
  /// is not told, and neither is one that its user or the watchdog ends, or a restart.
  case willTerminate
  /// A background task's time is nearly up: end it, or be killed.
  case taskExpires(BackgroundTask)
  /// The system is short of memory.
  case memoryWarning
  /// Positions, in the order of their times, from the standard or the significant-change service.
  case locations([Fix], from: LocationSource)
  /// The standard service has paused, because the phone stands still.
  case locationUpdatesPaused
  /// It goes on.
  case locationUpdatesResumed
  /// Deferred updates end: these come with ``locations(_:from:)`` before.
  case deferredUpdatesFinished(reason: DeferralEnd)
  /// A position cannot be had, now: `kCLErrorLocationUnknown`.
  case locationUnknown
  /// A region was entered.
  case entered(region: String)
  /// A region was left.
  case exited(region: String)
  /// The state of a region, asked for or newly known.
  case determined(RegionState, region: String)
  /// A region is not monitored.
  case monitoringFailed(region: String, RegionMonitoringError)
  /// A visit has begun or ended.
  case visited(Visit)
  /// Beacons in range, of one constraint.
  case ranged(BeaconRanging)
  /// The direction in which the phone points.
  case heading(Heading)
  /// A timer of the app's has come due: its number.
  case timer(Int)
  /// The keep-alive handler: the app may work for ``BackgroundRules/keepAliveTime``.
  case keptAlive
  /// Data on a socket.
  case socketData
}

/// Which service positions are from.
public enum LocationSource: String, CaseIterable, Hashable, Sendable {
  /// The standard location service.
  case standard
  /// `requestLocation()`: one position, then nothing.
  case single
  /// The significant-change service.
  case significantChange
}

/// Why deferred updates ended.
public enum DeferralEnd: String, CaseIterable, Hashable, Sendable {
  /// The distance asked for was travelled.
  case distance
  /// The time asked for is over.
  case timeout
  /// The app came to the front, or stopped or changed the service.
  case canceled
  /// There is nothing to defer: no satellites, or a coarser tier than best.
  case notAvailable
}

/// A place where a phone has stayed: Core Location's `CLVisit`.
public struct Visit: Hashable, Sendable {
  /// Where, and how well that is known.
  public var fix: Fix
  /// When it came.
  public var arrival: Timestamp
  /// When it left; nil while it is there.
  public var departure: Timestamp?

  /// A visit.
  public init(fix: Fix, arrival: Timestamp, departure: Timestamp?) {
    self.fix = fix
    self.arrival = arrival
    self.departure = departure
  }
}

/// Where a phone points.
public struct Heading: Hashable, Sendable {
  /// Degrees clockwise from magnetic north, 0 ..< 360.
  public var magnetic: Double
  /// Degrees clockwise from true north, 0 ..< 360; negative while location is off, as without a place there is no
  /// declination.
  public var trueNorth: Double
  /// How far off the magnetic heading may be, degrees; negative when it cannot be told.
  public var accuracy: Double
  /// When it was measured.
  public var time: Timestamp

  /// A heading.
  public init(magnetic: Double, trueNorth: Double, accuracy: Double, time: Timestamp) {
    self.magnetic = magnetic
    self.trueNorth = trueNorth
    self.accuracy = accuracy
    self.time = time
  }
}

/// A background task: Core Location apps' way to go on for a while.
public struct BackgroundTask: Hashable, Sendable {
  /// Distinguishes it from all others of the run.
  public let number: Int
}
