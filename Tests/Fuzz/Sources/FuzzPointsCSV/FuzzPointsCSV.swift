import Harness
internal import VicinityFormats
internal import VicinityGeodesy
internal import VicinityIndex

/// Any bytes as points in CSV: read, skipped or refused, and everything read in its range.
@_cdecl("FuzzPointsCSV_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  let path = scratchPath("points.csv")
  return fuzz(count, arguments, seeds: seeds.map { Array($0.utf8) }) { input in
    write(input, to: path)
    var options = ReadingOptions()
    options.skipInvalid = input.count & 1 == 0
    guard let points = try? PointReader.read(path, options: options).content else { return }
    guard points.identifiers.count == points.coordinates.count else { finding("counts differ") }
    for coordinate in points.coordinates where !coordinate.isValid { finding("\(coordinate)") }
  }
}

private let seeds = [
  "id,latitude,longitude\na,48.2,16.4\nb,-33.9,151.2\n",
  "lat;lon\n1;2\n\"3\";4\n",
  "\u{FEFF}id\tlatitude\tlongitude\r\nx\t-90\t180\r\n",
  "longitude,latitude\n1e-9,+.5\n",
]
