internal import VicinityEvaluation
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// The regions that a page draws, each once. Scripts refer to them by their index in ``rows``.
struct PageRegions {
  private let index: RegionIndex
  private var numbers: [Int: Int] = [:]
  private(set) var rows: [JSONValue] = []

  init(_ index: RegionIndex) { self.index = index }

  var count: Int { rows.count }

  /// The number of a region on the page, by its identifier; nil for a region that is not in the index.
  mutating func number(of identifier: String, isNear: Bool) -> Int? {
    index.ordinal(of: identifier).map { number(of: $0, isNear: isNear) }
  }

  /// The number of a region on the page, by its ordinal.
  ///
  /// - Parameter isNear: Whether the map's first view includes it.
  mutating func number(of ordinal: Int, isNear: Bool) -> Int {
    if let known = numbers[ordinal] { return known }
    let region = index.region(at: ordinal)
    var row: [String: JSONValue] = ["id": .string(region.identifier), "near": .bool(isNear)]
    if let circle = index.enclosingCircle(of: ordinal) {
      row["latitude"] = .rounded(circle.center.latitude, 6)
      row["longitude"] = .rounded(circle.center.longitude, 6)
      row["radius"] = .rounded(circle.radius, 2)
    }
    if case .polygon(let polygon) = region.shape {
      row["outline"] = .array(
        polygon.chains.map { chain in .array(chain.map { .array(JSONValue.coordinate($0)) }) })
    }
    numbers[ordinal] = rows.count
    rows.append(.object(row))
    return rows.count - 1
  }

  /// Adds the regions nearest to a position, so that the map shows some regions that nothing happened to.
  mutating func addNeighbors(_ count: Int, of place: Coordinate) {
    guard let neighbors = try? index.nearest(count, to: place) else { return }
    for neighbor in neighbors { _ = number(of: neighbor.ordinal, isNear: false) }
  }
}
