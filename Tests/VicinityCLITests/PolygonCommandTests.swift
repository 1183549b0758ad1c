import Foundation
import Testing

@testable import VicinityCLI

/// Polygons through the whole command line.
@Suite struct PolygonCommandTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(
      """
      id,wkt
      "square, one","POLYGON((10 0,11 0,11 1,10 1,10 0))"
      across,"MULTIPOLYGON(((179 10,180 10,180 11,179 11,179 10)),((-180 10,-179 10,-179 11,-180 11,-180 \
      10)))"

      """, to: "polygons.csv")
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(arguments, in: directory.url)
  }

  @Test func haveNoCentreDistance() throws {
    let csv = try run("nearest", "polygons.csv", "--at", "0.5,10.5", "-c", "1", "-f", "csv")
    #expect(csv.status == 0)
    let row = try #require(csv.output.split(separator: "\n").last)
    #expect(row.hasPrefix("at,1,\"square, one\",-55") && row.hasSuffix(","))
    let json = try run("nearest", "polygons.csv", "--at", "0.5,10.5", "-c", "1", "-f", "json")
    #expect(json.output.contains("\"centre_distance\":null"))
    let table = try run("nearest", "polygons.csv", "--at", "0.5,10.5", "-c", "1")
    #expect(table.output.hasSuffix("  -\n"))
  }

  /// The clip at the antimeridian is no boundary: on it the position is deep inside.
  @Test(arguments: ["10.5,180", "10.5,-180"]) func crossTheAntimeridian(position: String) throws {
    let run = try run("nearest", "polygons.csv", "--at", position, "-c", "1", "-f", "csv")
    let fields = run.output.split(separator: "\n").last?.split(separator: ",")
    #expect(fields?[2] == "across")
    #expect((fields.flatMap { Double($0[3]) } ?? 0) < -50_000)
  }

  @Test func areDrawnWithinTheMap() throws {
    _ = try run("index", "polygons.csv", "-o", "polygons.vicinity")
    for file in ["polygons.csv", "polygons.vicinity"] {
      let geojson = try run("nearest", file, "--at", "10.5,180", "-f", "geojson", "--outlines")
      let collection = try JSONSerialization.jsonObject(with: Data(geojson.output.utf8)) as? [String: Any]
      let features = collection?["features"] as? [[String: Any]]
      let types = features?.map { ($0["geometry"] as? [String: Any])?["type"] as? String }
      #expect(types == ["MultiPolygon", "Polygon"])
      let coordinates = (features?.first?["geometry"] as? [String: Any])?["coordinates"] as? [[[[Double]]]]
      let longitudes = Set((coordinates ?? []).joined().joined().map { $0[0] })
      #expect(longitudes.isSuperset(of: [179, 180, -180, -179]))
    }
    let info = try run("info", "polygons.vicinity")
    #expect(info.status == 0 && info.output.contains("polygons                 2"))
  }
}
