import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinitySynthesis

@Suite("Made-up regions")
struct RegionSetGeneratorTests {
  private let vienna = Coordinate(latitude: 48.2082, longitude: 16.3738)

  private func circles(_ generator: RegionSetGenerator) throws -> [(center: Coordinate, radius: Meters)] {
    var regions = generator.regions()
    var list: [(Coordinate, Meters)] = []
    while let region = try regions.next() {
      guard case .circle(let center, let radius) = region.shape else { continue }
      list.append((center, radius))
    }
    return list
  }

  /// The greatest difference between the distribution of samples and one that is expected (Kolmogorov and
  /// Smirnov).
  private func difference(_ samples: [Double], _ expected: (Double) -> Double) -> Double {
    // Of no samples nothing is known: no comparison with this holds.
    guard !samples.isEmpty else { return .nan }
    let sorted = samples.sorted()
    var worst = 0.0
    for (index, value) in sorted.enumerated() {
      let f = expected(value)
      worst = largerOrNaN(worst, f - Double(index) / Double(sorted.count))
      worst = largerOrNaN(worst, Double(index + 1) / Double(sorted.count) - f)
    }
    return worst
  }

  /// What the difference stays below but once in a thousand times.
  private func critical(_ count: Int) -> Double { 1.95 / Double(count).squareRoot() }

  @Test("The same seed makes the same regions, another others; identifiers are numbered")
  func seeds() throws {
    func make(_ seed: UInt64) throws -> [Region] {
      var regions = try RegionSetGenerator(
        count: 500, around: vienna, spread: 5000, polygonShare: 0.3, seed: seed
      ).regions()
      var list: [Region] = []
      while let region = try regions.next() { list.append(region) }
      return list
    }
    let first = try make(7)
    #expect(first == (try make(7)))
    #expect(first != (try make(8)))
    #expect(first.count == 500 && first[0].identifier == "region-1" && first[499].identifier == "region-500")
    let polygons = first.count { if case .polygon = $0.shape { true } else { false } }
    // 150 with a standard deviation of 10.
    #expect((110...190).contains(polygons), "\(polygons)")
  }

  @Test("All arrangements stay within the spread", arguments: RegionSetGenerator.Arrangement.allCases)
  func within(arrangement: RegionSetGenerator.Arrangement) throws {
    for center in [
      vienna, Coordinate(latitude: 89.99, longitude: 20), Coordinate(latitude: -16.5, longitude: 180),
    ] {
      let made = try circles(
        RegionSetGenerator(count: 300, around: center, spread: 3000, arrangement: arrangement, seed: 3))
      #expect(made.count == 300)
      for circle in made {
        #expect(circle.center.isValid)
        #expect(try Geodesic.distance(from: center, to: circle.center) < 3000.01)
        #expect((50...1000).contains(circle.radius))
      }
    }
  }

  @Test("Uniform is uniform: the squares of distances are, and so are directions")
  func uniform() throws {
    let made = try circles(
      RegionSetGenerator(count: 4000, around: vienna, spread: 10_000, arrangement: .uniform, seed: 11))
    let ways = try made.map { try Geodesic.inverse(from: vienna, to: $0.center) }
    #expect(difference(ways.map(\.distance)) { $0 * $0 / 1e8 } < critical(4000))
    #expect(difference(ways.map(\.azimuth1)) { ($0 + 180) / 360 } < critical(4000))
  }

  @Test("Clusters are crowded, streets are lines, a grid is even")
  func arrangements() throws {
    /// Metres east and north, near enough for a few kilometres.
    func plane(_ arrangement: RegionSetGenerator.Arrangement) throws -> [(x: Double, y: Double)] {
      let made = try circles(
        RegionSetGenerator(count: 400, around: vienna, spread: 4000, arrangement: arrangement, seed: 5))
      return made.map {
        (($0.center.longitude - vienna.longitude) * 74_300, ($0.center.latitude - vienna.latitude) * 111_200)
      }
    }
    func nearest(_ points: [(x: Double, y: Double)]) -> [Double] {
      points.indices.map { i in
        points.indices.filter { $0 != i }.map { j in
          let (dx, dy) = (points[i].x - points[j].x, points[i].y - points[j].y)
          return (dx * dx + dy * dy).squareRoot()
        }.min() ?? 0
      }.sorted()
    }
    let even = nearest(try plane(.grid))
    #expect(even[0] > 0.97 * even[399] && abs(even[200] - 4000 * 2.0.squareRoot() / 20) < 5)
    let anywhere = nearest(try plane(.uniform))[200]
    #expect(nearest(try plane(.clusters))[200] < 0.7 * anywhere)
    // On a street there are others within 50 m across, far beyond what chance would have.
    let streets = try plane(.streets)
    let inLine = streets.count { a in
      streets.count { abs($0.x - a.x) < 50 } >= 12 || streets.count { abs($0.y - a.y) < 50 } >= 12
    }
    let others = try plane(.uniform)
    let byChance = others.count { a in
      others.count { abs($0.x - a.x) < 50 } >= 12 || others.count { abs($0.y - a.y) < 50 } >= 12
    }
    #expect(inLine > 300 && byChance < 60, "\(inLine), \(byChance)")
  }

