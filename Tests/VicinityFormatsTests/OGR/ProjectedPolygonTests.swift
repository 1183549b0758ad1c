import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityFormats

/// Polygons in projected systems: edges are straight in the file's plane, and so is what is valid, inside and
/// repaired.
@Suite struct ProjectedPolygonTests {
  private typealias Point = SIMD2<Double>

  /// A converter of well-known text that names its system by number.
  private final class Reader {
    private let messages = GDALMessages()
    private let converter: ShapeConverter

    init(_ change: (inout ReadingOptions) -> Void = { _ in }) throws {
      messages.begin()
      var options = ReadingOptions()
      change(&options)
      converter = try unsafe ShapeConverter(crs: nil, options: options, messages: messages)
    }

    deinit { messages.end() }

    func read(_ text: String) throws -> (polygon: Polygon, warning: String?) {
      let shape = try unsafe Array(text.utf8).withUnsafeBufferPointer {
        try unsafe converter.shape(ofWKT: $0)
      }
      guard case .polygon(let polygon, _, let warning) = shape else { throw GeometryFault("not a polygon") }
      return (polygon, warning)
    }
  }

  private static func text(_ epsg: Int, _ parts: [[[Point]]]) -> String {
    func ring(_ points: [Point]) -> String {
      "(" + (points + points.prefix(1)).map { "\($0.x) \($0.y)" }.joined(separator: ",") + ")"
    }
    let polygons = parts.map { "(" + $0.map(ring).joined(separator: ",") + ")" }
    return "SRID=\(epsg);MULTIPOLYGON(" + polygons.joined(separator: ",") + ")"
  }

  private static func contains(_ polygon: Polygon, _ point: Point, _ epsg: Int) throws -> Bool {
    let place = try OGRWriter.transform(point.x, point.y, from: Int32(epsg), to: 4326)
    return try polygon.contains(Coordinate(latitude: place.y, longitude: place.x))
  }

  /// Systems, where in their planes edges begin, and how long those are, metres.
  private static let systems: [(epsg: Int, center: Point, reach: Double, lengths: ClosedRange<Double>)] = [
    // Around the poles: stereographic, and azimuthal of equal area.
    (3031, Point(0, 0), 20_000, 100...20_000), (3413, Point(0, 0), 20_000, 100...20_000),
    (3995, Point(0, 0), 20_000, 100...20_000), (6931, Point(0, 0), 20_000, 100...20_000),
    (5041, Point(2_000_000, 2_000_000), 20_000, 100...20_000),
    // UTM, Lambert's azimuthal and conic, and a plane that counts to the west and the south.
    (32633, Point(500_000, 5_300_000), 200_000, 15_000...1_000_000),
    (3035, Point(4_321_000, 3_210_000), 500_000, 15_000...1_000_000),
    (3034, Point(4_000_000, 2_800_000), 300_000, 15_000...1_000_000),
    (2154, Point(700_000, 6_600_000), 200_000, 15_000...500_000),
    (3857, Point(1_800_000, 4_000_000), 1_000_000, 15_000...1_000_000),
    (2053, Point(0, 3_300_000), 50_000, 15_000...150_000),
  ]

