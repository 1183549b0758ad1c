/// What a device and its user allow an app: the reasons for which Core Location suspends events.
///
/// A plain value, given to a monitor when it changes; the monitor does not ask the device.
public struct MonitorEnvironment: Hashable, Sendable {
  /// What the user has decided.
  public enum Authorization: String, CaseIterable, Hashable, Sendable {
    /// Nothing yet.
    case notDetermined
    /// The device's rules decide, and forbid it.
    case restricted
    /// Not for this app.
    case denied
    /// Location services are off for all apps.
    case deniedGlobally
    /// While the app is in use.
    case whenInUse
    /// Always.
    case always
  }

  /// What the user has decided; ``Authorization/always`` by default.
  public var authorization = Authorization.always
  /// Whether the user is being asked.
  public var isRequestInProgress = false
  /// Whether the app is in use: in front, or with a background activity session.
  public var isInUse = true
  /// Whether positions are precise. With reduced accuracy no conditions are watched.
  public var hasFullAccuracy = true
  /// Whether the app must hold a service session to receive events, as apps that declare so must since iOS 18.
  public var requiresServiceSession = false
  /// Whether it holds one.
  public var hasServiceSession = false
  /// Whether background refresh is on, for the device and the app. Off, Core Location watches nothing for an app that is
  /// not in use.
  public var allowsBackgroundRefresh = true
  /// Whether the device can watch regions at all.
  public var hasLocationHardware = true
  /// Whether the device has a radio for beacons.
  public var hasBeaconHardware = true
  /// Whether that radio is on.
  public var isBluetoothOn = true
  /// Whether the device is in airplane mode, and keeps the radios that positions come from off.
  public var isAirplaneModeOn = false

  public init() {}

  /// What suspends conditions of a kind; empty when nothing does.
  ///
  /// - `conditionUnsupported`: the device cannot watch the condition now: no hardware, Bluetooth off, or airplane mode.
  /// - Before the user has decided, an app gets no events: `authorizationRequestInProgress` while the user is being asked,
  ///   `serviceSessionRequired` before, since holding a session asks the user.
  public func diagnostics(for kind: Condition.Kind) -> Diagnostics {
    var diagnostics: Diagnostics = []
    switch authorization {
    case .notDetermined:
      diagnostics.insert(isRequestInProgress ? .authorizationRequestInProgress : .serviceSessionRequired)
    case .restricted: diagnostics.insert(.authorizationRestricted)
    case .denied: diagnostics.insert(.authorizationDenied)
    case .deniedGlobally: diagnostics.insert(.authorizationDeniedGlobally)
    case .whenInUse:
      if !isInUse { diagnostics.insert(.insufficientlyInUse) }
    case .always:
      if !isInUse, !allowsBackgroundRefresh { diagnostics.insert(.insufficientlyInUse) }
    }
    if !hasFullAccuracy { diagnostics.insert(.accuracyLimited) }
    if requiresServiceSession, !hasServiceSession { diagnostics.insert(.serviceSessionRequired) }
    if !isSupported(kind) { diagnostics.insert(.conditionUnsupported) }
    return diagnostics
  }

  private func isSupported(_ kind: Condition.Kind) -> Bool {
    switch kind {
    case .geographic: hasLocationHardware && !isAirplaneModeOn
    case .beacon: hasBeaconHardware && isBluetoothOn
    }
  }

  /// Whether conditions of a kind can be watched: Core Location's `isMonitoringAvailable(for:)` and authorization in one.
  ///
  /// The reasons against it are those of Apple's *Location and Maps Programming Guide* ("Region Monitoring and iBeacon"):
  /// the hardware, the app's authorization, location services being off, background refresh being off, and airplane mode.
  public func isMonitoringAvailable(for kind: Condition.Kind) -> Bool {
    isSupported(kind) && allowsBackgroundRefresh && diagnostics(for: kind).isEmpty
  }
}
