public import VicinityMonitor

// What an app asks before it uses a service: "Apps should always check the availability of region monitoring
// before attempting to monitor regions" (*Location and Maps Programming Guide*, "Region Monitoring and
// iBeacon"). The guide has two questions: whether the hardware can, and whether the user allows it. The
// answer to the first does not depend on the second.
extension SimulatedPhone {
  // MARK: What the user allows

  /// What the user has decided about the app; `deniedGlobally` while location services are off:
  /// `authorizationStatus`.
  public var authorization: AppCapabilities.Authorization {
    capabilities.areLocationServicesOn ? capabilities.authorization : .deniedGlobally
  }

  /// Whether location services are on, for all apps: `locationServicesEnabled()`.
  public var areLocationServicesOn: Bool { capabilities.areLocationServicesOn }

  /// Whether the app gets precise positions: `accuracyAuthorization`.
  public var hasFullAccuracy: Bool { !capabilities.isReducedAccuracy }

  /// Whether the system wakes and starts the app in the background: `backgroundRefreshStatus`. True where the
  /// rules know no such setting.
  public var isBackgroundRefreshAvailable: Bool {
    capabilities.allowsBackgroundRefresh || !scenario.rules.needsBackgroundRefresh
  }

  // MARK: What the hardware can do

  /// Whether the phone can monitor regions of a kind at all, whatever the user allows and whatever is
  /// switched on: `isMonitoringAvailable(for:)`.
  public func isMonitoringAvailable(for kind: Condition.Kind) -> Bool {
    switch kind {
    case .geographic: scenario.hardware.monitorsRegions
    case .beacon: scenario.hardware.monitorsRegions && isRangingAvailable
    }
  }

  /// Whether the phone can range beacons, and its system knows them: `isRangingAvailable()`.
  public var isRangingAvailable: Bool { scenario.hardware.hasBluetoothLE && scenario.rules.hasBeacons }

  /// Why it cannot, for the timeline.
  var missingForRanging: String {
    scenario.rules.hasBeacons
      ? "the phone has no Bluetooth Low Energy" : "rules \(scenario.rules.name) know no beacons"
  }

  /// Whether the phone has a compass: `headingAvailable()`.
  public var isHeadingAvailable: Bool { scenario.hardware.hasCompass && scenario.rules.platform != .macOS }

  /// Whether the phone reports significant changes: `significantLocationChangeMonitoringAvailable()`.
  public var isSignificantChangeAvailable: Bool {
    scenario.hardware.hasModem && scenario.rules.hasSignificantChanges
  }

  /// Whether apps can run in the background: `UIDevice.isMultitaskingSupported`.
  public var isMultitaskingSupported: Bool { scenario.hardware.supportsMultitasking }

  /// All of this as a monitor is told.
  public var environment: MonitorEnvironment {
    var environment = MonitorEnvironment()
    environment.authorization = authorization
    environment.isInUse = isInUse
    environment.hasFullAccuracy = hasFullAccuracy
    environment.allowsBackgroundRefresh = isBackgroundRefreshAvailable
    environment.hasLocationHardware = isMonitoringAvailable(for: .geographic)
    environment.hasBeaconHardware = isMonitoringAvailable(for: .beacon)
    environment.isBluetoothOn = surroundings.hasBluetooth
    environment.isAirplaneModeOn = isGrounded
    environment.requiresServiceSession = requiresServiceSession
    environment.hasServiceSession = sessions.service.isHeld
    environment.reported[.serviceSession] = Sessions.diagnostics(of: sessions.service)
    environment.reported[.backgroundActivity] = Sessions.diagnostics(of: sessions.activity)
    return environment
  }
}

extension SimulatedPhone {
  /// Whether the user lets the app use location, at least while it is in use.
  var mayLocate: Bool { authorization == .always || authorization == .whenInUse }

  /// Whether the app is in use: in front, kept running by the standard service, or with a background activity
  /// session.
  var isInUse: Bool { appState == .foreground || standardKeepsAppRunning || hasBackgroundActivity }

