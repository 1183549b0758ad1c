import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
internal import VicinityPolygon

/// One query and its neighbours, nearest first.
struct NearestResult {
  var query: String
  var position: Coordinate
  var rows: [NearestRow]
}

/// One neighbour of one query.
struct NearestRow {
  /// 1 for the nearest.
  var rank: Int
  var region: String
  /// Signed, metres, negative inside.
  var boundaryDistance: Meters
  /// Metres; `nil` for polygons.
  var centerDistance: Meters?
  /// The region's shape; only for formats with ``NearestFormatter/needsShapes``.
  var shape: Region.Shape?

  /// Appends the columns of the CSV, but for the query, as members of an object of JSON. There may be
  /// millions of rows.
  fileprivate func appendMembers(to text: inout [UInt8], decimals: Int) {
    text += "\"rank\":".utf8
    DecimalText.append(rank, to: &text)
    text += ",\"region\":".utf8
    JSONText.append(region, to: &text)
    text += ",\"boundary_distance\":".utf8
    JSONText.append(boundaryDistance, decimals: decimals, to: &text)
    text += ",\"centre_distance\":".utf8
    JSONText.append(centerDistance, decimals: decimals, to: &text)
  }
}

/// The text of `nearest`, query by query. The text of a query does not depend on other queries.
protocol NearestFormatter: Sendable {
  /// Whether rows must carry the regions' shapes.
  var needsShapes: Bool { get }
  /// The text before the first query.
  var header: String { get }
  /// The text that every item begins with; it is removed once, before the first item.
  var separator: String { get }
  /// The text after the last query.
  var footer: String { get }
  /// Appends one query's neighbours.
  func append(_ result: NearestResult, to text: inout [UInt8])
}

extension NearestFormatter {
  var needsShapes: Bool { false }
  var separator: String { "" }
  var footer: String { "" }
}

/// A row for each neighbour: metres; no centre distance for polygons.
struct NearestCSV: NearestFormatter {
  /// Digits after the point of both distances.
  let decimals: Int
  /// Whether `latitude,longitude` of the query follow, degrees, as they were read.
  var showsCoordinates = false

  var header: String {
    "\(TableColumns.neighbors.header)\(showsCoordinates ? ",latitude,longitude" : "")\n"
  }

  func append(_ result: NearestResult, to text: inout [UInt8]) {
    let comma = UInt8(ascii: ",")
    var query: [UInt8] = []
    CSVText.append(result.query, to: &query)
    query.append(comma)
    var end: [UInt8] = []
    if showsCoordinates {
      end.append(comma)
      JSONText.append(exactly: result.position.latitude, to: &end)
      end.append(comma)
      JSONText.append(exactly: result.position.longitude, to: &end)
    }
    end.append(UInt8(ascii: "\n"))
    for row in result.rows {
      text.append(contentsOf: query)
      DecimalText.append(row.rank, to: &text)
      text.append(comma)
      CSVText.append(row.region, to: &text)
      text.append(comma)
      DecimalText.append(row.boundaryDistance, decimals: decimals, to: &text)
      text.append(comma)
      if let distance = row.centerDistance { DecimalText.append(distance, decimals: decimals, to: &text) }
      text.append(contentsOf: end)
    }
  }
}

/// An array with an object per query, its neighbours inside; one query per line.
struct NearestJSON: NearestFormatter {
  /// Digits after the point of both distances.
  let decimals: Int

  var header: String { "[" }
  var separator: String { "," }
  var footer: String { "\n]\n" }

  func append(_ result: NearestResult, to text: inout [UInt8]) {
    text += ",\n{\"query\":".utf8
    JSONText.append(result.query, to: &text)
    text += ",\"latitude\":".utf8
    JSONText.append(exactly: result.position.latitude, to: &text)
    text += ",\"longitude\":".utf8
    JSONText.append(exactly: result.position.longitude, to: &text)
    text += ",\"neighbours\":[".utf8
    for (i, row) in result.rows.enumerated() {
      text += (i == 0 ? "{" : ",{").utf8
      row.appendMembers(to: &text, decimals: decimals)
      text.append(UInt8(ascii: "}"))
    }
    text += "]}".utf8
  }
}

/// A feature per row (RFC 7946) with the columns of the CSV as properties.
///
/// The geometry is the query's point. On request it is the region: a circle is drawn as its centre, with its
/// `radius` as one more property; a polygon as its outline, which may be large and stands in every row again.
struct NearestGeoJSON: NearestFormatter {
  /// Digits after the point of both distances.
  let decimals: Int
  /// Whether regions are drawn instead of queries.
  var drawsRegions = false

  var needsShapes: Bool { drawsRegions }
  var header: String { "{\"type\":\"FeatureCollection\",\"features\":[" }
  var separator: String { "," }
  var footer: String { "\n]}\n" }

  func append(_ result: NearestResult, to text: inout [UInt8]) {
    for row in result.rows {
      text += ",\n{\"type\":\"Feature\",\"geometry\":".utf8
      if drawsRegions {
        appendGeometry(row.shape, to: &text)
      } else {
        append(result.position, to: &text)
      }
      text += ",\"properties\":{\"query\":".utf8
      JSONText.append(result.query, to: &text)
      text.append(UInt8(ascii: ","))
      row.appendMembers(to: &text, decimals: decimals)
      // A point with a radius would be read as a circle.
      if drawsRegions, case .circle(_, let radius)? = row.shape {
        text += ",\"radius\":".utf8
        JSONText.append(exactly: radius, to: &text)
      }
      text += "}}".utf8
    }
  }

  private func appendGeometry(_ shape: Region.Shape?, to text: inout [UInt8]) {
    switch shape {
    case .circle(let center, _): append(center, to: &text)
    case .polygon(let polygon): GeoJSONText.append(outlineOf: polygon.chains, to: &text)
    case nil: text += "null".utf8
    }
  }

  private func append(_ point: Coordinate, to text: inout [UInt8]) {
    text += "{\"type\":\"Point\",\"coordinates\":".utf8
    GeoJSONText.append(point, to: &text)
    text.append(UInt8(ascii: "}"))
  }
}
