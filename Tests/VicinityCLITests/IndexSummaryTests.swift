import Foundation
import Testing
import VicinityGeodesy

@testable import VicinityCLI

@Suite struct IndexSummaryTests {
  private static let summary = IndexSummary(
    path: "a.vicinity", formatVersion: 1, byteCount: 1_234_567, regionCount: 28_298, circleCount: 28_298,
    polygonCount: 0,
    bounds: IndexSummary.Bounds(of: [
      Coordinate(latitude: -10, longitude: 179), Coordinate(latitude: 20, longitude: -178.5),
      Coordinate(latitude: 0, longitude: 541),
    ]),
    radii: IndexSummary.Radii(of: [100, 50, 200, 75]),
    sections: [("regions", 1_000_000), ("identifiers", 234_567)], checksums: .verified)

  @Test func boundsCrossTheAntimeridian() {
    let bounds = Self.summary.bounds
    #expect(bounds?.west == 179 && bounds?.east == -178.5 && bounds?.south == -10 && bounds?.north == 20)
    #expect(IndexSummary.Bounds(of: []) == nil)
    let one = IndexSummary.Bounds(of: [Coordinate(latitude: 1, longitude: 2)])
    #expect(one?.west == 2 && one?.east == 2)
  }

  @Test func radii() {
    let radii = Self.summary.radii
    #expect(radii?.smallest == 50 && radii?.median == 75 && radii?.largest == 200)
    #expect(radii?.ninetiethPercentile == 100)
    #expect(IndexSummary.Radii(of: []) == nil)
  }

  @Test func table() {
    #expect(
      String(decoding: Self.summary.table(style: .plain), as: UTF8.self) == """
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
    let json = Self.summary.json()
    let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
    #expect(object?["regions"] as? Int == 28_298)
    #expect(object?["checksums"] as? String == "verified")
    #expect((object?["centres"] as? [String: Double])?["west"] == 179)
    #expect((object?["sections"] as? [[String: Any]])?.count == 2)
  }

  @Test func writtenLine() {
    #expect(
      IndexSummary.writtenLine(path: "o.vicinity", regions: 1, bytes: 4096, elapsed: .milliseconds(1235))
        == "wrote o.vicinity: 1 region, 4,096 bytes, 1.24 s")
  }
}
