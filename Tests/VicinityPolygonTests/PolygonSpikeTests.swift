import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Spikes and notches narrower than split edges leave the straight line.
@Suite("Signs around needles")
struct PolygonSpikeTests {
  private typealias Point = (x: Double, y: Double)

  private func coordinates(_ ring: [Point]) -> [Coordinate] {
    ring.map { Coordinate(latitude: $0.y, longitude: $0.x) }
  }

  /// A ring of straight lines in longitude and latitude, edge k in `pieces[k]` equal pieces.
  private func split(_ ring: [Point], _ pieces: [Int]) -> [Coordinate] {
    var result: [Point] = []
    for (k, a) in ring.enumerated() {
      let b = ring[(k + 1) % ring.count]
      for i in 0..<pieces[k] {
        let t = Double(i) / Double(pieces[k])
        result.append((a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t))
      }
    }
    return coordinates(result)
  }

  private func holds(_ ring: [Point], _ p: Coordinate) -> Bool {
    var isInside = false
    var a = ring[ring.count - 1]
    for b in ring {
      if (a.y > p.latitude) != (b.y > p.latitude),
        p.longitude < a.x + (p.latitude - a.y) / (b.y - a.y) * (b.x - a.x)
      {
        isInside.toggle()
      }
      a = b
    }
    return isInside
  }

  /// Around a tip and along its two sides, near; and far.
  private func positions(
    _ tip: Point, _ base: Point, _ random: inout SplitMix64
  ) -> [Coordinate] {
    let t = Coordinate(latitude: tip.y, longitude: tip.x)
    let spike = Geodesic.uncheckedInverse(t, Coordinate(latitude: base.y, longitude: base.x))
    return (0..<60).map { i in
      switch i % 4 {
      case 0:
        return Geodesic.uncheckedDirect(
          t, azimuth: random.uniform(0...360), distance: pow(10, random.uniform(-1...7.2))
        ).coordinate
      case 1:
        // Straight ahead of the tip.
        return Geodesic.uncheckedDirect(
          t, azimuth: spike.azimuth1 + 180 + random.uniform(-1...1) * pow(10, random.uniform(-9...0)),
          distance: pow(10, random.uniform(-1...7.2))
        ).coordinate
      default:
        let foot = Geodesic.uncheckedDirect(
          t, azimuth: spike.azimuth1, distance: random.unit() * spike.distance)
        return Geodesic.uncheckedDirect(
          foot.coordinate, azimuth: foot.azimuth + (random.unit() < 0.5 ? 90 : -90),
          distance: pow(10, random.uniform(-3...4.5))
        ).coordinate
      }
    }
  }

  /// A ring of straight lines, divided as readers divide it.
  private func polygon(_ ring: [Point]) throws -> Polygon {
    var densifier = Densifier(LongitudeLatitude(), maximumVertices: 1 << 20)
    let exterior = try densifier.ring(ring.map { PlanarPoint(x: $0.x, y: $0.y) })
    return try Polygon(uncheckedParts: [.init(exterior: exterior)], meaning: .planar)
  }