  @Test("Radii have the distribution that was asked for")
  func radii() throws {
    func made(_ radii: RadiusDistribution) throws -> [Double] {
      try circles(RegionSetGenerator(count: 3000, around: vienna, spread: 1000, radii: radii, seed: 9)).map(
        \.radius)
    }
    #expect(try made(.fixed(150)).allSatisfy { $0 == 150 })
    #expect(try difference(made(.uniform(100...300))) { ($0 - 100) / 200 } < critical(3000) + 0.001)
    let even = try made(.logUniform(10...1000))
    #expect(even.count { $0 < 100 } > 1380 && even.count { $0 < 100 } < 1620)
    let normal = try made(.logNormal(50...1000))
    #expect(normal.allSatisfy { (50...1000).contains($0) })
    let median = normal.sorted()[1500]
    #expect(abs(median / (50.0 * 1000).squareRoot() - 1) < 0.06, "\(median)")
    // One standard deviation of the logarithm on either side: 68.3 % of what is left of 95.4 %.
    let side = (1000.0 / 50).squareRoot().squareRoot()
    let inner = normal.count { $0 > 223.6 / side && $0 < 223.6 * side }
    #expect(abs(Double(inner) / 3000 - 0.715) < 0.03, "\(inner)")
  }

  @Test("Places get regions in proportion to their weights, none lost to rounding")
  func weights() throws {
    let places = (0..<7).map { index in
      RegionSetGenerator.Place(
        Coordinate(latitude: 0, longitude: Double(10 * index)), spread: 1000, weight: Double(index + 1))
    }
    let made = try circles(RegionSetGenerator(count: 1000, places: places, seed: 2))
    #expect(made.count == 1000)
    for index in 0..<7 {
      let own = made.count { abs($0.center.longitude - Double(10 * index)) < 1 }
      #expect(abs(Double(own) - 1000 * Double(index + 1) / 28) <= 1, "place \(index): \(own)")
    }
  }

  @Test(
    "Texts name distributions",
    arguments: [
      ("150", RadiusDistribution.fixed(150)), ("50-1000", .logNormal(50...1000)),
      ("log-normal:50-1000", .logNormal(50...1000)), ("uniform:0-10", .uniform(0...10)),
      ("log-uniform:1-1e4", .logUniform(1...1e4)), ("0", .fixed(0)),
    ])
  func texts(text: String, expected: RadiusDistribution) throws {
    #expect(try RadiusDistribution(text) == expected)
  }

  @Test(
    "What names none is refused",
    arguments: [
      "", "big", "-5", "5-", "9-3", "nan", "inf", "nan-5", "uniform:", "uniform:3", "gauss:1-2", "1-2-3",
      "0-5",
      "1-1e99", "1e7", ":", "uniform:-1-2",
    ])
  func badTexts(text: String) {
    #expect(throws: GenerationError.self) { try RadiusDistribution(text) }
  }

  @Test("Parameters out of their ranges are refused by name")
  func refusals() {
    func refused(_ name: String, _ make: () throws -> RegionSetGenerator) {
      do {
        _ = try make()
        Issue.record("\(name) was taken")
      } catch { #expect("\(error)".contains(name), "\(error)") }
    }
    refused("the number of regions") {
      try RegionSetGenerator(count: -1, around: vienna, spread: 100, seed: 1)
    }
    refused("no place") { try RegionSetGenerator(count: 1, places: [], seed: 1) }
    refused("place 1 is none") {
      try RegionSetGenerator(
        count: 1, around: Coordinate(latitude: 91, longitude: 0), spread: 100, seed: 1)
    }
    for spread in [0, -1, Double.nan, .infinity] {
      refused("the spread of place 1") {
        try RegionSetGenerator(count: 1, around: vienna, spread: spread, seed: 1)
      }
    }
    refused("the weight of place 1") {
      try RegionSetGenerator(count: 1, places: [.init(vienna, spread: 5, weight: 0)], seed: 1)
    }
    refused("the share of polygons") {
      try RegionSetGenerator(count: 1, around: vienna, spread: 100, polygonShare: 1.1, seed: 1)
    }
    refused("the radius of polygons") {
      try RegionSetGenerator(
        count: 1, around: vienna, spread: 100, radii: .fixed(0), polygonShare: 0.5, seed: 1)
    }
  }

  @Test("A hundred thousand go into an index, none twice")
  func many() throws {
    let set = try RegionSetGenerator(count: 100_000, around: vienna, spread: 20_000, seed: 1).regionSet()
    let index = try RegionIndex(set)
    #expect(index.count == 100_000)
  }
}
