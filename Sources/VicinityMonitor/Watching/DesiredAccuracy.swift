public import VicinityIndex

/// The accuracy that an app requests from the standard location service: Core Location's `CLLocationAccuracy`
/// constants.
public enum DesiredAccuracy: String, CaseIterable, Hashable, Sendable, Codable, CodingKeyRepresentable {
  /// The best, with motion sensors: `kCLLocationAccuracyBestForNavigation`.
  case bestForNavigation
  /// `kCLLocationAccuracyBest`.
  case best
  /// `kCLLocationAccuracyNearestTenMeters`.
  case nearestTenMeters
  /// `kCLLocationAccuracyHundredMeters`.
  case hundredMeters
  /// `kCLLocationAccuracyKilometer`.
  case kilometer
  /// `kCLLocationAccuracyThreeKilometers`.
  case threeKilometers
  /// `kCLLocationAccuracyReduced`: 1 to 20 km, a few times an hour.
  case reduced

  /// Whether the tier is that of a hundred metres or better.
  var isHundredMetersOrBetter: Bool {
    switch self {
    case .bestForNavigation, .best, .nearestTenMeters, .hundredMeters: true
    case .kilometer, .threeKilometers, .reduced: false
    }
  }

  /// The corresponding tier of queries.
  public var tier: Tier {
    switch self {
    case .bestForNavigation, .best: .best
    case .nearestTenMeters: .nearestTenMeters
    case .hundredMeters: .hundredMeters
    case .kilometer: .kilometer
    case .threeKilometers, .reduced: .threeKilometers
    }
  }
}
