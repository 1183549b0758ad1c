/// What of a phone says why it delivers nothing.
public enum DiagnosticsSource: String, CaseIterable, Hashable, Sendable {
  /// A `CLServiceSession`: all that it reports suspends conditions.
  case serviceSession
  /// A `CLBackgroundActivitySession`, and the location updates of a phone. Where they are not in use, or lack
  /// a session, conditions are watched all the same; what the user or the device's rules forbid is forbidden
  /// to conditions too.
  case backgroundActivity
  case locationUpdates

  /// What of a source's diagnostics suspends conditions.
  var suspending: Diagnostics {
    switch self {
    case .serviceSession: Diagnostics(rawValue: .max)
    case .backgroundActivity, .locationUpdates:
      [
        .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted,
        .authorizationRequestInProgress, .accuracyLimited,
      ]
    }
  }
}

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
  /// Whether the app must hold a service session to receive events, as apps that declare so must since
  /// iOS 18.
  public var requiresServiceSession = false
  /// Whether it holds one.
  public var hasServiceSession = false
  /// Whether background refresh is on, for the device and the app. Off, Core Location watches nothing for an
  /// app that is not in use.
  public var allowsBackgroundRefresh = true
  /// Whether the device can watch regions at all.
  public var hasLocationHardware = true
  /// Whether the device has a radio for beacons.
  public var hasBeaconHardware = true
  /// Whether that radio is on.
  public var isBluetoothOn = true
  /// What the device says of each source beside all this; see ``DiagnosticsSource``.
  public var reported: [DiagnosticsSource: Diagnostics] = [:]
  /// Whether the device is in airplane mode, and keeps the radios that positions come from off.
  public var isAirplaneModeOn = false

  public init() {}

  /// What suspends conditions of a kind; empty when nothing does.
  ///
  /// - `conditionUnsupported`: the device cannot watch the condition now: no hardware, Bluetooth off, or
  ///   airplane mode.
  /// - Before the user has decided, an app gets no events: `authorizationRequestInProgress` while the user is
  ///   being asked, `serviceSessionRequired` before, since holding a session asks the user.
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
    for (source, reported) in reported { diagnostics.formUnion(reported.intersection(source.suspending)) }
    return diagnostics
  }

  private func isSupported(_ kind: Condition.Kind) -> Bool {
    switch kind {
    case .geographic: hasLocationHardware && !isAirplaneModeOn
    case .beacon: hasBeaconHardware && isBluetoothOn
    }
  }

  /// Whether the device has what watching conditions of a kind takes: Core Location's
  /// `isMonitoringAvailable(for:)`. What the user allows, and what is switched off for the moment, does not
  /// count; ``diagnostics(for:)`` tells that.
  public func isMonitoringAvailable(for kind: Condition.Kind) -> Bool {
    switch kind {
    case .geographic: hasLocationHardware
    case .beacon: hasBeaconHardware
    }
  }
}
