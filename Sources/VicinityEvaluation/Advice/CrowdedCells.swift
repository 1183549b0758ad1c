internal import CMath
internal import VicinityGeodesy

/// Where plans were saturated, by squares of about 500 m.
struct CrowdedCells: Sendable {
  private struct Key: Hashable {
    var row: Int
    var column: Int
  }

  private var cells: [Key: RadiusAdvice.CrowdedPlace] = [:]

  mutating func add(_ place: RadiusAdvice.CrowdedPlace) {
    let row = Int((place.coordinate.latitude * (111_132.0 / 500)).rounded(.down))
    // The length of a degree in the middle of the row, so that all squares of a row are the same size.
    let middle = (Double(row) + 0.5) * (500 / 111_132.0)
    let width = max(1, 111_320 * cos(middle * (.pi / 180)))
    let column = Int((place.coordinate.longitude.remainder(dividingBy: 360) * (width / 500)).rounded(.down))
    let key = Key(row: row, column: column)
    guard var known = cells[key] else {
      cells[key] = place
      return
    }
    if place.wanted > known.wanted {
      (known.coordinate, known.wanted, known.leftOut) = (place.coordinate, place.wanted, place.leftOut)
    }
    known.seconds += place.seconds
    cells[key] = known
  }

  /// The crowded places of several tracks: most wanted first, then longest, then from the south-west.
  static func merged(_ all: [CrowdedCells]) -> [RadiusAdvice.CrowdedPlace] {
    var sum = CrowdedCells()
    for cells in all {
      // Sorted, so that the order of adding seconds does not depend on a dictionary's order.
      for place in cells.sorted { sum.add(place) }
    }
    return sum.sorted
  }

  private var sorted: [RadiusAdvice.CrowdedPlace] {
    cells.values.sorted { a, b in
      if a.wanted != b.wanted { return a.wanted > b.wanted }
      if a.seconds != b.seconds { return a.seconds > b.seconds }
      return (a.coordinate.latitude, a.coordinate.longitude) < (b.coordinate.latitude, b.coordinate.longitude)
    }
  }
}
