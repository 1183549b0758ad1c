import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityFormats

/// Mutated files in the formats OGR reads: a reading or a typed error.
@Suite struct OGRFuzzTests {
  @Test(arguments: [
    ("GeoJSON", "a.geojson"), ("GPKG", "a.gpkg"), ("FlatGeobuf", "a.fgb"),
    ("ESRI Shapefile", "a.shp"), ("KML", "a.kml"),
  ])
  func readsOrRefusesMutatedFiles(driver: String, file: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file(file)
    let features: [OGRWriter.Feature] =
      driver == "ESRI Shapefile"
      ? [
        .init(identifier: "square", wkt: OGRRegionsTests.square),
        .init(identifier: "b", wkt: OGRRegionsTests.square),
      ]
      : [
        .init(identifier: "square", wkt: OGRRegionsTests.square),
        .init(identifier: "dot", wkt: "POINT(1 2)", radius: 3),
      ]
    try OGRWriter.write(
      features, to: path, driver: driver, layer: "a", idField: driver == "KML" ? "Name" : "id")
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let seed: UInt64 = 0x5EED_0005
    var random = SplitMix64(seed: seed)
    for i in 0..<(runsLongTests ? 2000 : 60) {
      var bytes = whole
      for _ in 0...Int(random.next() % 4) {
        // Near the start, where lengths and types are, as often as anywhere.
        let reach = random.next() & 1 == 0 ? min(bytes.count, 400) : bytes.count
        bytes[Int(random.next() % UInt64(reach))] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
      _ = try directory.write(bytes, to: file)
      do {
        var options = ReadingOptions()
        options.skipInvalid = random.next() & 1 == 0
        let set = try RegionReader.read(path, options: options).content
        let isSound = set.centers.allSatisfy(\.isValid) && set.radii.allSatisfy { $0 >= 0 }
        #expect(isSound, "seed \(seed), file \(i)")
      } catch is FormatError {
        // Refused in words.
      } catch {
        Issue.record("seed \(seed), file \(i): \(error)")
      }
    }
  }
}
