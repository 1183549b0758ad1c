internal import CMath
internal import CVicinityKernels
package import VicinityGeodesy

/// The least distance from a far position to a polygon's boundary, found by the slope of the distance.
///
/// From far away, chords to the boundary are of little use: they fall behind the geodesic by hundreds of
/// kilometres, and the more the farther a point is. But the distance d from the position is nearly linear
/// over a small region (``Expansion``). Of all points of a county this leaves one or two, and these are
/// measured by the solver.
@usableFromInline
package struct FarBoundary {
  private let view: PolygonView
  private let layout: PolygonLayout
  private let groupsOffset: Int
  private let position: Coordinate
  private let place: ECEF
  private let origin: Vector3
  /// The least distance found, or the cutoff, metres.
  private var limit: Meters
  /// The least distance found, metres; infinite where none is below the cutoff.
  package private(set) var best = Double.infinity
  /// The point measured last, and its distance, metres; the next edge begins there.
  private var point = Vector3(.infinity, 0, 0)
  private var pointDistance = Double.infinity
  /// How many points were measured; tests ask.
  private(set) var measuredCount = 0

  /// Regions with a lower bound beyond this are measured this way, metres.
  @inlinable package static var nearest: Float { 3_000_000 }
  /// Regions with a larger radius are taken group by group, metres.
  private static let widest: Meters = 600_000
  /// Beyond this the bound does not hold, metres: some way before πb.
  fileprivate static let farthest: Meters = 19_900_000
  /// From here on the distance has no minimum within an edge: πR₊/2 = 10 052 km, as R₊⁻² is the least
  /// curvature.
  private static let concaveLimit: Meters = 10_060_000

  package init(_ view: PolygonView, from position: Coordinate, _ place: ECEF, cutoff: Meters) {
    self.view = view
    self.position = position
    self.place = place
    layout = view.layout
    groupsOffset = layout.groupsOffset
    origin = view.origin
    limit = cutoff
  }

  /// Measures the boundary.
  ///
  /// - Returns: False where this way is not certain; then nothing is known.
  package mutating func measure() -> Bool {
    let radius = view.boundingRadius
    if radius <= Self.widest { return measure(0..<layout.groupCount, around: origin, within: radius + 2) }
    guard radius < Polygon.unboundedRadius else { return false }
    return measureGroups()
  }

  @inline(__always)
  private func offset(ofGroup group: Int) -> Int { groupsOffset + group * PolygonLayout.groupSize }

  @inline(__always)
  private func center(ofGroupAt offset: Int) -> Vector3 { view.center(group: offset, origin: origin) }

  /// The radius of a ball around the centre that holds the group's points, metres.
  @inline(__always)
  private func size(ofGroupAt offset: Int) -> Meters {
    Double(view.float(offset + PolygonLayout.Group.size))
  }

  // MARK: Large regions

  /// Measures group by group, the nearest first; the images of the others on the auxiliary sphere
  /// (`vk_image_bound`) tell whether they matter.
  private mutating func measureGroups() -> Bool {
    var nearest = 0
    var least = Double.infinity
    for group in 0..<layout.groupCount {
      let chord = imageChord(group)
      if chord < least { (nearest, least) = (group, chord) }
    }
    guard measure(group: nearest) else { return false }
    let start = center(ofGroupAt: offset(ofGroup: nearest))
    let around = Expansion(at: EdgeKernel.Surface(lifting: start).point, from: place, reach: Self.widest)
    for group in 0..<layout.groupCount where group != nearest {
      // Beyond half a meridian there is no limit.
      let reach = limit < Self.farthest ? 2 * sin(limit * (0.5 / WGS84.b)) + 1e-6 : .infinity
      guard imageChord(group) <= reach else { continue }
      if let around {
        let offset = self.offset(ofGroup: group)
        let ball = around.ball(center(ofGroupAt: offset), size(ofGroupAt: offset))
        if ball.reach <= around.reach, around.lowerBound(ball) >= limit { continue }
      }
      if !measure(group: group) { return false }
    }
    return true
  }

  /// A lower bound of the chord to the images of a group's points, radii.
  private func imageChord(_ group: Int) -> Double {
    let offset = self.offset(ofGroup: group)
    let d = center(ofGroupAt: offset) - Vector3(place)
    let (x, y, z) = (d.x * (1 / WGS84.a), d.y * (1 / WGS84.a), d.z * (1 / WGS84.b))
    let size = self.size(ofGroupAt: offset)
    return (x * x + y * y + z * z).squareRoot() - size * (1.000001 / WGS84.b)
  }

  private mutating func measure(group: Int) -> Bool {
    let offset = self.offset(ofGroup: group)
    return measure(
      group..<group + 1, around: center(ofGroupAt: offset), within: size(ofGroupAt: offset))
  }

  // MARK: Groups near one place

  /// Measures groups all of whose points lie within `radius` metres of `center`, in a straight line or by
  /// geodesic.
  private mutating func measure(_ groups: Range<Int>, around center: Vector3, within radius: Meters) -> Bool {
    let c = EdgeKernel.Surface(lifting: center).point
    let reach = Expansion.reach(ofChord: radius + (c - center).length)
    guard reach < 2 * Self.widest, let around = Expansion(at: c, from: place, reach: reach) else {
      return false
    }
    if around.distance - reach > limit { return true }

    var nearest = (group: -1, lane: 0)
    var least = Double.infinity
    for group in groups {
      guard var bounds = self.bounds(ofGroup: group, around, below: min(least, limit)),
        bounds.smallest < least
      else { continue }
      least = bounds.smallest
      nearest = (group, bounds.nearestLane)
    }
    guard least < limit, nearest.group >= 0 else { return true }
    let offset = self.offset(ofGroup: nearest.group)
    _ = distance(to: view.place(group: offset, lane: nearest.lane, origin: origin))
    let bend = Bend(around.distance - reach, within: reach)
    for group in groups {
      guard var bounds = self.bounds(ofGroup: group, around, below: limit + bend.dip),
        bounds.smallest - bend.dip < limit
      else { continue }
      let offset = self.offset(ofGroup: group)
      let measured: UInt32 = group == nearest.group ? 1 << UInt32(nearest.lane) : 0
      measurePoints(bounds.lanes(below: limit) & ~measured, offset)
      guard bend.dip > 0 else { continue }
      let ends = bounds.lanes(below: limit + bend.dip)
      measureEdges(ends | ends >> 1, of: group, offset, along: around.along, bend)
    }
    return true
  }

  /// Lower bounds of the distances to a group's points; nil where none is below `limit` metres.
  @inline(__always)
  private func bounds(ofGroup group: Int, _ around: Expansion, below limit: Meters) -> GroupBounds? {
    let offset = self.offset(ofGroup: group)
    let (place, radius) = (center(ofGroupAt: offset), size(ofGroupAt: offset))
    guard !around.excludes(place, radius, limit) else { return nil }
    let ball = around.ball(place, radius)
    guard around.lowerBound(ball) < limit else { return nil }
    return GroupBounds(view, offset, around, ball)
  }

  /// Lower bounds of the distances to a group's seventeen points.
  private struct GroupBounds {
    private var advances = SIMD32<Float>()
    /// The bound of a point is `base` plus as many steps as it advances, metres.
    private let base: Meters
    private let step: Meters
    let smallest: Meters

    @inline(__always)
    init(_ view: PolygonView, _ offset: Int, _ around: Expansion, _ ball: Expansion.Ball) {
      let step = Double(view.float(offset + PolygonLayout.Group.step))
      let slack = around.slack(ball)
      // A point is within 0.867 steps of where its counts place it; the rest is for rounding, as is the
      // bend's millionth.
      let base = around.distance + ball.along - slack.along - step
      let (u, w, r) = (around.along, around.across, 1 / step)
      let (center, error) = (Float(ball.across * r), Float(1 + slack.across * r))
      let bend = Float(around.bend * step * 1.000001)
      // SAFETY: the group lies in the layout that validation compared with the length, and the vector has
      // room for twenty.
      let least = unsafe advances.withUnsafeFloats {
        unsafe vk_advances(
          view.base + offset, Float(u.x), Float(u.y), Float(u.z), Float(w.x), Float(w.y), Float(w.z), center,
          error, bend, $0)
      }
      self.step = step
      self.base = base
      smallest = base + step * Double(least)
    }

    /// The first point with the smallest bound.
    var nearestLane: Int {
      mutating get { lanes(below: smallest + 1e-6 * step).trailingZeroBitCount & 31 }
    }

    /// The points whose bounds are below `limit` metres, and perhaps some within rounding of it: bits 0
    /// to 16.
    @inline(__always)
    mutating func lanes(below limit: Meters) -> UInt32 {
      let most = Float(min((limit - base) / step, 1e30))
      let least = most + 1e-6 * abs(most) + 1e-6
      // SAFETY: the vector has more than seventeen numbers.
      return unsafe advances.withUnsafeFloats {
        unsafe vk_below16($0, least) | ($0[PolygonLayout.groupWidth] < least ? 1 << 16 : 0)
      }
    }
  }

  /// Measures some of a group's points.
  @inline(__always)
  private mutating func measurePoints(_ lanes: UInt32, _ offset: Int) {
    var lanes = lanes
    while lanes != 0 {
      _ = distance(to: view.place(group: offset, lane: lanes.trailingZeroBitCount, origin: origin))
      lanes &= lanes - 1
    }
  }

  /// Measures those of some edges of a group that may have their nearest point between their ends.
  @inline(never)
  private mutating func measureEdges(
    _ lanes: UInt32, of group: Int, _ offset: Int, along u: Vector3, _ bend: Bend
  ) {
    let edges = min(PolygonLayout.groupWidth, layout.pointCount - 1 - group * PolygonLayout.groupWidth)
    guard edges > 0 else { return }
    var lanes = lanes & (1 << UInt32(edges) - 1)
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      lanes &= lanes - 1
      guard !view.endsChain(group: offset, lane: lane) else { continue }
      let p1 = view.place(group: offset, lane: lane, origin: origin)
      let p2 = view.place(group: offset, lane: lane + 1, origin: origin)
      let e = p2 - p1
      let slope = e.dot(u)
      guard slope * slope <= bend.turn * bend.turn * e.squaredLength else { continue }
      let least = min(distance(to: p1), distance(to: p2))
      if least - bend.dip < limit, hasMinimum(between: p1, p2) { measureInside(from: p1, to: p2) }
    }
  }

  /// Measures a point, unless it was the last one to be measured.
  private mutating func distance(to p: Vector3) -> Meters {
    if p != point {
      point = p
      measuredCount += 1
      pointDistance = GeodesicSolver.distance(from: place, to: ECEF(x: p.x, y: p.y, z: p.z))
      take(pointDistance)
    }
    return pointDistance
  }

  private mutating func take(_ distance: Meters) {
    // A NaN is no better.
    guard distance < limit else { return }
    best = distance
    limit = distance
  }

  /// Whether the distance falls from both ends of an edge inwards, or may. The edge leaves its chord along
  /// the surface's normal, which is at right angles to the geodesic's direction: slopes along the edge have
  /// the signs of those along the chord.
  private func hasMinimum(between p1: Vector3, _ p2: Vector3) -> Bool {
    let e = p2 - p1
    func slope(at p: Vector3) -> Double? {
      GeodesicSolver.arrival(from: place, to: ECEF(x: p.x, y: p.y, z: p.z)).map {
        e.dot(Vector3($0.x, $0.y, $0.z))
      }
    }
    guard let first = slope(at: p1), let last = slope(at: p2) else { return true }
    return first < 0 && last > 0
  }

  /// Measures the least distance within an edge.
  private mutating func measureInside(from p1: Vector3, to p2: Vector3) {
    let q = Vector3(place)
    let t = EdgeKernel.closestPoint(to: q, from: p1, to: p2).fraction
    if let distance = EdgeKernel.farDistance(from: place, from: p1, to: p2, near: t) { return take(distance) }
    if let foot = EdgeKernel.foot(of: q, at: position, from: p1, to: p2, limit: limit) { take(foot.distance) }
  }

  /// What the curvature of the circles around the position does to the distance along an edge.
  private struct Bend {
    /// How far within an edge d may fall below both its ends, metres: length²/8 times its greatest second
    /// derivative. Zero where circles curve the other way.
    let dip: Meters
    /// By how much the slope of d along an edge, at any of its points, may differ from that along u: within ρ
    /// of the centre the direction of the geodesics turns by ρ times the circles' curvature, and the surface
    /// by ρ/R₋.
    let turn: Double

    /// The bend for circles of `distance` metres and more.
    init(_ distance: Meters, within reach: Meters) {
      guard distance < FarBoundary.concaveLimit else {
        (dip, turn) = (0, 0)
        return
      }
      let r = WGS84.maximumCurvatureRadius
      let angle = max(0.1, distance / r)
      let curvature = angle < .pi / 2 ? 1 / (tan(angle) * r) : 0
      let length = EdgeKernel.maximumLength
      dip = length * length / 8 * curvature + 0.01
      turn = 1.1 * (reach + length) * (curvature + 1 / WGS84.minimumCurvatureRadius)
    }
  }
}

