import VicinityFormats

/// `query,rank,region,boundary_distance,centre_distance`: metres; no centre distance for polygons.
struct NearestCSV: NearestFormatter {
  /// Digits after the point of both distances.
  let decimals: Int

  var header: String { "query,rank,region,boundary_distance,centre_distance\n" }

  func append(_ result: NearestResult, to text: inout [UInt8]) {
    let comma = UInt8(ascii: ",")
    var query: [UInt8] = []
    CSVText.append(result.query, to: &query)
    query.append(comma)
    for row in result.rows {
      text.append(contentsOf: query)
      DecimalText.append(row.rank, to: &text)
      text.append(comma)
      CSVText.append(row.region, to: &text)
      text.append(comma)
      DecimalText.append(row.boundaryDistance, decimals: decimals, to: &text)
      text.append(comma)
      if let distance = row.centerDistance { DecimalText.append(distance, decimals: decimals, to: &text) }
      text.append(UInt8(ascii: "\n"))
    }
  }
}
