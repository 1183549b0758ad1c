public import VicinityGeodesy

/// What an app asks of the standard location service: the properties of Core Location's `CLLocationManager`, with its
/// defaults.
public struct LocationSettings: Hashable, Sendable {
  /// What the app's user is about: `CLActivityType`. It sets how long the phone must stand before updates pause.
  public enum Activity: String, CaseIterable, Hashable, Sendable {
    /// Nothing in particular.
    case other
    /// Driving, on roads.
    case automotiveNavigation
    /// Any sport on foot.
    case fitness
    /// Other vehicles.
    case otherNavigation
    /// Flying: never at rest.
    case airborne

    /// After how many seconds at rest updates pause; nil for never.
    ///
    /// Not published. Assumed: a quarter of an hour (5 to 30 minutes), half of that for a car, which does not stand that long
    /// on its way.
    var pauseDelay: Double? {
      switch self {
      case .other, .fitness, .otherNavigation: 900
      case .automotiveNavigation: 450
      case .airborne: nil
      }
    }
  }

  /// How exact positions are to be; ``DesiredAccuracy/best`` by default.
  public var desiredAccuracy: DesiredAccuracy
  /// How far the phone must have gone since the last position that was delivered for another to be, metres; nil, the default,
  /// for all positions.
  public var distanceFilter: Meters?
  /// Whether updates pause while the phone stands; true by default.
  public var pausesAutomatically: Bool
  /// What the app's user is about; other, by default.
  public var activity: Activity
  /// Whether updates go on in the background; false by default. Needs the `location` mode.
  public var allowsBackgroundUpdates: Bool

  /// Settings.
  public init(
    desiredAccuracy: DesiredAccuracy = .best, distanceFilter: Meters? = nil, pausesAutomatically: Bool = true,
    activity: Activity = .other, allowsBackgroundUpdates: Bool = false
  ) {
    self.desiredAccuracy = desiredAccuracy
    self.distanceFilter = distanceFilter
    self.pausesAutomatically = pausesAutomatically
    self.activity = activity
    self.allowsBackgroundUpdates = allowsBackgroundUpdates
  }

  /// The filter, where it lets less than everything through.
  var effectiveFilter: Meters? { distanceFilter.flatMap { $0 > 0 ? $0 : nil } }
}

extension LocationSettings: CustomStringConvertible {
  public var description: String {
    var words = [desiredAccuracy.rawValue]
    if let effectiveFilter { words.append("filter \(effectiveFilter) m") }
    if pausesAutomatically { words.append("pauses (\(activity.rawValue))") }
    if allowsBackgroundUpdates { words.append("in the background") }
    return words.joined(separator: ", ")
  }
}
