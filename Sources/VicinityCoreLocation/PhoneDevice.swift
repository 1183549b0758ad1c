#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  public import CoreLocation
  internal import Foundation
  public import VicinityMonitor

  /// A phone by Core Location: region monitoring or `CLMonitor` for the slots, `CLLocationUpdate` and
  /// `CLLocationManager` for fixes and ranging.
  ///
  ///     let phone = PhoneDevice("Zones")
  ///     let monitor = try await Monitor("Zones", records: records, device: phone, options: phone.monitorOptions)
  ///     await monitor.follow(phone.inputs)
  ///
  /// That is the device of one monitor at a time; it may be closed and opened again. Further monitors get a
  /// ``channel(_:slots:)`` each, and with it a share of the twenty slots.
  ///
  /// A `PhoneDriver` carries out what the monitor asks, the same as on the simulated phone. The adapter
  /// decides nothing about what to watch: it passes calls to Core Location, and tells what comes of them.
  /// <doc:OnAPhone> says what an app must add.
  ///
  /// - Important: Where this library is developed there is no Apple SDK. The adapter is type-checked against
  ///   hand-written declarations of the part of Core Location it uses, tested with a made-up Core Location
  ///   behind them, and has not been run on a phone. <doc:DeviceChecklist> lists what to try.
  @MainActor
  public final class PhoneDevice: MonitoringDevice {
    /// How a phone is used.
    public struct Options: Sendable {
      /// What watches the slots; ``SlotService/regionMonitoring`` by default, which delivers entries in the
      /// background too.
      public var slots = SlotService.regionMonitoring
      /// How many of the twenty slots the phone's own monitor has, 0 to 20; all by default. The rest is for
      /// ``PhoneDevice/channel(_:slots:)``. More than twenty are twenty, which ``PhoneDevice/lastError``
      /// tells.
      public var slotCount = PhoneDevice.slotCapacity
      /// How location updates are made while they run.
      public var updates = CLLocationUpdate.LiveConfiguration.default
      /// Whether the app's Info.plist says that it holds a session for each of its uses
      /// (`NSLocationRequireExplicitServiceSession`). With ``SlotService/regionMonitoring`` and permission
      /// "always" conditions are watched without a session all the same.
      public var requiresServiceSession = false
      /// Between two turns of requests about slots, and before what was added is compared with what is
      /// monitored; a millisecond at least.
      public var pause = PhoneDriver.pause {
        didSet { pause = max(pause, .milliseconds(1)) }
      }
      /// Whether updates may go on in the background: whether the Info.plist has `location` among its
      /// `UIBackgroundModes`. Computers need no mode.
      var hasBackgroundMode = Self.hasBackgroundMode

      public init() {}

      private static var hasBackgroundMode: Bool {
        #if os(macOS)
          true
        #else
          (Bundle.main.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String])?.contains("location")
            == true
        #endif
      }
    }

    /// How many slots an app has: "an app can register up to 20 regions at a time" (*Location and Maps
    /// Programming Guide*, "Region Monitoring").
    public nonisolated static let slotCapacity = 20

    /// How many of them its own monitor has, and plans for: ``Options/slotCount``.
    public nonisolated var slotCapacity: Int? { own.slots }
    /// What the phone reports to its own monitor, for `Monitor.follow(_:)`.
    public nonisolated var inputs: PhoneInputs { own.inputs }
    /// What ranging hears, for any number of consumers, a `BeaconRanger` among them; monitors get the same
    /// from ``inputs``.
    public nonisolated var sightings: BeaconSightings { services.sightings }
    /// What is allowed. Authorization, accuracy, hardware and what sessions report are kept up to date;
    /// background refresh is for the app to set. With ``SlotService/regionMonitoring`` and permission
    /// "always" it does not say that a service session is missing, or not in use: region monitoring goes on
    /// all the same.
    public var environment: MonitorEnvironment { services.environment }
    /// Whether the app is in front: for the app to set. In front the phone says where it is, so that what was
    /// withheld in the background is found out.
    ///
    /// To be set when it is known: whenever the state of a scene changes, in front at a launch too. An app
    /// counts as in front until its scene is in the background: one that is inactive, as under Control
    /// Center, is still in use. An app with scenes is launched in the background state even by its user, so
    /// its state at the launch says nothing.
    ///
    /// True until it is first set, which suspends no condition. But until then the phone relies on it for
    /// nothing else: it keeps the app running for events, as in the background, does not count on updates of
    /// the standard service, which last only where they are begun in front, and ranges no beacons. An app
    /// that never sets it hears of none.
    public var isInFront: Bool {
      get { services.front ?? true }
      set { services.front = newValue }
    }
    /// Told of what is allowed when that changes, as for a view.
    public var onEnvironmentChanged: ((MonitorEnvironment) -> Void)? {
      get { services.onEnvironmentChanged }
      set { services.onEnvironmentChanged = newValue }
    }
    /// Told when the phone begins to need time in the background, and when it needs it no longer: an app
    /// begins and ends a background task, and calls ``backgroundTimeExpires()`` when the task's time is
    /// nearly up.
    ///
    /// It is needed while a position is waited for, while slots are being changed, and from an event in the
    /// background until the monitors have stored what it means and their events have been handled. Before a
    /// monitor is open the first such event needs it too, and no later one: of a monitor that nobody opens,
    /// each would keep the app running until the time is up. Where it is needed already, whoever is set here
    /// is told so at once.
    public var onBusy: ((_ isBusy: Bool) -> Void)? {
      get { services.onBusy }
      set { services.onBusy = newValue }
    }
    /// Told when the display is turned on in the region of a beacon condition with
    /// `notifyEntryStateOnDisplay`; for `RegionMonitoringService.displayTurnedOn()`. By region monitoring
    /// only.
    public var onDisplayTurnedOn: (() -> Void)? {
      get { services.onDisplayTurnedOn }
      set { services.onDisplayTurnedOn = newValue }
    }
    /// Told of each error, as for a log: those of Core Location, and ``PhoneError``s, which go to the
    /// system's log too.
    public var onError: ((any Error) -> Void)? {
      get { services.onError }
      set { services.onError = newValue }
    }
    /// The last error of Core Location, or ``PhoneError``; nil when there has been none.
    public var lastError: (any Error)? { services.lastError }

    // Shared with the other channels. Sendable, as all that belongs to the main actor.
    nonisolated let services: PhoneServices
    private nonisolated let own: PhoneChannel

    /// A phone. Core Location is asked nothing about slots until a monitor with this device is open: then
    /// what is stored is loaded, and events of before the launch find their conditions.
    ///
    /// Where another phone or channel of the process has the name, this one watches nothing, and says so when
    /// a monitor is opened: by ``PhoneError/nameInUse(_:)``, and each slot counts as refused
    /// (<doc:PhoneSlots>).
    ///
    /// - Parameters:
    ///   - name: Letters and digits, another one for each phone and channel of an app: the name of the
    ///     `CLMonitor`, or what the identifiers of regions begin with.
    ///   - options: How the phone is used.
    public init(_ name: String, options: Options = Options()) {
      services = PhoneServices(options)
      own = PhoneChannel(name, slots: min(max(0, options.slotCount), Self.slotCapacity), services)
      if options.slotCount > Self.slotCapacity {
        services.note(PhoneError.tooFewSlots(left: Self.slotCapacity))
      }
    }

    /// Options for a monitor on this phone: a region larger than the phone can watch gets no slot.
    public var monitorOptions: MonitorOptions { own.monitorOptions }

    /// The device of a further monitor, with slots of its own. It is the phone's as long as somebody has it.
    ///
    ///     var options = PhoneDevice.Options()
    ///     options.slotCount = 12
    ///     let phone = PhoneDevice("Zones", options: options)
    ///     let friends = try phone.channel("Friends", slots: 8)
    ///     let monitor = try await Monitor("Friends", device: friends, options: friends.monitorOptions)
    ///     await monitor.follow(friends.inputs)
    ///
    /// Make all channels at each launch in one go with the phone, so that each hears what the app was
    /// launched for.
    ///
    /// - Parameters:
    ///   - name: As the phone's.
    ///   - slots: How many slots it has: with those of the phone and of its other channels twenty at most. An
    ///     app that monitors regions of its own leaves some over.
    /// - Throws: ``PhoneError`` for a name that is in use or no name, and for more slots than are left.
    public func channel(_ name: String, slots: Int) throws(PhoneError) -> PhoneChannel {
      guard PhoneNames.isValid(name) else { throw .invalidName(name) }
      guard !PhoneNames.isInUse(name, services.options.slots) else { throw .nameInUse(name) }
      let left = Self.slotCapacity - services.channels.reduce(0) { $0 + $1.slots }
      guard (0...left).contains(slots) else { throw .tooFewSlots(left: left) }
      return PhoneChannel(name, slots: slots, services)
    }

    // MARK: What the phone can do

    /// Whether the phone can range beacons.
    public nonisolated static var isRangingAvailable: Bool { CLLocationManager.isRangingAvailable() }

    /// Whether the phone has a compass.
    public nonisolated static var isHeadingAvailable: Bool { CLLocationManager.headingAvailable() }

    /// Whether the phone can monitor conditions of a kind at all, whatever the user allows.
    public nonisolated static func isMonitoringAvailable(for kind: Condition.Kind) -> Bool {
      switch kind {
      case .geographic: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self)
      case .beacon: CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self)
      }
    }

    /// Has the user asked for permission to use location while the app is in use; ``requestAlways()`` comes
    /// after that.
    public func requestWhenInUse() { services.waker.requestWhenInUseAuthorization() }

    public func requestAlways() { services.waker.requestAlwaysAuthorization() }

    /// Whether the system wakes the app in the background: for the app to set, from
    /// `UIApplication.backgroundRefreshStatus`.
    public func setBackgroundRefresh(_ isOn: Bool) { services.environment.allowsBackgroundRefresh = isOn }

    /// The background task that the app has begun for ``onBusy`` has nearly no time left: ends what it was
    /// for. `onBusy` tells that.
    public func backgroundTimeExpires() { services.expireTasks() }

    /// Has a service monitor nothing more under a name: once, in the version of an app that changes from one
    /// ``Options/slots`` to the other. Both at once would take twice the slots.
    ///
    /// Of ``SlotService/conditionMonitor`` this makes a `CLMonitor`, which Apple asks to make only while
    /// protected data are available (`UIApplication.isProtectedDataAvailable`, false whenever the phone is
    /// locked): best done in front.
    ///
    /// - Throws: ``PhoneError/nameInUse(_:)`` while a phone or a channel of the process has the service under
    ///   the name.
    public static func removeSlots(of service: SlotService, named name: String) async throws(PhoneError) {
      guard PhoneNames.claim(name, service) else { throw .nameInUse(name) }
      defer { PhoneNames.release(name, service) }
      let backEnd = service.backEnd(name, CLLocationManager())
      await backEnd.open()
      for region in backEnd.monitored { backEnd.remove(region.identifier) }
      await backEnd.settle()
    }

    // MARK: As a device

    public nonisolated func monitorOpened(slots: Int) { own.monitorOpened(slots: slots) }
    public nonisolated func perform(_ commands: [DeviceCommand]) { own.perform(commands) }
    public nonisolated func stored(unhandledEvents: Int) { own.stored(unhandledEvents: unhandledEvents) }
    public nonisolated func monitorClosed() { own.monitorClosed() }
  }
#endif
