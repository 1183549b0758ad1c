import ArgumentParser
import VicinityGeodesy

/// `LAT,LON` in degrees, such as `-33.9,151.2`.
enum PositionArgument {
  /// Two decimal numbers around one comma, the latitude within -90...90 and the
  /// longitude within those of files (`CoordinateLimits`).
  ///
  /// Spaces around the numbers are fine; `nan`, infinities and hexadecimal are not numbers here.
  ///
  /// - Throws: `ValidationError` that says what is wrong.
  @Sendable
  static func coordinate(_ text: String) throws -> Coordinate {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw ValidationError("expected latitude and longitude, separated by one comma")
    }
    guard let latitude = number(parts[0]) else { throw ValidationError("the latitude is not a number") }
    guard let longitude = number(parts[1]) else { throw ValidationError("the longitude is not a number") }
    guard (-90...90).contains(latitude) else {
      throw ValidationError(
        "the latitude must lie in -90...90" + (abs(longitude) <= 90 ? "; it comes before the longitude" : ""))
    }
    let limit = CoordinateLimits.longitude
    guard (-limit...limit).contains(longitude) else {
      throw ValidationError("the longitude must lie in -\(Int(limit))...\(Int(limit))")
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func number(_ text: Substring) -> Double? {
    let trimmed = text.drop { $0 == " " }
    let end = trimmed.lastIndex { $0 != " " }.map(trimmed.index(after:)) ?? trimmed.startIndex
    let digits = trimmed[..<end]
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    // 1e999 overflows to infinity.
    return Double(digits).flatMap { $0.isFinite ? $0 : nil }
  }
}
