import VicinityFormats
import VicinityGeodesy

/// An array with one object per query, its neighbours inside; one query per line.
struct NearestJSON: NearestFormatter {
  /// Digits after the point of both distances.
  let decimals: Int

  var header: String { "[" }
  var separator: String { "," }
  var footer: String { "\n]\n" }

  func append(_ result: NearestResult, to text: inout [UInt8]) {
    text.append(contentsOf: ",\n".utf8)
    text.append(contentsOf: "{\"query\":".utf8)
    JSONText.append(result.query, to: &text)
    text.append(contentsOf: ",\"latitude\":".utf8)
    JSONText.append(exactly: result.position.latitude, to: &text)
    text.append(contentsOf: ",\"longitude\":".utf8)
    JSONText.append(exactly: result.position.longitude, to: &text)
    text.append(contentsOf: ",\"neighbours\":[".utf8)
    for (position, row) in result.rows.enumerated() {
      text.append(contentsOf: (position == 0 ? "{\"rank\":" : ",{\"rank\":").utf8)
      DecimalText.append(row.rank, to: &text)
      text.append(contentsOf: ",\"region\":".utf8)
      JSONText.append(row.region, to: &text)
      text.append(contentsOf: ",\"boundary_distance\":".utf8)
      JSONText.append(row.boundaryDistance, decimals: decimals, to: &text)
      text.append(contentsOf: ",\"centre_distance\":".utf8)
      JSONText.append(row.centerDistance, decimals: decimals, to: &text)
      text.append(UInt8(ascii: "}"))
    }
    text.append(contentsOf: "]}".utf8)
  }
}
