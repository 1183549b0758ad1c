import Harness
internal import VicinityFormats
internal import VicinityGeodesy
internal import VicinityIndex

/// Any bytes as a geometry in well-known text, in a column of CSV.
@_cdecl("FuzzWKT_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  let path = scratchPath("shapes.csv")
  return fuzz(count, arguments, seeds: seeds.map { Array($0.utf8) }) { input in
    let quoted = input.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
    write(Array("id,radius,wkt\na,5,\"".utf8) + quoted + Array("\"\n".utf8), to: path)
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
  "POLYGON((0 0,1 0,1 1,0 0),(0.5 0.1,0.6 0.1,0.6 0.2,0.5 0.1))",
  "MULTIPOLYGON(((179 0,180 0,180 1,179 0)),((-180 0,-179 0,-180 1,-180 0)))",
  "SRID=3857;POLYGON((0 0,100000 0,100000 100000,0 0))", "SRID=4326;POINT(1 2)", "SRID=0;POINT(1 2)",
  "POINT(1 2)", "POLYGON((0 80,120 80,240 80,0 80))", "CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))",
  "GEOMETRYCOLLECTION(POLYGON((0 0,2 2,2 0,0 2,0 0)),POINT EMPTY)",
]
