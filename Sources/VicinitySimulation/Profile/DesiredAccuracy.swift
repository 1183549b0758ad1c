public import VicinityGeodesy
public import VicinityIndex

/// What an app asks of the standard location service: Core Location's `CLLocationAccuracy` constants.
public enum DesiredAccuracy: String, CaseIterable, Hashable, Sendable, Codable, CodingKeyRepresentable {
  /// The best, with sensors: `kCLLocationAccuracyBestForNavigation`.
  case bestForNavigation
  /// The best: `kCLLocationAccuracyBest`.
  case best
  /// `kCLLocationAccuracyNearestTenMeters`.
  case nearestTenMeters
  /// `kCLLocationAccuracyHundredMeters`.
  case hundredMeters
  /// `kCLLocationAccuracyKilometer`.
  case kilometer
  /// `kCLLocationAccuracyThreeKilometers`.
  case threeKilometers
  /// `kCLLocationAccuracyReduced`: 1 to 20 km, some times an hour.
  case reduced

  /// The raw value of the constant, metres; those below zero mean the best there is. From Core Location's headers.
  public var constant: Meters {
    switch self {
    case .bestForNavigation: -2
    case .best: -1
    case .nearestTenMeters: 10
    case .hundredMeters: 100
    case .kilometer: 1000
    case .threeKilometers: 3000
    case .reduced: 20_000
    }
  }

  /// The tier that queries are asked with.
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
