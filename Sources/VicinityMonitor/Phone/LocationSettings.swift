public import VicinityGeodesy

/// The settings of the standard location service: the properties of Core Location's `CLLocationManager`, with
/// its defaults.
public struct LocationSettings: Hashable, Sendable {
  /// What the user is doing: `CLActivityType`. It decides how long the phone must stand still before updates
  /// pause.
  public enum Activity: String, CaseIterable, Hashable, Sendable {
    case other
    case automotiveNavigation
    case fitness
    case otherNavigation
    /// Flying: updates never pause.
    case airborne
  }

  /// The requested accuracy; `DesiredAccuracy.best` by default.
  public var desiredAccuracy: DesiredAccuracy
  /// How far the phone must move from the last delivered position before the next is delivered, metres; nil,
  /// the default, delivers all positions.
  public var distanceFilter: Meters?
  /// Whether updates pause while the phone stands still; true by default.
  public var pausesAutomatically: Bool
  public var activity: Activity
  /// Whether updates continue in the background; false by default. Needs the `location` mode.
  public var allowsBackgroundUpdates: Bool
  /// Whether the system shows in the background that the app uses location, by a blue bar or pill:
  /// `showsBackgroundLocationIndicator`; false by default. With permission in use only the system always
  /// shows it.
  public var showsIndicator: Bool

  public init(
    desiredAccuracy: DesiredAccuracy = .best, distanceFilter: Meters? = nil, pausesAutomatically: Bool = true,
    activity: Activity = .other, allowsBackgroundUpdates: Bool = false, showsIndicator: Bool = false
  ) {
    self.desiredAccuracy = desiredAccuracy
    self.distanceFilter = distanceFilter
    self.pausesAutomatically = pausesAutomatically
    self.activity = activity
    self.allowsBackgroundUpdates = allowsBackgroundUpdates
    self.showsIndicator = showsIndicator
  }

  /// The filter; nil when it lets everything through.
  package var effectiveFilter: Meters? { distanceFilter.flatMap { $0 > 0 ? $0 : nil } }
}

extension LocationSettings: CustomStringConvertible {
  public var description: String {
    var words = [desiredAccuracy.rawValue]
    if let effectiveFilter { words.append("filter \(effectiveFilter) m") }
    if pausesAutomatically { words.append("pauses (\(activity.rawValue))") }
    if allowsBackgroundUpdates { words.append("in the background") }
    if showsIndicator { words.append("shown") }
    return words.joined(separator: ", ")
  }
}

extension LocationSettings {
  /// Settings for updates that go on in the background and never pause by themselves.
  package init(continuous accuracy: DesiredAccuracy, distanceFilter: Meters? = nil) {
    self.init(
      desiredAccuracy: accuracy, distanceFilter: distanceFilter, pausesAutomatically: false,
      allowsBackgroundUpdates: true)
  }
}
