import VicinityFormats
import VicinityGeodesy
import VicinityIndex

/// A feature per row (RFC 7946): the region's place, and the columns of the CSV as properties.
///
/// A circle is its centre, with its `radius` as one more property; a polygon is its outline.
struct NearestGeoJSON: NearestFormatter {
  /// Digits after the point of both distances.
  let decimals: Int

  var needsShapes: Bool { true }
  var header: String { "{\"type\":\"FeatureCollection\",\"features\":[" }
  var separator: String { "," }
  var footer: String { "\n]}\n" }

  func append(_ result: NearestResult, to text: inout [UInt8]) {
    for row in result.rows {
      text.append(contentsOf: ",\n".utf8)
      text.append(contentsOf: "{\"type\":\"Feature\",\"geometry\":".utf8)
      appendGeometry(row.shape, to: &text)
      text.append(contentsOf: ",\"properties\":{\"query\":".utf8)
      JSONText.append(result.query, to: &text)
      text.append(contentsOf: ",\"rank\":".utf8)
      DecimalText.append(row.rank, to: &text)
      text.append(contentsOf: ",\"region\":".utf8)
      JSONText.append(row.region, to: &text)
      text.append(contentsOf: ",\"boundary_distance\":".utf8)
      JSONText.append(row.boundaryDistance, decimals: decimals, to: &text)
      text.append(contentsOf: ",\"centre_distance\":".utf8)
      JSONText.append(row.centerDistance, decimals: decimals, to: &text)
      if case .circle(_, let radius)? = row.shape {
        text.append(contentsOf: ",\"radius\":".utf8)
        JSONText.append(exactly: radius, to: &text)
      }
      text.append(contentsOf: "}}".utf8)
    }
  }

  private func appendGeometry(_ shape: Region.Shape?, to text: inout [UInt8]) {
    switch shape {
    case .circle(let center, _):
      text.append(contentsOf: "{\"type\":\"Point\",\"coordinates\":".utf8)
      GeoJSONText.append(center, to: &text)
      text.append(UInt8(ascii: "}"))
    case .polygon(let polygon):
      GeoJSONText.append(outlineOf: polygon.chains, to: &text)
    case nil:
      text.append(contentsOf: "null".utf8)
    }
  }
}
