internal import VicinityGeodesy

/// An error in the parameters of a generator, or in a generated region.
public enum GenerationError: Error, Hashable, Sendable {
  /// A parameter is out of its range, or NaN.
  case outOfRange(parameter: String, value: Double, allowed: String)
  /// There are no places to generate regions around.
  case noPlaces
  /// The coordinate of a place is invalid; its number, from 1.
  case invalidPlace(number: Int, latitude: Double, longitude: Double)
  /// A text does not describe a distribution of radii.
  case unknownDistribution(String)
  /// A generated region is invalid; its number, from 1, and why.
  case region(number: Int, reason: String)
}

extension GenerationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .outOfRange(let parameter, let value, let allowed):
      "\(parameter) cannot be \(value.shortestText); allowed is \(allowed)"
    case .noPlaces: "there is no place to put regions around"
    case .invalidPlace(let number, let latitude, let longitude):
      "place \(number) is none: latitude \(latitude), longitude \(longitude)"
    case .unknownDistribution(let text):
      "no radii \"\(text)\"; radii are a number of metres, LOW-HIGH, uniform:LOW-HIGH or log-uniform:LOW-HIGH"
    case .region(let number, let reason): "region \(number): \(reason)"
    }
  }
}
