import VicinityTestSupport

@testable import VicinityPolygon

/// Planar polygons that try a validator: small whole numbers, so that rings meet in vertices and on edges all
/// the time.
struct PlanarPolygonSamples {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The next multipolygon; about half of them are valid.
  mutating func next() -> [PlanarPart] {
    var parts =
      switch random.below(8) {
      case 0: randomRings()
      case 1: triangles()
      case 2: boxes()
      case 3, 4: holesOf(cells())
      default: cells()
      }
    if random.below(3) == 0 { damage(&parts) }
    if random.below(2) == 0 { shear(&parts) }
    if random.below(4) == 0 { parts.shuffle(using: &random) }
    return parts
  }

  /// Closed, turned and wound at random.
  private mutating func ring(_ points: [SIMD2<Double>]) -> [SIMD2<Double>] {
    let start = random.below(points.count)
    var ring = Array(points[start...] + points[..<start])
    if random.below(2) == 0 { ring.reverse() }
    return ring + [ring[0]]
  }

  private mutating func point(_ size: Int) -> SIMD2<Double> {
    SIMD2(Double(random.below(size)), Double(random.below(size)))
  }

  /// Random vertices: mostly crossing.
  private mutating func randomRings() -> [PlanarPart] {
    let size = 3 + random.below(8)
    return (0...random.below(2)).map { _ in
      (0...random.below(3)).map { _ in
        let count = 3 + random.below(3)
        return ring((0..<count).map { _ in point(size) })
      }
    }
  }

  /// Many triangles as parts, or as holes of a square.
  private mutating func triangles() -> [PlanarPart] {
    let size = 5 + random.below(10)
    let rings = (0..<2 + random.below(6)).map { _ in
      // Small ones, so that some are apart.
      let corner = point(size)
      return ring([corner, corner + point(4), corner + point(4)])
    }
    if random.below(2) == 0 { return rings.map { [$0] } }
    let far = Double(size + 3)
    return [[ring([SIMD2(0, 0), SIMD2(far, 0), SIMD2(far, far), SIMD2(0, far)])] + rings]
  }