  /// A triangle whose edges are closer together than they are exact bounds itself, not the rest of the Earth.
  /// The first is valid, 35 km long and some centimetres wide.
  @Test func aNeedleIsNotTheRestOfTheEarth() throws {
    let seed: UInt64 = 0x5EED_0520
    var random = SplitMix64(seed: seed)
    var needles: [[Point]] = [
      [(16.1133283, 48.2617019), (16.1123842, 48.2753994), (16.0908212, 48.5881201)],
      [(16, 48), (16.0001, 48.0001), (16.0003, 48.0003)],
      [(16.625, 48.5), (17, 48), (16.25, 49)], [(17, 48.25), (16.625, 48.625), (16.375, 48.875)],
      [(16.5, 48.25), (16.625, 48.125), (16.75, 48)], [(179.9, 60), (180.1, 60.2), (180.4, 60.5)],
    ]
    for _ in 0..<300 {
      let (x, y) = (random.uniform(-170...170), random.uniform(-80...80))
      let (dx, dy) = (random.uniform(-0.5...0.5), random.uniform(-0.5...0.5))
      let (share, off) = (random.unit(), pow(10, random.uniform(-16 ... -6)))
      let ring = [(x, y), (x + share * dx - off * dy, y + share * dy + off * dx), (x + dx, y + dy)]
      needles.append(random.unit() < 0.5 ? ring : ring.reversed())
    }
    for (i, needle) in needles.enumerated() {
      let polygon = try polygon(needle)
      #expect(polygon.boundingRadius < 1e6, "seed \(seed), needle \(i): \(needle)")
      for _ in 0..<30 {
        let azimuth = random.uniform(0...360)
        let start = Coordinate(latitude: needle[1].y, longitude: needle[1].x)
        let p = Geodesic.uncheckedDirect(start, azimuth: azimuth, distance: pow(10, random.uniform(0...7.2)))
        let distance = try polygon.signedBoundaryDistance(from: p.coordinate)
        #expect(distance > -0.2, "seed \(seed), needle \(i): \(needle), \(p.coordinate)")
        #expect(
          try (distance < 0) == (polygon.bruteForceSignedBoundaryDistance(from: p.coordinate) < 0)
            || abs(distance) < 0.2, "seed \(seed), needle \(i): \(needle), \(p.coordinate)")
      }
    }
  }

  /// Geodesics as thin as the rounding of coordinates tell no side either, but the smaller one is meant.
  @Test func aNeedleOfGeodesicsIsNotTheRestOfTheEarth() throws {
    let needles: [[Point]] = [
      [
        (-22.793632720234115, 14.709339743823918), (-22.793692972776785, 14.709277898063116),
        (-22.793694147901466, 14.7092766918654),
      ],
      [
        (-144.50562085489736, 0.5640377368836056), (-144.50561097832485, 0.5640422185852233),
        (-144.50553094182317, 0.5640785368214315),
      ],
      [
        (49.01420111863007, 24.614664039630668), (49.01419893533719, 24.614674831901418),
        (49.01419634129881, 24.614687654535317),
      ],
      [
        (146.79971278701595, -0.4544335348242612), (146.79970393988424, -0.45469542650609385),
        (146.7996942603433, -0.45498195906049654),
      ],
      [
        (-160.59725066136497, 79.96051843916342), (-160.5972405683633, 79.96049815523583),
        (-160.5972398726972, 79.96049675715413),
      ],
    ]
    for needle in needles {
      let polygon = try Polygon(exterior: coordinates(needle))
      #expect(polygon.boundingRadius < 200, "\(needle)")
      #expect(try polygon.signedBoundaryDistance(from: Coordinate(latitude: -60, longitude: 90)) > 0)
      #expect(try polygon.bruteForceSignedBoundaryDistance(from: Coordinate(latitude: 80, longitude: 0)) > 0)
    }
  }

  /// Lambert's azimuthal plane around the north pole of a sphere, which shows all of it: 1,000 km a unit.
  private struct PolarPlane: PlanarProjection {
    var isIdentity: Bool { false }
    var fullTurn: Double? { nil }
    private let diameter = 2 * 6.371

    func coordinate(x: Double, y: Double) throws(GeometryFault) -> Coordinate {
      let share = (x * x + y * y).squareRoot() / diameter
      guard share <= 1 else { throw GeometryFault("outside the plane") }
      return Coordinate(
        latitude: 90 - 2 * asin(share) * 180 / .pi, longitude: atan2(x, -y) * 180 / .pi)
    }

    func position(of place: Coordinate) -> Point {
      let r = diameter * sin((90 - place.latitude) * .pi / 360)
      return (r * sin(place.longitude * .pi / 180), -r * cos(place.longitude * .pi / 180))
    }

    /// A polygon whose inside is that of its rings in the plane.
    func polygon(_ rings: [[Point]]) throws -> Polygon {
      func coordinate(_ point: SIMD2<Double>) throws(GeometryFault) -> Coordinate {
        try self.coordinate(x: point.x, y: point.y)
      }
      let part = rings.map { ring in ring.map { SIMD2($0.x, $0.y) } }
      let plane = try PlanePolygon([part], at: coordinate, repair: nil)
      let parts = try plane.parts.map { part in
        let densified = try part.map { ring in
          var densifier = Densifier(self, maximumVertices: 1 << 20)
          return try densifier.ring(ring.map { PlanarPoint(x: $0.x, y: $0.y) })
        }
        return Polygon.Part(exterior: densified[0], holes: Array(densified.dropFirst()))
      }
      return try Polygon(wound: parts) { place in
        let position = position(of: place)
        return plane.contains(SIMD2(position.x, position.y))
      }
    }
  }

  /// In a plane, too, whose numbers are small everywhere, so that its areas tell nothing.
  @Test func aNeedleInAPlaneIsNotTheRestOfTheEarth() throws {
    let seed: UInt64 = 0x5EED_0522
    var random = SplitMix64(seed: seed)
    let far = [(0.0, 0.0), (0, 90), (0, 180), (0, -90), (-80, 10), (45, 45), (45, -135)].map {
      Coordinate(latitude: $0.0, longitude: $0.1)
    }
    var made = 0
    for _ in 0..<300 {
      let (x, y) = (random.uniform(-8...8), random.uniform(-8...8))
      let (dx, dy) = (random.uniform(-0.05...0.05), random.uniform(-0.05...0.05))
      let (share, off) = (random.unit(), pow(10, random.uniform(-12 ... -6)))
      let ring = [(x, y), (x + share * dx - off * dy, y + share * dy + off * dx), (x + dx, y + dy)]
      guard let polygon = try? PolarPlane().polygon([random.unit() < 0.5 ? ring : ring.reversed()]) else {
        continue
      }
      made += 1
      #expect(polygon.boundingRadius < 1e6, "seed \(seed): \(ring)")
      for place in far where try Geodesic.distance(from: place, to: polygon.boundingCenter) > 500_000 {
        #expect(try polygon.signedBoundaryDistance(from: place) > 0, "seed \(seed): \(ring), \(place)")
      }
    }
    #expect(made > 200)
  }

  /// A ring of small numbers may hold most of the Earth.
  @Test(arguments: [8.0, 11, 12.5]) func aPlanesRingMayHoldMostOfTheEarth(radius: Double) throws {
    let disc = (0..<72).map { i in
      (radius * cos(Double(i) * .pi / 36), radius * sin(Double(i) * .pi / 36))
    }
    let polygon = try PolarPlane().polygon([disc])
    for latitude in stride(from: 85.0, through: -85, by: -10) {
      let place = Coordinate(latitude: latitude, longitude: latitude * 7)
      let (x, y) = PolarPlane().position(of: place)
      let distance = try polygon.signedBoundaryDistance(from: place)
      #expect((distance < 0) == ((x * x + y * y).squareRoot() < radius), "\(place): \(distance)")
    }
  }

  /// Natural Earth 1:110m, Sudan: around the border to South Sudan, a spike 17 nm wide and 86 km long.
  private let sudan: [(x: Double, y: Double)] = [
    (24.53741516360202, 8.91753756573172), (24.19406772118765, 8.728696472403897),
    (23.886979580860668, 8.619729712933065), (24.567369012152085, 8.229187933785468),
    (23.805813429466752, 8.666318874542526), (23.459012892355986, 8.954285793488893),
    (23.394779087017184, 9.265067857292223), (23.55724979014283, 9.681218166538684),
    (23.554304233502194, 10.089255275915308),
  ]

  @Test("The spike of Natural Earth's Sudan, its sides split into 18 and 20 pieces")
  func sudanSpike() throws {
    let ring = split(sudan, [4, 4, 18, 20, 8, 6, 8, 8, 40])
    let polygon = try Polygon(uncheckedParts: [.init(exterior: ring)], meaning: .planar)
    let d = try polygon.signedBoundaryDistance(from: Coordinate(latitude: -75, longitude: 0))
    #expect(abs(d - 9_386_362.422) < 1e-3)
    var random = SplitMix64(seed: 15)
    var worst = 0.0
    for _ in 0..<10 {
      let positions = positions(sudan[3], sudan[2], &random)
      #expect(try PolygonSample.disagreement(polygon, positions, worst: &worst) == nil)
      for p in positions where abs(p.latitude - 8.2) < 1 && abs(p.longitude - 24.5) < 1 {
        let d = try polygon.signedBoundaryDistance(from: p)
        #expect(abs(d) < 2 || (d < 0) == holds(sudan, p), "at \(p): \(d)")
      }
    }
    let bytes = AlignedBytes(polygon.blob)
    let blob = try unsafe PolygonBlob(validating: UnsafeRawBufferPointer(bytes.buffer))
    #expect(blob == polygon.blob)
  }

  @Test(
    "Spikes and notches of every angle, against the authority and the straight lines",
    arguments: [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
  func needles(angle: Double) throws {
    for seed in 1...24 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed &* 31 &+ UInt64(-log10(angle)))
      let center = (x: random.uniform(-170...170), y: random.uniform(-60...60))
      let heading = random.uniform(0...2) * .pi
      let (u, v) = (cos(heading), sin(heading))
      func at(_ along: Double, _ across: Double) -> Point {
        (center.x + along * u - across * v, center.y + along * v + across * u)
      }
      // Degrees; the two sides of different lengths, as in Sudan.
      let length = [0.002, 0.1, 0.7][Int(seed % 3)]
      let longer = length * random.uniform(1.02...1.3)
      let width = length * angle
      let isNotch = seed % 2 == 0
      let tip = at(isNotch ? -length : length, 0)
      // One side starts at the body's corner, the other a little farther along the same direction.
      let extra = isNotch ? longer - length : length - longer
      let ring: [Point] = [
        at(0, -width / 2), tip, at(extra, width / 2 * longer / length),
        at(extra + (isNotch ? 0.3 : -0.3) * length, length), at(-2 * length, 1.2 * length),
        at(-2 * length, -length), at((isNotch ? 0.1 : -0.1) * length, -1.3 * length),
      ]
      let pieces = Int((length / 0.04).rounded(.up))
      let more = pieces + Int(random.uniform(0...3))
      let split = split(ring, [pieces, more, pieces, 3 * pieces, 3 * pieces, 3 * pieces, 2 * pieces])
      let polygon = try Polygon(uncheckedParts: [.init(exterior: split)], meaning: .planar)
      let positions = positions(tip, ring[0], &random)
      var worst = 0.0
      let problem = try PolygonSample.disagreement(polygon, positions, worst: &worst)
      #expect(problem == nil, "angle \(angle), seed \(seed)")
      for p in positions where max(abs(p.latitude - center.y), abs(p.longitude - center.x)) < 3 * length {
        let d = try polygon.signedBoundaryDistance(from: p)
        #expect(abs(d) < 3 || (d < 0) == holds(ring, p), "angle \(angle), seed \(seed), at \(p): \(d)")
      }
    }
  }

  @Test("Only edges in doubt are marked")
  func marks() throws {
    func ambiguous(_ polygon: Polygon) -> Int {
      polygon.blob.withView { view in
        (0..<view.pointCount).count {
          view.marks(of: $0, view.layout) & PolygonLayout.ambiguousMark != 0
        }
      }
    }
    var random = SplitMix64(seed: 3)
    for size in [10.0, 1_000, 50_000, 2_000_000] {
      let star = PolygonSample.star(random.coordinate(), count: 200, radii: size * 0.5...size, &random)
      #expect(try ambiguous(Polygon(exterior: star)) == 0, "size \(size)")
    }
    let ring = split(sudan, [4, 4, 18, 20, 8, 6, 8, 8, 40])
    let spike = try Polygon(uncheckedParts: [.init(exterior: ring)], meaning: .planar)
    #expect((36...42).contains(ambiguous(spike)), "\(ambiguous(spike))")
  }
}
