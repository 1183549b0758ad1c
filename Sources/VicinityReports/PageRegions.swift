internal import VicinityGeodesy
internal import VicinityIndex

/// The regions that a page draws, each once.
struct PageRegions {
  private let index: RegionIndex
  private var places: [Int: Int] = [:]
  private(set) var rows: [JSONValue] = []

  init(_ index: RegionIndex) { self.index = index }

  /// How many there are so far.
  var count: Int { rows.count }

  /// The number of a region on the page, by its identifier; nil for one that is in no index.
  mutating func number(of identifier: String, isNear: Bool) -> Int? {
    index.ordinal(of: identifier).map { number(of: $0, isNear: isNear) }
  }

  /// The number of a region on the page, by its ordinal.
  ///
  /// - Parameter isNear: Whether the map shows it at first.
  mutating func number(of ordinal: Int, isNear: Bool) -> Int {
    if let known = places[ordinal] { return known }
    let region = index.region(at: ordinal)
    var row: [String: JSONValue] = ["id": .string(region.identifier), "near": .bool(isNear)]
    switch region.shape {
    case .circle(let center, let radius):
      (row["latitude"], row["longitude"]) = (.rounded(center.latitude, 6), .rounded(center.longitude, 6))
      row["radius"] = .rounded(radius, 2)
    case .polygon(let polygon):
      let center = polygon.boundingCenter
      (row["latitude"], row["longitude"]) = (.rounded(center.latitude, 6), .rounded(center.longitude, 6))
      row["radius"] = .rounded(polygon.boundingRadius, 2)
      row["outline"] = .array(
        polygon.chains.map { chain in .array(chain.map { .array(JSONValue.coordinate($0)) }) })
    }
    places[ordinal] = rows.count
    rows.append(.object(row))
    return rows.count - 1
  }

  /// Adds regions around a place that nothing happened to: a map of twenty among thousands shows some of the thousands.
  mutating func addNeighbors(_ count: Int, of place: Coordinate) {
    guard let neighbors = try? index.nearest(count, to: place) else { return }
    for neighbor in neighbors { _ = number(of: neighbor.ordinal, isNear: false) }
  }
}

extension JSONValue {
  /// Latitude and longitude, to a decimetre.
  static func coordinate(_ place: Coordinate) -> [JSONValue] {
    [.rounded(place.latitude, 6), .rounded(place.longitude, 6)]
  }
}
