internal import CMath
internal import VicinityGeodesy

/// The positions of the regions of one place, metres east and north of its centre.
struct PlaceLayout: Sendable {
  typealias Offset = (east: Meters, north: Meters)

  private let arrangement: RegionSetGenerator.Arrangement
  private let spread: Meters
  private let count: Int
  /// The centres of the quarters, the fullest first, and the cumulative shares of the regions.
  private var quarters: [Offset] = []
  private var shares: [Double] = []
  /// The streets: direction, and distance from the centre.
  private var streets: [(isEastWest: Bool, distance: Meters)] = []
  private var columns = 1

  private static let quarterCount = 12
  /// The share of the regions outside the quarters.
  private static let scattered = 0.2

  /// An empty layout.
  init() { (arrangement, spread, count) = (.uniform, 0, 0) }

  init(
    _ arrangement: RegionSetGenerator.Arrangement, spread: Meters, count: Int, _ random: inout RandomStream
  ) {
    self.arrangement = arrangement
    self.spread = spread
    self.count = count
    switch arrangement {
    case .uniform: break
    case .grid: columns = max(1, Int(Double(count).squareRoot().rounded(.up)))
    case .clusters:
      quarters = [(0, 0)]
      var sum = 1.0
      shares = [1]
      for rank in 2...Self.quarterCount {
        quarters.append(anywhere(&random))
        sum += 1 / Double(rank)
        shares.append(sum)
      }
      shares = shares.map { $0 / sum }
    case .streets:
      // About as many regions along a street as there are streets.
      for number in 0..<max(2, Int(Double(count).squareRoot().rounded(.up))) {
        let distance = spread / 2.5 * random.normal()
        streets.append((number % 2 == 0, max(-0.95 * spread, min(0.95 * spread, distance))))
      }
    }
  }

  /// The offset of a region, given its number within the place, from zero.
  func offset(_ number: Int, _ random: inout RandomStream) -> Offset {
    switch arrangement {
    case .uniform: return anywhere(&random)
    case .grid:
      let side = spread * 2.0.squareRoot()
      let rows = (count + columns - 1) / columns
      let east = (Double(number % columns) + 0.5) / Double(columns) - 0.5
      let north = (Double(number / columns) + 0.5) / Double(rows) - 0.5
      return (east * side, north * side)
    case .clusters:
      if random.unit() < Self.scattered { return anywhere(&random) }
      let share = random.unit()
      let quarter = quarters[shares.firstIndex { share < $0 } ?? 0]
      let width = spread / 16
      return within((quarter.east + width * random.normal(), quarter.north + width * random.normal()))
    case .streets:
      let street = streets[min(streets.count - 1, Int(random.unit() * Double(streets.count)))]
      let half = (spread * spread - street.distance * street.distance).squareRoot()
      let along = half * (2 * random.unit() - 1)
      let side = (random.unit() < 0.5 ? -1 : 1) * (5 + 20 * random.unit())
      let across = street.distance + side
      return within(street.isEastWest ? (along, across) : (across, along))
    }
  }

  /// A uniformly distributed offset in the disc.
  private func anywhere(_ random: inout RandomStream) -> Offset {
    let distance = spread * random.unit().squareRoot()
    let angle = 2 * .pi * random.unit()
    return (distance * sin(angle), distance * cos(angle))
  }

  /// The offset, moved to the edge of the disc when it lies beyond.
  private func within(_ offset: Offset) -> Offset {
    let distance = (offset.east * offset.east + offset.north * offset.north).squareRoot()
    guard distance > spread else { return offset }
    return (offset.east * spread / distance, offset.north * spread / distance)
  }
}
