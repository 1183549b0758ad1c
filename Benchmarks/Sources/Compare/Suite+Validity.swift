import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// A polygon from its ring, ours and GEOS's: ours is cleaned, judged and packed for queries, GEOS's made
  /// and judged.
  ///
  /// The rings are a tenth of a degree wide, and their edges neither cross nor touch: a star of seven rough
  /// arms, a comb whose teeth are as long as it is high, and a double spiral.
  func validity() throws -> Section {
    var section = Section()
    guard matches("validity") else { return section }
    let sizes = isFull ? [1_000, 100_000, 1_000_000] : [1_000, 100_000]
    for (name, ring) in [("star", Rings.star), ("comb", Rings.comb), ("spiral", Rings.spiral)] {
      for size in sizes {
        progress.show("validity: \(name) of \(size)")
        let vertices = ring(size)
        var ours: [Double] = []
        var peer: [Double] = []
        for _ in 0..<max(3, effort.repetitions / 3) {
          ours.append(try Cost.of { try Polygon(exterior: vertices).edgeCount }.1.cpu * 1e9)
          peer.append(try library.validityNanoseconds(vertices))
        }
        let count = Double(vertices.count)
        section.add("polygon of \(size), \(name): vicinity", ours.percentile(0.5) / count, "ns a vertex")
        section.add("polygon of \(size), \(name): GEOS", peer.percentile(0.5) / count, "ns a vertex")
      }
    }
    progress.clear()
    return section
  }
}

/// Simple rings, the first vertex not repeated.
enum Rings {
  private static let center = Coordinate(latitude: 48.2, longitude: 16.4)

  private static func vertex(_ x: Double, _ y: Double) -> Coordinate {
    Coordinate(latitude: center.latitude + 0.1 * y, longitude: center.longitude + 0.1 * x)
  }

  static func star(_ count: Int) -> [Coordinate] {
    var random = SplitMix64(seed: 11)
    return (0..<count).map { i in
      let angle = 2 * Double.pi * Double(i) / Double(count)
      let radius = 0.5 + 0.3 * sin(7 * angle) + 3 / Double(count) * random.unit()
      return vertex(radius * cos(angle), radius * sin(angle))
    }
  }

  static func comb(_ count: Int) -> [Coordinate] {
    let teeth = count / 2
    let top = (0..<teeth).flatMap { i in
      let x = Double(i) / Double(teeth)
      return [vertex(x, 0.1), vertex(x + 0.5 / Double(teeth), 0.9)]
    }
    return [vertex(1, 0), vertex(0, 0)] + top
  }

  /// Out along one arm and back along the other, half a turn's width inside it.
  static func spiral(_ count: Int) -> [Coordinate] {
    let arm = count / 2
    let turns = max(3, Double(arm).squareRoot() / 4)
    func point(_ i: Int, _ shift: Double) -> Coordinate {
      let turn = turns * Double(i) / Double(arm) + 1
      let radius = (turn - shift) / (turns + 1)
      return vertex(radius * cos(2 * .pi * turn), radius * sin(2 * .pi * turn))
    }
    return (0..<arm).map { point($0, 0) } + (0..<arm).reversed().map { point($0, 0.4) }
  }
}
