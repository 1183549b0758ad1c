import Harness
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

@testable internal import VicinityFormats
@testable internal import VicinityText

/// Any bytes as lines of JSON: as a track the same whether read at once or in small pieces, as regions and
/// points read, skipped or refused, and everything read in its range.
@_cdecl("FuzzJSONLines_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  let path = scratchPath("lines.ndjson")
  return fuzz(count, arguments, seeds: seeds.map { Array($0.utf8) }) { input in
    write(input, to: path)
    let whole = fixes(path, chunkByteCount: 4 << 20)
    let pieces = fixes(path, chunkByteCount: 61)
    guard whole == pieces else { finding("pieces differ: \(whole as Any) and \(pieces as Any)") }
    var options = ReadingOptions()
    options.skipInvalid = input.count & 1 == 0
    options.mergesIdentifiers = input.count & 2 == 0
    options.defaultRadius = input.count & 4 == 0 ? 5 : nil
    if let points = try? PointReader.read(path, options: options).content {
      for coordinate in points.coordinates where !coordinate.isValid { finding("\(coordinate)") }
    }
    guard let reading = try? RegionReader.read(path, options: options),
      let index = try? RegionIndex(reading.content)
    else { return }
    do {
      try index.verify(contents: true)
    } catch {
      finding("read, and refused by verification: \(error)")
    }
  }
}

private func fixes(_ path: String, chunkByteCount: Int) -> [Fix]? {
  var options = ReadingOptions()
  options.skipInvalid = true
  options.isSingleDevice = true
  options.chunkByteCount = chunkByteCount
  guard let reader = try? TrackReader([path], options: options) else { return nil }
  var fixes: [Fix] = []
  do {
    while let batch = try reader.next() { fixes += batch.fixes }
  } catch {
    return nil
  }
  for fix in fixes where !fix.coordinate.isValid { finding("\(fix)") }
  return fixes
}

private let seeds = [
  "{\"device\":\"a\",\"time\":\"2020-01-01T00:00:00Z\",\"lat\":48.2,\"lon\":16.4,\"speed\":1}\n{\"device\":\"\\u0061\",\"time\":1577836801,\"lat\":1,\"lon\":2}\n",
  "[\n{\"id\":\"a\",\"latitude\":1.5e1,\"longitude\":-2,\"radius\":3,\"x\":[{\"y\":[]}]},\n{\"id\":7,\"wkt\":\"POLYGON((0 0,1 0,1 1,0 0))\"}\n]\n",
  "{\"id\":\"\\ud83d\\ude00\",\"wkt\":\"SRID=3857;POINT(1 2)\",\"radius\":\"5\"}\n{\"time_ms\":1,\"lat\":null,\"lon\":true}\n",
]
