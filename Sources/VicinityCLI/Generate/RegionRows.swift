import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
internal import VicinityPolygon

/// Regions as CSV: `id,latitude,longitude,radius`, and `wkt` where there are polygons.
struct RegionRows {
  let hasPolygons: Bool

  func header(to text: inout [UInt8]) {
    text.append(contentsOf: Array("id,latitude,longitude,radius\(hasPolygons ? ",wkt" : "")\n".utf8))
  }

  func append(_ region: Region, to text: inout [UInt8]) {
    CSVText.append(region.identifier, to: &text)
    switch region.shape {
    case .circle(let center, let radius):
      CSVCoordinates.append(center, to: &text)
      text.append(UInt8(ascii: ","))
      DecimalText.append(radius, decimals: 1, to: &text)
      if hasPolygons { text.append(UInt8(ascii: ",")) }
    case .polygon(let polygon):
      text.append(contentsOf: Array(",,,,".utf8))
      var outline = "POLYGON("
      for (index, ring) in polygon.chains.enumerated() {
        outline += index == 0 ? "(" : ",("
        for (place, vertex) in ring.enumerated() {
          if place > 0 { outline += "," }
          outline += CSVCoordinates.text(vertex.longitude) + " " + CSVCoordinates.text(vertex.latitude)
        }
        outline += ")"
      }
      CSVText.append(outline + ")", to: &text)
    }
    text.append(UInt8(ascii: "\n"))
  }
}

/// Degrees in rows that are made up: seven decimals, a centimetre.
enum CSVCoordinates {
  private static let decimals = 7

  /// Two cells, each after a comma.
  static func append(_ place: Coordinate, to text: inout [UInt8]) {
    text.append(UInt8(ascii: ","))
    DecimalText.append(place.latitude, decimals: decimals, to: &text)
    text.append(UInt8(ascii: ","))
    DecimalText.append(place.longitude, decimals: decimals, to: &text)
  }

  static func text(_ degrees: Degrees) -> String { DecimalText.string(degrees, decimals: decimals) }
}
