import VicinityGeodesy

/// An array with one object per query, its neighbours inside; one query per line.
struct NearestJSON: NearestFormatter {
  /// Digits after the point of both distances.
  let decimals: Int
  private var isFirst = true

  init(decimals: Int) { self.decimals = decimals }

  func start(_ text: inout [UInt8]) {
    text.append(UInt8(ascii: "["))
  }

  mutating func add(_ result: NearestResult, to text: inout [UInt8]) {
    text.append(contentsOf: (isFirst ? "\n" : ",\n").utf8)
    isFirst = false
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

  func finish(_ text: inout [UInt8]) {
    text.append(contentsOf: "\n]\n".utf8)
  }
}
