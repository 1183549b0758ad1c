/// The text of `nearest`, made piece by piece so that any number of queries takes bounded memory.
protocol NearestFormatter {
  /// Whether rows must carry the regions' shapes.
  var needsShapes: Bool { get }
  /// Appends what comes before the first query.
  mutating func start(_ text: inout [UInt8])
  /// Appends one query's neighbours.
  mutating func add(_ result: NearestResult, to text: inout [UInt8])
  /// Appends what was held back for the sake of layout.
  mutating func endBatch(_ text: inout [UInt8])
  /// Appends what comes after the last query.
  mutating func finish(_ text: inout [UInt8])
}

extension NearestFormatter {
  var needsShapes: Bool { false }
  mutating func endBatch(_ text: inout [UInt8]) {}
}
