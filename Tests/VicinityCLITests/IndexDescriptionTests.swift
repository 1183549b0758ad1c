import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCLI

@Suite struct IndexDescriptionTests {
  private static func description() throws -> IndexDescription {
    var set = RegionSet()
    for (place, radius) in [((-10.0, 179.0), 100.0), ((20, -178.5), 50), ((0, 541), 200), ((0, 180), 75)] {
      try set.append(
        Region(
          identifier: "\(radius)", center: Coordinate(latitude: place.0, longitude: place.1), radius: radius))
    }
    var details = try RegionIndex(set).details()
    (details.formatVersion, details.byteCount) = (1, 1_234_567)
    (details.regionCount, details.circleCount, details.polygonCount) = (28_298, 28_298, 0)
    details.sections = Array(details.sections.prefix(2))
    (details.sections[0].name, details.sections[0].byteCount) = ("regions", 1_000_000)
    (details.sections[1].name, details.sections[1].byteCount) = ("identifiers", 234_567)
    return IndexDescription(path: "a.vicinity", details: details, checksums: .verified)
  }

  @Test func boundsCrossTheAntimeridian() throws {
    let bounds = try Self.description().details.bounds
    #expect(bounds?.west == 179 && bounds?.east == -178.5 && bounds?.south == -10 && bounds?.north == 20)
    #expect(try RegionIndex(RegionSet()).details().bounds == nil)
    var set = RegionSet()
    try set.append(
      Region(identifier: "a", center: Coordinate(latitude: 1, longitude: 2), radius: 1))
    let one = try RegionIndex(set).details().bounds
    #expect(one?.west == 2 && one?.east == 2)
  }

  @Test func radii() throws {
    let radii = try Self.description().details.radii
    #expect(radii?.smallest == 50 && radii?.median == 75 && radii?.largest == 200)
    #expect(radii?.percentile90 == 100)
    #expect(try RegionIndex(RegionSet()).details().radii == nil)
  }

  @Test func table() throws {
    #expect(
      try String(decoding: Self.description().table(style: .plain), as: UTF8.self) == """
        file                     a.vicinity
        format version           1
        size                     1,234,567 bytes
        regions                  28,298
        circles                  28,298
        polygons                 0
        centres, south to north  -10.000000 to 20.000000
        centres, west to east    179.000000 to -178.500000
        radius, smallest         50.000 m
        radius, median           75.000 m
        radius, 90th percentile  100.000 m
        radius, largest          200.000 m
        section regions          1,000,000 bytes
        section identifiers      234,567 bytes
        checksums                verified

        """)
  }

  @Test func json() throws {
    let json = try Self.description().json()
    let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
    #expect(object?["regions"] as? Int == 28_298)
    #expect(object?["checksums"] as? String == "verified")
    #expect((object?["centres"] as? [String: Double])?["west"] == 179)
    #expect((object?["sections"] as? [[String: Any]])?.count == 2)
  }

  @Test func writtenLine() {
    #expect(
      IndexCommand.writtenLine(path: "o.vicinity", regions: 1, bytes: 4096, elapsed: .milliseconds(1235))
        == "wrote o.vicinity: 1 region, 4,096 bytes, 1.24 s")
  }
}
