public import VicinityMonitor

/// How an app is declared, and what its user has allowed.
public struct AppCapabilities: Hashable, Sendable {
  /// The user's permission to use location.
  public typealias Authorization = MonitorEnvironment.Authorization

  /// The user's decision about this app; `always` by default. While ``areLocationServicesOn`` is false the
  /// app is told `deniedGlobally` instead.
  public var authorization: Authorization
  /// Whether the user has allowed only approximate positions. Services then deliver the reduced tier, and
  /// neither regions nor beacons are available.
  public var isReducedAccuracy: Bool
  /// Whether location services are on, for all apps.
  public var areLocationServicesOn: Bool
  /// Whether Background App Refresh is on, for the phone and the app. While it is off, the system neither
  /// wakes nor starts the app for events; see ``BackgroundRules/needsBackgroundRefresh``.
  public var allowsBackgroundRefresh: Bool
  /// Whether low power mode is on. It pauses "discretionary and background activities" (Apple, *Energy
  /// Efficiency Guide for iOS Apps*, "React to Low Power Mode on iPhones"), and `backgroundRefreshStatus`
  /// does not show it (expo, issue 11505). What it does to regions no page of Apple's says: here the system
  /// neither wakes nor starts the app for events, as without background refresh, and the app is not told why.
  /// What is kept running by the standard service goes on.
  public var isLowPowerModeOn: Bool
  /// Whether the app may show notifications.
  public var allowsNotifications: Bool
  /// Whether the app declares the background mode `location`.
  public var hasLocationMode: Bool
  /// Whether the app declares that it holds service sessions itself:
  /// `NSLocationRequireExplicitServiceSession`, since iOS 18. What `CLMonitor` watches is then suspended
  /// while it holds none.
  public var requiresServiceSession: Bool
  /// The former `voip` mode: the app is started at boot, kept alive, and woken by data and by a handler every
  /// 600 s or more.
  public var isKeptAlive: Bool
  /// Whether the app's delegate has `applicationWillResignActive`, as by ``PhoneApp/isToldOfDeactivation``.
  public var isToldOfDeactivation: Bool

  public init(
    authorization: Authorization = .always, isReducedAccuracy: Bool = false,
    areLocationServicesOn: Bool = true,
    allowsBackgroundRefresh: Bool = true, isLowPowerModeOn: Bool = false, allowsNotifications: Bool = true,
    hasLocationMode: Bool = true, requiresServiceSession: Bool = false, isKeptAlive: Bool = false,
    isToldOfDeactivation: Bool = false
  ) {
    self.authorization = authorization
    self.isReducedAccuracy = isReducedAccuracy
    self.areLocationServicesOn = areLocationServicesOn
    self.allowsBackgroundRefresh = allowsBackgroundRefresh
    self.isLowPowerModeOn = isLowPowerModeOn
    self.allowsNotifications = allowsNotifications
    self.hasLocationMode = hasLocationMode
    self.requiresServiceSession = requiresServiceSession
    self.isKeptAlive = isKeptAlive
    self.isToldOfDeactivation = isToldOfDeactivation
  }
}

/// A change of the settings that concern an app.
public enum SettingChange: Hashable, Sendable {
  /// The user decides about the app's use of location.
  case authorization(AppCapabilities.Authorization)
  /// The user allows only approximate positions, or precise ones again.
  case reducedAccuracy(Bool)
  /// Location services of all apps.
  case locationServices(Bool)
  /// Background App Refresh.
  case backgroundRefresh(Bool)
  /// Low power mode: ``AppCapabilities/isLowPowerModeOn``.
  case lowPower(Bool)
  /// The app's notifications.
  case notifications(Bool)
}

extension SettingChange {
  /// The capabilities after the change.
  public func apply(to capabilities: inout AppCapabilities) {
    switch self {
    case .authorization(let authorization): capabilities.authorization = authorization
    case .reducedAccuracy(let isOn): capabilities.isReducedAccuracy = isOn
    case .locationServices(let isOn): capabilities.areLocationServicesOn = isOn
    case .backgroundRefresh(let isOn): capabilities.allowsBackgroundRefresh = isOn
    case .lowPower(let isOn): capabilities.isLowPowerModeOn = isOn
    case .notifications(let isOn): capabilities.allowsNotifications = isOn
    }
  }
}

extension SettingChange: CustomStringConvertible {
  public var description: String {
    func words(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    return switch self {
    case .authorization(let authorization): "authorization \(authorization.rawValue)"
    case .reducedAccuracy(let isOn): "reduced accuracy \(words(isOn))"
    case .locationServices(let isOn): "location services \(words(isOn))"
    case .backgroundRefresh(let isOn): "background refresh \(words(isOn))"
    case .lowPower(let isOn): "low power mode \(words(isOn))"
    case .notifications(let isOn): "notifications \(words(isOn))"
    }
  }
}

/// What a phone is equipped with; by default everything that its rules' platform has.
public struct PhoneHardware: Hashable, Sendable {
  /// Whether it can monitor regions: `isMonitoringAvailable(for:)`.
  public var monitorsRegions: Bool
  /// Whether it has Bluetooth Low Energy, for monitoring beacons, ranging them and being one. An iPhone 4 has
  /// none.
  public var hasBluetoothLE: Bool
  /// Whether it has a compass. Computers have none, whatever this says.
  public var hasCompass: Bool
  /// Whether it has a modem for mobile networks, which significant changes need.
  public var hasModem: Bool
  /// Whether it has a receiver of satellites. An iPod touch and an iPad without a modem have none.
  public var hasSatellites: Bool
  /// Whether apps can run in the background: `UIDevice.isMultitaskingSupported`. An iPhone 3G ends them
  /// instead.
  public var supportsMultitasking: Bool

  public init(
    monitorsRegions: Bool = true, hasBluetoothLE: Bool = true, hasCompass: Bool = true, hasModem: Bool = true,
    hasSatellites: Bool = true, supportsMultitasking: Bool = true
  ) {
    self.monitorsRegions = monitorsRegions
    self.hasBluetoothLE = hasBluetoothLE
    self.hasCompass = hasCompass
    self.hasModem = hasModem
    self.hasSatellites = hasSatellites
    self.supportsMultitasking = supportsMultitasking
  }
}