/// The distance d from a position around a point c, by its first terms and a bound of the rest.
///
/// Let u be the unit tangent of the geodesic that arrives at c, w the tangent at right angles to it, p a
/// point of the surface, and l <= ρ the length of the geodesic from c to p, which leaves c at an angle θ to
/// u. Let f(t) be d along it. Then f' is the cosine of its angle to the geodesics from the position, f'(0) =
/// cos θ, and f'' = (1 - f'²) k with k the curvature of the circle of radius d. Gaussian curvature is at most
/// 1/b², so by Sturm's comparison k is at least cot(d/b)/b up to the first conjugate point, which is no
/// nearer than πb = 19 970 km; nor is the cut locus. So k >= -K with K = max(0, -cot((d(c) + ρ)/b)/b).
///
/// Where |f'| < 1 this says that artanh f' falls at most as Kt: f'(t) >= tanh(φ - Kt) with tanh φ = cos θ
/// (elsewhere f' is 1 or -1 all the way, and what follows holds too). The integral of tanh(φ - s) from 0 to x
/// is x cos θ - x²/2 sin² θ and a remainder; its third derivative is 2 tanh (1 - tanh²) at most, below 0.77,
/// and a sixth of that is below 0.13. With x = Kl
///
///     f(l) >= f(0) + l cos θ - K/2 (l sin θ)² - 0.13 K² l³.
///
/// As 1 - f'² <= 1, also f(l) >= f(0) + l cos θ - K/2 l², so that Kl² / 2 is enough for the remainder.
///
/// Last, the geodesic leaves its tangent along the surface's normal, whose component along u or w is at most
/// t/R₋ after t metres; so l cos θ and l sin θ are u·(p - c) and w·(p - c), in a straight line, to within l³
/// / 6R₋². Hence
///
///     d(p) >= d(c) + u·(p - c) - ε - K/2 (|w·(p - c)| + ε)² - K ρ² min(1/2, 0.13 K ρ),  ε = ρ³ / 5R₋² + 1e-5 ρ + 0.01 m,
///
/// as u is known to 1e-5. The rest of ε is for rounding.
private struct Expansion {
  /// c: a point of the surface.
  private let center: Vector3
  /// d(c), metres.
  let distance: Meters
  /// How far from c this holds, along the surface, metres.
  let reach: Meters
  /// u and w.
  let along: Vector3
  let across: Vector3
  /// K/2 for all points within `reach`, 1/m.
  let bend: Double
  /// d(c) - ε - K ρ² / 2 for ρ = `reach`, metres: no more than d(p) - u·(p - c) for any point p within it.
  private let floor: Meters

