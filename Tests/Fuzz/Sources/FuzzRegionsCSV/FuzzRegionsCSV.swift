import Harness
internal import VicinityFormats
internal import VicinityGeodesy
internal import VicinityIndex

/// Any bytes as regions in CSV: read, skipped or refused, and everything read in its range.
@_cdecl("FuzzRegionsCSV_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  let path = scratchPath("regions.csv")
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
  "id,latitude,longitude,radius\na,48.2,16.4,100\nb,-33.9,151.2,0.5\n\"c,\"\"d\"\"\",1e1,-2E-3,+7\n",
  "id;lat;lon;radius_m\r\nx;1;2;7\r\n\"y\nz\";3;4;5\r\n",
  "\u{FEFF}name\tlat\tlng\tradius\nä\t1\t2\t3\n",
  "id,wkt,radius\na,\"POLYGON((0 0,1 0,1 1,0 0))\",\nb,POINT(1 2),5\n",
]