  /// A hole beside a long edge is valid inside of it and refused outside or across it; what is inside is told
  /// by the plane.
  @Test func holesBesideEdgesAreJudgedInThePlane() throws {
    let seed: UInt64 = 0x5EED_3031
    var random = SplitMix64(seed: seed)
    let strict = try Reader { $0.strict = true }
    let lenient = try Reader { $0.allowsBallparkTransformations = true }
    var faults: [String: Int] = [:]
    for round in 0..<(runsLongTests ? 22_000 : 880) {
      let system = Self.systems[round % Self.systems.count]
      func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
      let start = system.center + system.reach * Point(uniform(-1...1), uniform(-1...1))
      let angle = uniform(0...(2 * .pi))
      let along = Point(cos(angle), sin(angle))
      let left = Point(-along.y, along.x)
      let length = exp(uniform(log(system.lengths.lowerBound)...log(system.lengths.upperBound)))
      let depth = uniform(30...max(31, length / 2))
      func at(_ u: Double, _ v: Double) -> Point { start + u * along + v * left }
      let exterior = [at(0, 0), at(length, 0), at(length, depth), at(0, depth)]
      let gap = exp(uniform(log(0.5)...log(10)))
      let size = uniform(1...8)
      let share = uniform(0.1...0.9) * length
      func hole(_ low: Double) -> [Point] {
        let square = [
          at(share, low), at(share + size, low), at(share + size, low + size), at(share, low + size),
        ]
        return round % 2 == 0 ? square : square.reversed()
      }
      func check(_ isTrue: Bool, _ kind: String) {
        if !isTrue { faults["\(kind), EPSG:\(system.epsg)", default: 0] += 1 }
      }
      let inside = Self.text(system.epsg, [[exterior, hole(gap)]])
      do {
        let (polygon, _) = try strict.read(inside)
        check(try lenient.read(inside).warning == nil, "valid and repaired")
        let middle = share + size / 2
        check(try Self.contains(polygon, at(middle, gap / 2), system.epsg), "beside the edge")
        check(try !Self.contains(polygon, at(middle, gap + size / 2), system.epsg), "in the hole")
        check(try Self.contains(polygon, at(middle, gap + size + 0.4), system.epsg), "beyond the hole")
        check(try !Self.contains(polygon, at(middle, -gap / 2), system.epsg), "outside")
      } catch {
        check(false, "valid and refused")
      }
      for (kind, low) in [("outside", -gap - size), ("across", -size * uniform(0.2...0.8))] {
        let text = Self.text(system.epsg, [[exterior, hole(low)]])
        check((try? strict.read(text)) == nil, "hole \(kind) accepted")
        let (polygon, warning) = try lenient.read(text)
        check(warning?.hasPrefix("repaired: ") == true, "hole \(kind) not told")
        check(
          try Self.contains(polygon, at(share + size / 2, low + size + 0.4), system.epsg)
            == (low + size + 0.4 > 0),
          "repaired beyond a hole \(kind)")
      }
    }
    #expect(faults.isEmpty, "seed \(seed): \(faults.sorted { $0.key < $1.key })")
  }

  /// Near a pole a triangle of long edges is the other way around in longitude and latitude.
  @Test(arguments: [3995, 3413, 3031]) func insideOfATriangleBesideAPoleIsThePlanes(epsg: Int) throws {
    let triangle = [Point(10_000, 10), Point(-10_000, 10), Point(0, 15_000)]
    let (polygon, warning) = try Reader { $0.strict = true }.read(Self.text(epsg, [[triangle]]))
    #expect(warning == nil)
    #expect(try Self.contains(polygon, Point(0, 5_000), epsg))
    #expect(try !Self.contains(polygon, Point(0, -5), epsg))
    #expect(try !Self.contains(polygon, Point(0, -1_000_000), epsg))
  }

  /// What a plane's ring encloses may be more than a hemisphere.
  @Test func insideMayBeTheLargerSide() throws {
    // To 30 degrees beyond the equator, around the pole.
    let disc = (0..<72).map { i in 11_000_000 * Point(cos(Double(i) * .pi / 36), sin(Double(i) * .pi / 36)) }
    let north = try Reader().read(Self.text(6931, [[disc]])).polygon
    #expect(try north.contains(Coordinate(latitude: 90, longitude: 0)))
    #expect(try north.contains(Coordinate(latitude: -20, longitude: 77)))
    #expect(try !north.contains(Coordinate(latitude: -60, longitude: 77)))
    // From 60 degrees south to the pole, on a cylinder that is cut at 180 degrees.
    let (x, y) = (20_037_508.342789244, 10_018_754.171394622)
    let rest = [Point(-x, -y * 2 / 3), Point(x, -y * 2 / 3), Point(x, y), Point(-x, y)]
    let cylinder = try Reader().read(Self.text(4087, [[rest]])).polygon
    #expect(try cylinder.contains(Coordinate(latitude: 0, longitude: 180)))
    #expect(try cylinder.contains(Coordinate(latitude: 90, longitude: 0)))
    #expect(try !cylinder.contains(Coordinate(latitude: -61, longitude: 0)))
    let earth = [Point(-x, -y), Point(x, -y), Point(x, y), Point(-x, y)]
    let whole = try Reader().read(Self.text(4087, [[earth]])).polygon
    #expect(try whole.contains(Coordinate(latitude: -90, longitude: 0)))
    #expect(try whole.contains(Coordinate(latitude: 48, longitude: 180)))
  }

