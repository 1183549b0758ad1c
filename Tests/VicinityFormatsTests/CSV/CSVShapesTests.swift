import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon

@testable import VicinityFormats

/// Well-known text in CSV.
@Suite struct CSVShapesTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func read(
    _ text: String, _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> Reading<RegionSet> {
    var options = ReadingOptions()
    change(&options)
    return try RegionReader.read(directory.write(text, to: "a.csv"), options: options)
  }

  @Test func readsShapesAndCirclesSideBySide() throws {
    let set = try read(
      """
      id,wkt,lat,lon,radius
      a,"POLYGON((0 0,2 0,2 2,0 2,0 0),(0.9 0.9,1.1 0.9,1.1 1.1,0.9 1.1,0.9 0.9))",,,
      b,POINT(3 4),,,5
      c,,6,7,8
      d,"MULTIPOLYGON(((10 0,11 0,11 1,10 0)),((20 0,21 0,21 1,20 0)))",,,
      e,"GEOMETRYCOLLECTION(POLYGON((30 0,31 0,31 1,30 0)))",,,
      """
    ).content
    #expect((0..<set.count).map(set.identifier(of:)) == ["a", "b", "c", "d", "e"])
    #expect(set.polygons.map(\.ordinal) == [0, 3, 4])
    #expect(set.centers[1] == Coordinate(latitude: 4, longitude: 3))
    #expect(set.centers[2] == Coordinate(latitude: 6, longitude: 7))
    #expect(set.radii[1] == 5 && set.radii[2] == 8)
    let a = set.polygons[0].polygon
    #expect(try a.contains(Coordinate(latitude: 0.5, longitude: 0.5)))
    #expect(try !a.contains(Coordinate(latitude: 1, longitude: 1)))
    let d = set.polygons[1].polygon
    #expect(try d.contains(Coordinate(latitude: 0.2, longitude: 20.8)))
  }

  @Test(arguments: [
    ("\"POLYGON((0 0,1 0\"", "invalid WKT"), ("nonsense", "invalid WKT"),
    ("POINT(1 2)", "the radius is missing"),
    ("POLYGON EMPTY", "the geometry is empty"),
    ("\"LINESTRING(0 0,1 1)\"", "LINESTRING is neither"), ("", "the geometry is empty"),
    ("\"POLYGON((0 0,1 0,1 95,0 0))\"", "latitude 95.0"), ("\"POLYGON((0 0,1 1,0 0))\"", ""),
    ("\"POLYGON((0 0,1 nan,1 1,0 0))\"", ""),
    (
      "\"" + String(repeating: "GEOMETRYCOLLECTION(", count: 5000) + "\"",
      "invalid WKT: parentheses nested"
    ),
  ])
  func namesTheLineOfABadShape(wkt: String, message: String) throws {
    let text = "id,wkt,radius\nok,POINT(1 2),3\nbad,\(wkt),\n"
    let error = #expect(throws: FormatError.self) { try read(text) }
    guard case .invalidRows(_, let first, 1)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(first[0].place.line == 3)
    #expect(first[0].message.hasPrefix(message), "\(first[0].message)")
    #expect(try read(text) { $0.skipInvalid = true }.content.count == 1)
  }

  @Test("Columns of geometry hold well-known text, without latitudes", arguments: FieldNames.geometryText)
  func readsColumnsOfGeometry(name: String) throws {
    let wkt = "SRID=4326;POLYGON((0 0,1 0,1 1,0 0))"
    let shape = try read("id,\(name.uppercased())\na,\"\(wkt)\"\n").content
    #expect(shape.polygons.map(\.ordinal) == [0])
    let binary = "0101000000000000000000F03F0000000000000040"
    let error = #expect(throws: FormatError.self) { try read("id,\(name),radius\na,\(binary),5\n") }
    #expect(error?.description.contains("well-known text (WKT) is expected") == true, "\(error as Any)")
    // Beside latitudes they may hold anything.
    let circle = try read("id,lat,lon,radius,\(name)\na,2,1,5,\(binary)\n").content
    #expect(circle.centers[0] == Coordinate(latitude: 2, longitude: 1))
  }

  @Test func repairsShapesUnlessStrict() throws {
    let text = "id,wkt\ntie,\"POLYGON((0 0,1 1,1 0,0 1,0 0))\"\n"
    let reading = try read(text)
    #expect(reading.warnings.examples.map(\.place.line) == [2])
    #expect(reading.content.polygons.count == 1)
    #expect(throws: FormatError.self) { try read(text) { $0.strict = true } }
  }
}
