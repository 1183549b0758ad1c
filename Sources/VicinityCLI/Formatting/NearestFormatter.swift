/// The text of `nearest`, query by query; any query's text is made without knowing the others'.
protocol NearestFormatter: Sendable {
  /// Whether rows must carry the regions' shapes.
  var needsShapes: Bool { get }
  /// What comes before the first query.
  var header: String { get }
  /// What begins every item that ``append(_:to:)`` makes; left out once, before the first of all.
  var separator: String { get }
  /// What comes after the last query.
  var footer: String { get }
  /// Appends one query's neighbours.
  func append(_ result: NearestResult, to text: inout [UInt8])
}

extension NearestFormatter {
  var needsShapes: Bool { false }
  var separator: String { "" }
  var footer: String { "" }
}