  /// A triangle that is thinner than its edges are exact bounds itself, not the rest of the Earth: alone,
  /// beside another, and as a hole. The first is valid, 58 km long and 8.5 cm wide.
  @Test func aNeedleIsNotTheRestOfTheEarth() throws {
    let seed: UInt64 = 0x5EED_0521
    var random = SplitMix64(seed: seed)
    let reader = try Reader()
    var needles: [(epsg: Int, ring: [Point])] = [
      (
        32633,
        [
          Point(418_567.97083642846, 7_937_146.595348861), Point(430_700.76516658376, 7_925_660.250190471),
          Point(460_487.58296799555, 7_897_460.1022829395),
        ]
      )
    ]
    // Near poles a plane of Mercator's is 400 times as large as the ground; and one counts in feet.
    let systems =
      Self.systems.map { ($0.epsg, $0.center, $0.reach) } + [
        (3395, Point(1_000_000, 19_900_000), 90_000), (3857, Point(-19_900_000, -19_900_000), 90_000),
        (2263, Point(1_000_000, 200_000), 200_000),
      ]
    for i in 0..<(runsLongTests ? 6_500 : 520) {
      let (epsg, center, reach) = systems[i % systems.count]
      let start = center + reach * Point(random.uniform(-1...1), random.uniform(-1...1))
      let length = pow(10, random.uniform(1...4.7))
      let along = length * Point(random.uniform(-1...1), random.uniform(-1...1))
      let (share, off) = (random.unit(), pow(10, random.uniform(-13 ... -5)))
      let ring = [start, start + share * along + off * Point(-along.y, along.x), start + along]
      needles.append((epsg, random.unit() < 0.5 ? ring : ring.reversed()))
    }
    let far = [(0, 0), (89, 0), (-89, 0), (0, 179), (-34, 151), (50, -100)].map {
      Coordinate(latitude: $0.0, longitude: $0.1)
    }
    var faults: [String: Int] = [:]
    var readCount = 0
    for (epsg, ring) in needles {
      func check(_ parts: [[[Point]]], _ kind: String) throws {
        // Vertices may be in one line, or at one place on the Earth.
        guard let polygon = try? reader.read(Self.text(epsg, parts)).polygon else { return }
        readCount += 1
        for place in far where try Geodesic.distance(from: polygon.boundingCenter, to: place) > 300_000 {
          let distance = try polygon.signedBoundaryDistance(from: place)
          let reference = try polygon.bruteForceSignedBoundaryDistance(from: place)
          if distance <= 0 || reference <= 0 { faults["\(kind), EPSG:\(epsg)", default: 0] += 1 }
        }
        if polygon.boundingRadius > 1e6 { faults["circle, \(kind), EPSG:\(epsg)", default: 0] += 1 }
      }
      let shift = 1.5 * (ring[2] - ring[0])
      let beside = ring.map { $0 + shift }
      try check([[ring]], "alone")
      try check([[ring], [beside]], "two")
      let size = Point(2, 2) + 2 * Point(abs(shift.x), abs(shift.y))
      let square = [
        ring[0] - size, ring[0] + Point(size.x, -size.y), ring[0] + size, ring[0] + Point(-size.x, size.y),
      ]
      try check([[square, ring]], "hole")
    }
    #expect(readCount > needles.count)
    #expect(faults.isEmpty, "seed \(seed): \(faults.sorted { $0.key < $1.key })")
  }