  /// Whether events may wake a suspended app: with permission in use they may while a background activity
  /// session keeps it in use.
  var wakesApp: Bool {
    (authorization == .always || hasBackgroundActivity) && isBackgroundRefreshAvailable
      && !capabilities.isLowPowerModeOn
  }

  /// Whether airplane mode keeps off the radios that regions need. The guide: "the device is in Airplane mode
  /// and can't power up the necessary hardware". A modern phone leaves Wi-Fi on.
  private var isGrounded: Bool {
    surroundings.isInAirplaneMode && (scenario.rules.airplaneModeEndsMonitoring || !surroundings.hasWiFi)
  }

  /// Whether a monitor has to be told what is allowed because something can stand against it: hardware that
  /// is missing, a radio or a setting that was changed or is off, coarse positions, or use of location in use
  /// only or not at all.
  public var isLimited: Bool {
    capabilities != scenario.capabilities || scenario.hardware != PhoneHardware()
      || !mayLocate || capabilities.isReducedAccuracy || !isBackgroundRefreshAvailable
      || isGrounded || !surroundings.hasBluetooth
      || scenario.rules.monitorsWhenInUse && authorization == .whenInUse || requiresServiceSession
  }

  /// Why no region is watched now; empty when they are.
  var monitoringSuspension: Diagnostics {
    var diagnostics: Diagnostics = []
    switch authorization {
    case .always: if !isInUse, !isBackgroundRefreshAvailable { diagnostics.insert(.insufficientlyInUse) }
    case .whenInUse:
      if !scenario.rules.monitorsWhenInUse || !isInUse { diagnostics.insert(.insufficientlyInUse) }
    case .denied: diagnostics.insert(.authorizationDenied)
    case .deniedGlobally: diagnostics.insert(.authorizationDeniedGlobally)
    case .restricted: diagnostics.insert(.authorizationRestricted)
    // The app has not asked: holding a session asks.
    case .notDetermined: diagnostics.insert(.serviceSessionRequired)
    }
    if capabilities.isReducedAccuracy { diagnostics.insert(.accuracyLimited) }
    if requiresServiceSession, !sessions.service.isInForce {
      diagnostics.insert(sessions.service.isHeld ? .insufficientlyInUse : .serviceSessionRequired)
    }
    return diagnostics
  }

  /// Why the phone cannot watch a kind of region now, whatever the user allows.
  func missingRadios(for kind: Condition.Kind) -> Diagnostics {
    let isSupported =
      switch kind {
      case .geographic: isMonitoringAvailable(for: .geographic) && !isGrounded
      case .beacon: isMonitoringAvailable(for: .beacon) && surroundings.hasBluetooth
      }
    return isSupported ? [] : .conditionUnsupported
  }

  /// Changes a setting: the services follow, and the app is told when it runs.
  func apply(_ setting: SettingChange) {
    let before = capabilities
    setting.apply(to: &capabilities)
    lifecycle.notifications?.authorization = capabilities.allowsNotifications ? .authorized : .denied
    guard capabilities != before else { return }
    record(.service(name: "settings", setting: setting.description))
    lifecycle.hasUntoldSettings = true
    change {
      notifyServices(.settings)
      tellSettings()
    }
  }

  /// Tells the app of radios that are on or off now. Airplane mode is a setting to the app.
  func tellRadios() {
    let radios = LifecycleState.Radios(isGrounded: isGrounded, hasBluetooth: surroundings.hasBluetooth)
    let before = lifecycle.radios
    lifecycle.radios = radios
    // A process that begins asks.
    guard let before, before != radios else { return }
    lifecycle.hasUntoldSettings = true
    tellSettings()
  }

  /// Tells a running app that settings have changed. A suspended app is told when it goes on, before anything
  /// else.
  func tellSettings() {
    guard lifecycle.hasUntoldSettings, appRuns, !lifecycle.isTerminating else { return }
    lifecycle.hasUntoldSettings = false
    dispatch(.settingsChanged, isOwed: true)
  }
}
