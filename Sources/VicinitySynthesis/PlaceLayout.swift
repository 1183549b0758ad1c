internal import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Where the regions of one place lie, metres east and north of its middle.
struct PlaceLayout: Sendable {
  typealias Offset = (east: Meters, north: Meters)

  private let arrangement: RegionSetGenerator.Arrangement
  private let spread: Meters
  private let count: Int
  /// The middles of quarters, the fullest first, and the shares of the regions up to each.
  private var quarters: [Offset] = []
  private var shares: [Double] = []
  /// Streets: whether one leads east, and how far it is off the middle.
  private var streets: [(isEastWest: Bool, distance: Meters)] = []
  private var columns = 1

  private static let quarterCount = 12
  /// The share of the regions that lie in no quarter.
  private static let scattered = 0.2

  /// No layout.
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
      // As many regions along a street as there are streets, about.
      for number in 0..<max(2, Int(Double(count).squareRoot().rounded(.up))) {
        let distance = spread / 2.5 * random.normal()
        streets.append((number % 2 == 0, max(-0.95 * spread, min(0.95 * spread, distance))))
      }
    }
  }

  /// Where a region of the place lies, by its number there, from zero.
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

  /// Anywhere in the disc, each area equally often.
  private func anywhere(_ random: inout RandomStream) -> Offset {
    let distance = spread * random.unit().squareRoot()
    let angle = 2 * .pi * random.unit()
    return (distance * sin(angle), distance * cos(angle))
  }

  /// An offset drawn back to the edge of the disc where it lies beyond.
  private func within(_ offset: Offset) -> Offset {
    let distance = (offset.east * offset.east + offset.north * offset.north).squareRoot()
    guard distance > spread else { return offset }
    return (offset.east * spread / distance, offset.north * spread / distance)
  }
}
