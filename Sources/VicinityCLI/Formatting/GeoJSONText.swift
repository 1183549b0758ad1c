import VicinityCrossings
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

  /// Appends the outline of the region bounded by `chains`, its vertices joined by straight lines on the
  /// map; `null` where they bound none.
  static func append(outlineOf chains: [[Coordinate]], to text: inout [UInt8]) {
    guard let outline = MapOutline(chains: chains) else {
      text.append(contentsOf: "null".utf8)
      return
    }
    let isSingle = outline.polygons.count == 1
    text.append(contentsOf: "{\"type\":\"\(isSingle ? "Polygon" : "MultiPolygon")\",\"coordinates\":".utf8)
    if isSingle, let polygon = outline.polygons.first {
      append(list: polygon, to: &text) { append(list: $0, to: &$1) { append($0, to: &$1) } }
    } else {
      append(list: outline.polygons, to: &text) {
        append(list: $0, to: &$1) { append(list: $0, to: &$1) { append($0, to: &$1) } }
      }
    }
    text.append(UInt8(ascii: "}"))
  }

  private static func append<Element>(
    list: [Element], to text: inout [UInt8], each: (Element, inout [UInt8]) -> Void
  ) {
    text.append(UInt8(ascii: "["))
    for (position, element) in list.enumerated() {
      if position > 0 { text.append(UInt8(ascii: ",")) }
      each(element, &text)
    }
    text.append(UInt8(ascii: "]"))
  }
}