  /// Boxes in boxes, with the roles of exterior and hole given at random.
  private mutating func boxes() -> [PlanarPart] {
    var parts: [PlanarPart] = []
    for _ in 0..<1 + random.below(6) {
      let low = point(7)
      let size = SIMD2(1.0, 1) + point(7)
      let high = low + size
      let box = ring([low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)])
      if parts.isEmpty || random.below(2) == 0 {
        parts.append([box])
      } else {
        parts[random.below(parts.count)].append(box)
      }
    }
    return parts
  }

  /// A random set of a grid's cells, by its boundary: exteriors, and holes within them, touching in corners.
  private mutating func cells() -> [PlanarPart] {
    let size = 2 + random.below(6)
    let share = 0.3 + 0.6 * random.unit()
    var isFull = [Bool](repeating: false, count: (size + 2) * (size + 2))
    func index(_ x: Int, _ y: Int) -> Int { (y + 1) * (size + 2) + x + 1 }
    for y in 0..<size {
      for x in 0..<size { isFull[index(x, y)] = random.unit() < share }
    }
    // Components of full cells that share edges.
    var component = [Int](repeating: -1, count: isFull.count)
    var count = 0
    for start in isFull.indices where isFull[start] && component[start] < 0 {
      var waiting = [start]
      component[start] = count
      while let cell = waiting.popLast() {
        for step in [1, -1, size + 2, -(size + 2)] where isFull[cell + step] && component[cell + step] < 0 {
          component[cell + step] = count
          waiting.append(cell + step)
        }
      }
      count += 1
    }
    // Edges with the full cell on their left, by start. Where two start in one point, the walk turns left, or
    // right: one way gives rings that touch others, the other rings that touch themselves.
    let turnsLeft = random.below(4) != 0
    var parts = [PlanarPart](repeating: [], count: count)
    for own in 0..<count {
      var edges: [SIMD2<Int>: [SIMD2<Int>]] = [:]
      for y in 0..<size {
        for x in 0..<size where component[index(x, y)] == own {
          for (from, step, neighbor) in [
            (SIMD2(x, y), SIMD2(1, 0), index(x, y - 1)), (SIMD2(x + 1, y), SIMD2(0, 1), index(x + 1, y)),
            (SIMD2(x + 1, y + 1), SIMD2(-1, 0), index(x, y + 1)),
            (SIMD2(x, y + 1), SIMD2(0, -1), index(x - 1, y)),
          ] where component[neighbor] != own {
            edges[from, default: []].append(step)
          }
        }
      }
      var exterior: [[SIMD2<Double>]] = []
      var holes: [[SIMD2<Double>]] = []
      let starts = edges.keys.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
      for start in starts {
        while let first = edges[start]?.popLast() {
          var points = [start]
          var steps = [first]
          var place = start &+ first
          while place != start || !(edges[place] ?? []).isEmpty && !turnsLeft {
            guard var choices = edges[place], let last = steps.last else { break }
            let left = SIMD2(-last.y, last.x)
            let wanted = turnsLeft ? left : SIMD2(last.y, -last.x)
            guard let step = choices.first(where: { $0 == wanted }) ?? choices.first else { break }
            choices.removeAll { $0 == step }
            edges[place] = choices
            points.append(place)
            steps.append(step)
            place = place &+ step
          }
          let keepsAll = random.below(2) == 0
          let kept = points.indices.filter {
            keepsAll || steps[$0] != steps[$0 == 0 ? steps.count - 1 : $0 - 1]
          }
          let corners = kept.map { SIMD2(Double(points[$0].x), Double(points[$0].y)) }
          var area = 0.0
          for (a, b) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
            area += a.x * b.y - a.y * b.x
          }
          if area > 0 { exterior.append(ring(corners)) } else { holes.append(ring(corners)) }
        }
      }
      parts[own] = exterior + holes
    }
    parts.removeAll { $0.isEmpty }
    return parts.isEmpty ? boxes() : parts
  }

  /// A box with the parts as its holes, and their holes as islands. Holes that touch in corners may cut its
  /// inside in two.
  private mutating func holesOf(_ parts: [PlanarPart]) -> [PlanarPart] {
    let far = Double(8 + random.below(2))
    let corners: [SIMD2<Double>] = [SIMD2(-1, -1), SIMD2(far, -1), SIMD2(far, far), SIMD2(-1, far)]
    var box = [ring(corners)]
    var islands: [PlanarPart] = []
    for part in parts {
      box.append(part[0])
      for island in part.dropFirst() { islands.append([island]) }
    }
    return [box] + islands
  }

  /// Moves, repeats or drops a vertex or a ring.
  private mutating func damage(_ parts: inout [PlanarPart]) {
    let part = random.below(parts.count)
    let ring = random.below(parts[part].count)
    var points = Array(parts[part][ring].dropLast())
    let vertex = random.below(points.count)
    switch random.below(7) {
    case 0: points[vertex] += point(3) - SIMD2(1, 1)
    case 1: points.insert(points[vertex], at: vertex)
    case 2: points.insert(0.5 * (points[vertex] + points[(vertex + 1) % points.count]), at: vertex + 1)
    case 3 where points.count > 3: points.remove(at: vertex)
    case 4: parts.append([parts[part][ring]])
    case 5: parts[random.below(parts.count)].append(parts[part][ring])
    case 6 where parts[part].count > 1 && ring > 0:
      parts.append([parts[part].remove(at: ring)])
      return
    default: points.insert(points[vertex] + point(3) - SIMD2(1, 1), at: vertex)
    }
    parts[part][ring] = points + [points[0]]
  }

  /// Whole numbers stay whole, collinear points collinear, but nothing is parallel to the axes.
  private mutating func shear(_ parts: inout [PlanarPart]) {
    let a = Double(random.below(5)) - 2
    let b = Double(random.below(5)) - 2
    for i in parts.indices {
      for k in parts[i].indices {
        parts[i][k] = parts[i][k].map { p in
          let q = SIMD2(p.x + a * p.y, p.y)
          return SIMD2(q.x, q.y + b * q.x)
        }
      }
    }
  }
}
