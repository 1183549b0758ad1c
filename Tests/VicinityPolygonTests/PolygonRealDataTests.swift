import Foundation
import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

/// Files beside the repository that developers have and users do not: `../shared/data`.
enum SharedData {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/data")

  static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  /// The parts of a GeoJSON geometry; `nil` for anything but polygons.
  static func parts(_ geometry: Any?) -> [Polygon.Part]? {
    guard let geometry = geometry as? [String: Any], let type = geometry["type"] as? String else {
      return nil
    }
    func part(_ rings: [[[Double]]]) -> Polygon.Part {
      let rings = rings.map { $0.map { Coordinate(latitude: $0[1], longitude: $0[0]) } }
      return Polygon.Part(exterior: rings.first ?? [], holes: Array(rings.dropFirst()))
    }
    switch type {
    case "Polygon": return (geometry["coordinates"] as? [[[Double]]]).map { [part($0)] }
    case "MultiPolygon": return (geometry["coordinates"] as? [[[[Double]]]]).map { $0.map(part) }
    case "Feature": return parts(geometry["geometry"])
    default: return nil
    }
  }

  static func json(_ path: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(contentsOf: root.appendingPathComponent(path)))
  }
}

@Suite("Polygons of real data")
struct PolygonRealDataTests {
  /// A ring's straight lines in longitude and latitude, in steps of at most a degree, the short way round.
  private func densified(_ ring: [Coordinate]) -> [Coordinate] {
    var result: [Coordinate] = []
    for (a, b) in zip(ring, ring.dropFirst()) {
      let step = CleanRing.step(a, b)
      let count = max(1, Int(max(abs(step), abs(b.latitude - a.latitude)).rounded(.up)))
      for k in 0..<count {
        let t = Double(k) / Double(count)
        result.append(
          Coordinate(latitude: a.latitude + t * (b.latitude - a.latitude), longitude: a.longitude + t * step))
      }
    }
    return result
  }

  private func densified(_ parts: [Polygon.Part]) -> [Polygon.Part] {
    parts.map { .init(exterior: densified($0.exterior), holes: $0.holes.map(densified)) }
  }

  /// The Python package antimeridian splits these inputs at ±180; reading either form must give one region.
  @Test(
    "Split at the antimeridian or not, the region is the same",
    .enabled(if: SharedData.has("reference/antimeridian"), "needs ../shared/data/reference/antimeridian"),
    arguments: [
      "almost-180", "complex-split", "crossing-latitude", "issues-81", "multi-no-antimeridian", "multi-split",
      "north-pole", "one-hole", "point-on-antimeridian", "simple", "south-pole", "split", "two-holes",
      "issues-124",
    ])
  func antimeridian(name: String) throws {
    let folder = "reference/antimeridian"
    let input = try #require(SharedData.parts(try SharedData.json("\(folder)/input/\(name).json")))
    let output = try #require(SharedData.parts(try SharedData.json("\(folder)/output/flat/\(name).json")))
    let whole = try Polygon(parts: densified(input), meaning: .planar)
    let split = try Polygon(parts: densified(output), meaning: .planar)
    var random = SplitMix64(seed: 9)
    var worst = 0.0
    for position in PolygonSample.probes(whole, count: 60, &random) {
      let d = try whole.signedBoundaryDistance(from: position)
      // The two forms are densified at different places along the same planar lines.
      #expect(abs(try split.signedBoundaryDistance(from: position) - d) < 300, "at \(position)")
    }
    let probes = PolygonSample.probes(split, count: 40, &random)
    #expect(try PolygonSample.disagreement(split, probes, worst: &worst) == nil)
  }

  @Test(
    "US counties against the authority",
    .enabled(if: SharedData.has("regions/us_counties"), "needs ../shared/data/regions/us_counties"))
  func counties() throws {
    let root = try SharedData.json("regions/us_counties/geojson-counties-fips.json") as? [String: Any]
    let features = try #require(root?["features"] as? [[String: Any]])
    #expect(features.count == 3221)
    var random = SplitMix64(seed: 4)
    var worst = 0.0
    for feature in features.indices {
      let parts = try #require(SharedData.parts(features[feature]["geometry"]))
      let polygon = try Polygon(parts: parts, meaning: .planar)
      guard feature % 20 == 0 else { continue }
      let probes = PolygonSample.probes(polygon, count: 10, &random)
      #expect(try PolygonSample.disagreement(polygon, probes, worst: &worst) == nil, "feature \(feature)")
    }
  }
}
