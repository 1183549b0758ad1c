import ArgumentParser
import VicinityGeodesy

/// `LAT,LON` in degrees, such as `-33.9,151.2`.
struct PositionArgument: ExpressibleByArgument, Equatable {
  var coordinate: Coordinate

  /// Two decimal numbers around one comma, the latitude within -90...90; `nil` for anything else.
  ///
  /// Spaces around the numbers are fine; `nan`, infinities and hexadecimal are not numbers here.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let lat = Self.number(parts[0]), let lon = Self.number(parts[1]) else { return nil }
    coordinate = Coordinate(latitude: lat, longitude: lon)
    guard coordinate.isValid else { return nil }
  }

  private static func number(_ text: Substring) -> Double? {
    let trimmed = text.drop { $0 == " " }
    let end = trimmed.lastIndex { $0 != " " }.map(trimmed.index(after:)) ?? trimmed.startIndex
    let digits = trimmed[..<end]
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Double(digits)
  }
}