  /// Parts beyond the end of a cylinder lie on others: they are joined, as they would be in longitude and
  /// latitude.
  @Test func partsBeyondTheEndsOfACylinderAreJoined() throws {
    let turn = 40_075_016.68557849
    func box(_ west: Double, _ east: Double, _ south: Double) -> [Point] {
      [Point(west, south), Point(east, south), Point(east, south + 200_000), Point(west, south + 200_000)]
    }
    let parts = [[box(19_900_000, 20_300_000, 0)], [box(-19_900_000, -19_700_000, 100_000)]]
    #expect(throws: GeometryFault.self) { try Reader { $0.strict = true }.read(Self.text(3857, parts)) }
    let (polygon, warning) = try Reader().read(Self.text(3857, parts))
    #expect(warning?.contains("cross") == true, "\(warning ?? "")")
    for x in [20_000_000.0, 20_250_000] {
      #expect(try Self.contains(polygon, Point(x, 50_000), 3857))
    }
    #expect(try Self.contains(polygon, Point(20_250_000, 150_000), 3857))
    #expect(try Self.contains(polygon, Point(20_350_000 - turn, 250_000), 3857))
    #expect(try !Self.contains(polygon, Point(20_000_000, 250_000), 3857))
    // Without others in its place it is read as it is drawn.
    let (alone, none) = try Reader { $0.strict = true }.read(
      Self.text(3857, [[box(19_900_000, 20_300_000, 0)]]))
    #expect(none == nil)
    #expect(try Self.contains(alone, Point(20_200_000, 50_000), 3857))
  }

  /// A cap that was clipped at the antimeridian and at the pole before it was projected.
  @Test(arguments: [true, false]) func seamsToAPoleAreNoBoundary(isStrict: Bool) throws {
    let rim = (0...36).map { i in
      let longitude = Double(i * 10 - 180)
      return try? OGRWriter.transform(longitude, -75 - 3 * sin(longitude * .pi / 60), from: 4326, to: 3031)
    }
    let cap = rim.compactMap { $0 }.map { Point($0.x, $0.y) } + [Point(0, 0), Point(0, 0)]
    let (polygon, warning) = try Reader { $0.strict = isStrict }.read(Self.text(3031, [[cap]]))
    #expect(warning == nil)
    #expect(try polygon.contains(Coordinate(latitude: -90, longitude: 0)))
    let depth = try polygon.signedBoundaryDistance(from: Coordinate(latitude: -85, longitude: 180))
    #expect(depth < -700_000, "\(depth)")
  }

  /// Features of one identifier are joined in their plane: along a common edge no slit remains, and no
  /// overlap.
  @Test func featuresBesideAPoleAreMergedInThePlane() throws {
    let directory = try TemporaryDirectory()
    let (a, b) = (Point(-14_321.3, 17), Point(15_432.1, 23.7))
    let parts = [[[a, b, Point(0, 9_000)]], [[b, a, Point(1_234, -8_000)]]]
    let rows = parts.map { "pole,\"\(Self.text(3413, [$0]))\"\n" }
    let path = try directory.write("id,wkt\n" + rows.joined(), to: "merged.csv")
    var options = ReadingOptions()
    options.mergesIdentifiers = true
    let set = try RegionReader.read(path, options: options).content
    #expect(set.count == 1)
    let polygon = try #require(set.polygons.first?.polygon)
    for share in [0.1, 0.3, 0.5, 0.7, 0.9] {
      let point = a + share * (b - a)
      let place = try OGRWriter.transform(point.x, point.y, from: 3413, to: 4326)
      let depth = try polygon.signedBoundaryDistance(from: Coordinate(latitude: place.y, longitude: place.x))
      #expect(depth < -900, "\(share): \(depth)")
    }
    // In different systems they are joined in longitude and latitude.
    let first = Self.text(
      32633, [[[Point(400_000, 5_300_000), Point(410_000, 5_300_000), Point(400_000, 5_310_000)]]])
    let second = "POLYGON((10 50,11 50,11 51,10 51,10 50))"
    let mixed = try directory.write("id,wkt\na,\"\(first)\"\na,\"\(second)\"\n", to: "mixed.csv")
    let both = try #require(try RegionReader.read(mixed, options: options).content.polygons.first?.polygon)
    #expect(try both.contains(Coordinate(latitude: 50.5, longitude: 10.5)))
    #expect(try Self.contains(both, Point(403_000, 5_303_000), 32633))
    #expect(try !Self.contains(both, Point(407_000, 5_307_000), 32633))
  }
}
