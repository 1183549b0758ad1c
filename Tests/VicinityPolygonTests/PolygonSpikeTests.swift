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
