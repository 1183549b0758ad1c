import VicinityGeodesy
import VicinityIndex

/// Geometries of RFC 7946 text: longitude before latitude, exactly as held.
enum GeoJSONText {
  static func append(_ position: Coordinate, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "["))
    JSONText.append(exactly: position.longitude, to: &text)
    text.append(UInt8(ascii: ","))
    JSONText.append(exactly: position.latitude, to: &text)
    text.append(UInt8(ascii: "]"))
  }

  static func append(_ polygon: Polygon, to text: inout [UInt8]) {
    text.append(contentsOf: "null".utf8)
  }
}