  /// Nil where nothing is certain.
  init?(at c: Vector3, from place: ECEF, reach: Meters) {
    guard let arrival = GeodesicSolver.arrival(from: place, to: ECEF(x: c.x, y: c.y, z: c.z)),
      arrival.distance + reach < FarBoundary.farthest
    else { return nil }
    center = c
    distance = arrival.distance
    self.reach = reach
    along = Vector3(arrival.x, arrival.y, arrival.z)
    let w = along.cross(Vector3(c.x * WGS84.b2, c.y * WGS84.b2, c.z * WGS84.a2))
    across = 1 / w.length * w
    let angle = (distance + reach) * (1 / WGS84.b)
    bend = angle < .pi / 2 ? 0 : -0.5 / (tan(angle) * WGS84.b)
    floor = distance - Self.error(reach) - bend * reach * reach
  }

  /// ε for points within `r` metres.
  @inline(__always)
  private static func error(_ r: Meters) -> Meters {
    r * (r * r * (0.2 / (WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius)) + 1e-5) + 0.01
  }

  /// The length of a geodesic over a chord, rounded up: to 1200 km it is at most 1.0015 times as long, the
  /// arcsine's series at chord / 2R₋.
  @inline(__always)
  static func reach(ofChord chord: Meters) -> Meters { chord * 1.0016 + 1 }

