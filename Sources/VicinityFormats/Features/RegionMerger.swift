internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon
internal import VicinityText

/// Regions whose polygons are merged where they have one identifier.
///
/// Keeps the rings of all polygons until the end, since any may get more parts.
struct RegionMerger {
  enum Shape {
    case circle(center: Coordinate, radius: Meters)
    case polygon(Polygon, rings: [FileRings])
  }

  private let strict: Bool
  private var identifiers: [String] = []
  private var shapes: [Shape] = []

  /// - Parameter strict: Whether parts that overlap are refused instead of being joined.
  init(strict: Bool) { self.strict = strict }

  /// Adds a region with a new identifier.
  mutating func add(_ identifier: UnsafeBufferPointer<UInt8>, _ shape: Shape) {
    identifiers.append(unsafe String(decoding: identifier, as: UTF8.self))
    shapes.append(shape)
  }

  func isSame(_ identifier: UnsafeBufferPointer<UInt8>, _ ordinal: Int) -> Bool {
    unsafe identifiers[ordinal].utf8.elementsEqual(identifier)
  }

  /// Adds `rings` to the region with this ordinal; false where one of the two is a circle.
  mutating func merge(_ rings: FileRings?, into ordinal: Int) -> Bool {
    guard let rings, case .polygon(let polygon, let earlier) = shapes[ordinal] else { return false }
    shapes[ordinal] = .polygon(polygon, rings: earlier + [rings])
    return true
  }

  /// Of how many rows a region is made.
  func rowCount(of ordinal: Int) -> Int {
    if case .polygon(_, let rings) = shapes[ordinal] { rings.count } else { 1 }
  }

  /// How many rows have become part of a region that was there already, in words: who chose a column that
  /// names several places alike sees it by that; nil where none has.
  var note: String? {
    let parts = shapes.indices.map(rowCount)
    guard let most = parts.max(), most > 1, let ordinal = parts.firstIndex(of: most) else { return nil }
    let rows = parts.reduce(0, +)
    return
      "\(rows) rows make \(DecimalText.count(parts.count, "region", "regions")), as polygons with one identifier are "
      + "merged: \"\(identifiers[ordinal])\" has \(most) of them"
  }

  /// The regions, each with all its parts, or what is wrong with those.
  func results() -> [RowValue<Region>] {
    shapes.enumerated().map { ordinal, shape in
      let identifier = identifiers[ordinal]
      switch shape {
      case .circle(let center, let radius):
        return .value(Region(identifier: identifier, center: center, radius: radius))
      case .polygon(let polygon, let rings):
        guard rings.count > 1 else {
          return .value(Region(identifier: identifier, polygon: polygon))
        }
        do throws(GeometryFault) {
          // Neighbours share an edge, which repair takes away.
          let whole = try FileRings.joined(rings).polygon(strict: strict).polygon
          return .value(Region(identifier: identifier, polygon: whole))
        } catch {
          return .fault("the parts of \"\(identifier)\" cannot be merged: \(error.message)")
        }
      }
    }
  }
}
