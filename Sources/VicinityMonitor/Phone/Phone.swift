public import VicinityCrossings
public import VicinityGeodesy

/// What an app that monitors asks of a phone: the calls of Core Location and UIKit that a ``Monitor`` needs,
/// in their names. What the phone tells comes as ``PhoneEvent``s.
///
/// Core Location's adapter and the simulated phone conform. So the monitor that is measured on one is the
/// monitor that runs on the other: between its commands and these calls there is one translation. The models
/// of other systems call the same. Notifications go by ``MonitoringDevice/post(_:)``, and what an app saves
/// is in its ``RecordStore``.
///
/// Everything happens on one thread, the app's main thread. No call waits, and none calls back before it
/// returns: answers are events.
public protocol Phone: AnyObject {
  /// The time of day.
  var now: Timestamp { get }
  /// Whether the app is in front.
  var isInFront: Bool { get }
  /// What the user and the hardware allow now. A change is told by ``PhoneEvent/settingsChanged``.
  var environment: MonitorEnvironment { get }
  /// Whether something stands, or has stood, against any service; where nothing does, nobody needs to be told
  /// of the ``environment``.
  var isLimited: Bool { get }

  // MARK: Positions

  /// Which updates of the standard service keep the app running in the background.
  var backgroundUpdates: BackgroundUpdateRules { get }
  /// The settings of the standard service; they may change while it is on.
  var locationSettings: LocationSettings { get set }
  /// Starts the standard service: positions come until it is stopped, by ``PhoneEvent/locations(_:from:)``.
  /// In the background, with ``LocationSettings/allowsBackgroundUpdates``, it keeps the app running.
  func startUpdatingLocation()
  func stopUpdatingLocation()
  /// Whether a background activity session is held and in force.
  var hasBackgroundActivity: Bool { get }
  /// Begins a background activity session, which keeps the app in use and is shown to the user until it is
  /// ended: in front, or behind at once in a process whose predecessor had one, to continue it. Nothing
  /// happens where one is held, or where the system has none.
  func beginBackgroundActivity()
  func endBackgroundActivity()
  /// Requests one position, of the accuracy of the settings where none is given. The answer is
  /// ``PhoneEvent/locations(_:from:)`` or ``PhoneEvent/locationUnknown``. A second request replaces one that
  /// is not answered.
  func requestLocation(_ accuracy: DesiredAccuracy?)
  /// Starts the service that tells of moves of 500 m and more, and starts the app for them.
  func startMonitoringSignificantLocationChanges()
  func stopMonitoringSignificantLocationChanges()
  /// Starts the service that tells of visits, and starts the app for them.
  func startMonitoringVisits()
  func stopMonitoringVisits()

  // MARK: Slots

  /// What of the phone watches the slots.
  var slotService: SlotService { get }
  /// How many slots an app has: 20 on an iPhone, 100 on an Android phone. A monitor on the phone plans for
  /// these.
  var slotCapacity: Int { get }
  /// The greatest radius that is watched, metres; zero or less where no circles are.
  var maximumRegionRadius: Meters { get }
  /// What is monitored.
  var monitoredRegions: [MonitoredRegion] { get }
  /// How many slots are taken by regions of the app's own, which are not among ``monitoredRegions``.
  var otherRegionCount: Int { get }
  /// Monitors a region until it is stopped, also while the app does not run. It may be refused, by
  /// ``PhoneEvent/monitoringFailed(region:_:)``, or lost without a word.
  func startMonitoring(_ region: MonitoredRegion)
  func stopMonitoring(identifier: String)
  /// Requests ``PhoneEvent/determined(_:region:)``.
  func requestState(identifier: String)
  /// What the phone remembers to have told last of a slot: a `CLMonitor`'s record. nil where it remembers
  /// nothing, as region monitoring.
  func lastReport(of identifier: String) -> SlotReport?

  // MARK: Beacons

  /// Ranges beacons that match an identity; ``PhoneEvent/ranged(_:)`` comes once a second.
  func startRangingBeacons(_ identity: BeaconIdentity)
  func stopRangingBeacons(_ identity: BeaconIdentity)

  // MARK: Running

  /// Sets a timer: ``PhoneEvent/timer(_:)`` comes once, while the app runs. Timers do not wake an app.
  ///
  /// - Returns: The timer's number, never zero for one that is set.
  @discardableResult
  func setTimer(after delay: Duration) -> Int
  /// Cancels a timer; unknown numbers are ignored.
  func cancelTimer(_ number: Int)
  /// Asks for time in the background; every task must be ended. ``PhoneEvent/taskExpires(_:)`` tells that its
  /// time is nearly up.
  ///
  /// - Returns: The task; ``BackgroundTask/invalid`` where there is no time.
  func beginBackgroundTask(_ name: String) -> BackgroundTask
  func endBackgroundTask(_ task: BackgroundTask)
}
