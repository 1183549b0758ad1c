internal import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex
internal import VicinityPolygon

/// Everything that can be asked of an index, to find bytes that make it crash or hang.
public enum IndexExercise {
  /// Positions that are hard for somebody.
  public static let positions = [
    Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 48.2, longitude: 16.37),
    Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: -33.9, longitude: -180),
  ]

  /// Asks everything; some number that depends on all answers.
  @discardableResult
  public static func run(_ index: RegionIndex, positions: [Coordinate] = positions) throws -> Int {
    var sum = 0
    for position in positions {
      for k in [1, 20, 65, index.count + 1] {
        sum &+= use(try index.nearest(k, to: position))
      }
      let coarse = QueryOptions(tolerance: 1000, maximumDistance: 1e6)
      sum &+= use(try index.nearest(5, to: position, options: coarse))
      let scan = QueryOptions(usesBruteForce: true)
      sum &+= use(try index.nearest(20, to: position, options: scan))
      sum &+= use(try index.within(.infinity, of: position))
      sum &+= use(try index.containing(position))
    }
    let table = try index.nearest(3, toEach: positions, threads: 1)
    for i in 0..<table.count { sum &+= use(table[i]) }
    var moving = index.movingQuery(count: 2)
    for position in positions
      + positions.map({ Coordinate(latitude: $0.latitude, longitude: $0.longitude + 1e-3) })
    {
      sum &+= try moving.move(to: position) ? 1 : 0
      for ordinal in moving.ordinals { sum &+= index.identifier(of: ordinal).utf8.count }
    }
    for ordinal in 0..<min(index.count, 64) {
      let region = index.region(at: ordinal)
      sum &+= index.ordinal(of: region.identifier) ?? -1
      if case .polygon(let polygon) = region.shape {
        sum &+= polygon.edgeCount &+ polygon.vertexCount
        sum &+= try polygon.contains(Coordinate(latitude: 1, longitude: 2)) ? 1 : 0
      }
    }
    sum &+= index.ordinal(of: "no such region") ?? -1
    sum &+= index.details(comparingChecksums: true).sections.count
    return sum
  }

  private static func use(_ neighbors: Neighbors) -> Int {
    neighbors.reduce(0) { $0 &+ $1.ordinal &+ $1.identifier.utf8.count }
  }

  /// What is wrong with the answers of an index whose contents have been verified: nil when each is the
  /// authority's, and the scan with the reference says of every circle what PROJ says of the circle that the
  /// index names by its ordinal.
  public static func disagreement(
    _ index: RegionIndex, positions: [Coordinate] = positions
  ) throws -> String? {
    for position in positions {
      let scan = try index.nearest(
        index.count, to: position, options: QueryOptions(usesBruteForce: true))
      for k in [1, 7, index.count] {
        let found = try index.nearest(k, to: position)
        guard found.count == min(k, index.count) else {
          return "\(found.count) of \(k) nearest to \(position)"
        }
        for (a, b) in zip(found, scan) where !(abs(a.distance - b.distance) <= 1e-3) {
          return "nearest \(k) to \(position): \(a) where \(b) belongs"
        }
      }
      guard scan.count == index.count, Set(scan.map(\.ordinal)) == Set(0..<index.count) else {
        return "not every region is found from \(position)"
      }
      for neighbor in scan {
        guard case .circle(let center, let radius) = index.region(at: neighbor.ordinal).shape else {
          continue
        }
        let distance = try Geodesic.distance(from: position, to: center) - radius
        guard abs(neighbor.distance - distance) <= 1e-6 else {
          return "\(neighbor) is \(distance) m from \(position)"
        }
      }
    }
    for ordinal in 0..<index.count where !index.identifier(of: ordinal).unicodeScalars.contains("\u{FFFD}") {
      guard index.ordinal(of: index.identifier(of: ordinal)) == ordinal else {
        return "region \(ordinal) is not found by its identifier"
      }
    }
    return nil
  }
}
