import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

/// Small indexes for tests of the file format.
enum IndexSample {
  /// Circles and polygons of every size, with identifiers of every kind.
  static func regions(circles: Int = 24, polygons: Int = 2) throws -> [Region] {
    try listed(circles: circles, polygons: polygons).map(\.region)
  }

  /// The same with the rings of the polygons.
  static func listed(circles: Int = 24, polygons: Int = 2) throws -> [ListedRegion] {
    var random = SplitMix64(seed: 0xF11E)
    var regions = (0..<circles).map { i in
      ListedRegion(
        Region(
          identifier: "circle \(i)", center: random.coordinate(),
          radius: [0, 25, 5000, 300_000, 4_000_000][i % 5]))
    }
    for i in 0..<polygons {
      let ring = PolygonSample.star(
        random.coordinate(), count: 5 + 6 * i, radii: 200...40_000, &random)
      regions.insert(
        try ListedRegion(identifier: "polygon \(i)", parts: [.init(exterior: ring)]),
        at: min(3 * i, regions.count))
    }
    return regions
  }

  /// The bytes of an index's file.
  static func bytes(_ index: RegionIndex) throws -> [UInt8] {
    let path = TemporaryFile.path("sample.vicinity")
    defer { TemporaryFile.remove(path) }
    try index.write(to: path)
    return try TemporaryFile.bytes(path)
  }

  static func bytes(circles: Int = 24, polygons: Int = 2) throws -> [UInt8] {
    try bytes(RegionIndex(try regions(circles: circles, polygons: polygons)))
  }

  /// Whether the long tests are asked for.
  static var runsLongTests: Bool { unsafe getenv("VICINITY_LONG_TESTS") != nil }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