  /// A ball around a point that may lie below the surface.
  struct Ball {
    let radius: Meters
    /// Its centre from c, along u and along w, metres.
    let along: Meters
    let across: Meters
    /// How far from c the surface's points in it may be, along the surface, metres.
    let reach: Meters
  }

  @inline(__always)
  func ball(_ place: Vector3, _ radius: Meters) -> Ball {
    let v = place - center
    return Ball(
      radius: radius, along: along.dot(v), across: across.dot(v),
      reach: Self.reach(ofChord: v.length + radius))
  }

  /// What d may be below u·(p - c) beside the parabola, and by how much w·(p - c) may be off, metres, for the
  /// points of a ball that lie within ``reach``.
  @inline(__always)
  func slack(_ ball: Ball) -> (along: Meters, across: Meters) {
    let r = min(reach, ball.reach)
    let error = Self.error(r)
    let curvature = 2 * bend
    return (error + curvature * r * r * min(0.5, 0.13 * curvature * r), error)
  }

  /// Whether all points of a ball that lie within ``reach`` are `limit` metres or more away, by the bound
  /// without w: a few operations that are enough for most balls.
  @inline(__always)
  func excludes(_ place: Vector3, _ radius: Meters, _ limit: Meters) -> Bool {
    floor + along.dot(place - center) - (1.001 * radius + 1e-3) >= limit
  }

  /// A lower bound of d over the points of a ball that lie within ``reach``, metres.
  @inline(__always)
  func lowerBound(_ ball: Ball) -> Meters {
    let slack = self.slack(ball)
    let radius = 1.001 * ball.radius + 1e-3
    let across = min(abs(ball.across) + radius, reach) + slack.across
    return distance + ball.along - radius - slack.along - bend * across * across
  }
}
