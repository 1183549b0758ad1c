import Harness
internal import VicinityFormats
internal import VicinityGeodesy
internal import VicinityIndex

/// Any bytes as GeoJSON, by way of OGR.
@_cdecl("FuzzGeoJSON_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  let path = scratchPath("regions.geojson")
  return fuzz(count, arguments, seeds: seeds.map { Array($0.utf8) }) { input in
    write(input, to: path)
    var options = ReadingOptions()
    options.skipInvalid = input.count & 1 == 0
    options.strict = input.count & 2 == 0
    options.defaultRadius = input.count & 4 == 0 ? 5 : nil
    guard let reading = try? RegionReader.read(path, options: options) else { return }
    guard let index = try? RegionIndex(reading.content) else { return }
    do {
      try index.verify(contents: true)
    } catch {
      finding("read, and refused by verification: \(error)")
    }
  }
}

private let seeds = [
  #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"a","properties":{"radius":5},"geometry":{"type":"Point","coordinates":[1,2]}}]}"#,
  #"{"type":"Feature","properties":{"id":"b"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]],[[0.5,0.1],[0.6,0.1],[0.6,0.2],[0.5,0.1]]]}}"#,
  #"{"type":"MultiPolygon","coordinates":[[[[179,0],[180,0],[180,1],[179,0]]],[[[-180,0],[-179,0],[-180,1],[-180,0]]]]}"#,
  #"{"type":"Feature","properties":null,"geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1e999,2]}]}}"#,
]
