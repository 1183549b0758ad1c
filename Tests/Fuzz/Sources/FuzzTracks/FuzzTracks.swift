import Harness
internal import VicinityCrossings
internal import VicinityGeodesy

@testable internal import VicinityFormats
@testable internal import VicinityText

/// Any bytes as a track of any kind: read, skipped or refused, everything read in its range and in its order,
/// and the same whether read at once or in small pieces. Of times that contradict each other, pieces may show
/// too little to tell the wrong one.
@_cdecl("FuzzTracks_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  let path = scratchPath("track")
  return fuzz(count, arguments, seeds: seeds.map { Array($0.utf8) }) { input in
    write(input, to: path)
    let sorts = input.count & 1 == 0
    let whole = read(path, chunkByteCount: 4 << 20, sorts: sorts)
    let pieces = read(path, chunkByteCount: 61, sorts: sorts)
    if whole?.isContradictory == true || pieces?.isContradictory == true { return }
    guard whole == pieces else { finding("pieces differ: \(whole as Any) and \(pieces as Any)") }
  }
}

private struct Reading: Equatable {
  var devices: [String] = []
  var fixes: [Fix] = []
  var skipped = 0
  /// Whether times contradict each other.
  var isContradictory = false
}

private func read(_ path: String, chunkByteCount: Int, sorts: Bool) -> Reading? {
  var options = ReadingOptions()
  options.skipInvalid = true
  options.sorts = sorts
  options.chunkByteCount = chunkByteCount
  options.ignoresChecksums = true
  options.maximumDiagnostics = 1 << 20
  guard let reader = try? TrackReader([path], options: options) else { return nil }
  var reading = Reading()
  var last: [Int: Timestamp] = [:]
  do {
    while let batch = try reader.next() {
      let restarts = Set(batch.breaks.map(\.fix))
      for run in batch.runs {
        for i in run.range {
          let fix = batch.fixes[i]
          guard fix.coordinate.isValid else { finding("\(fix)") }
          if let last = last[run.device], fix.time <= last, !restarts.contains(i) {
            finding("out of order: \(fix)")
          }
          last[run.device] = fix.time
          reading.devices.append(reader.devices[run.device])
          reading.fixes.append(fix)
        }
      }
    }
  } catch {
    return nil
  }
  reading.skipped = reader.summary.skipped.count
  reading.isContradictory = reader.summary.skipped.examples.contains { bad in
    ["time runs backwards", "the rows after it", "time goes back", "at two places"].contains {
      bad.message.contains($0)
    }
  }
  return reading
}

private let seeds = [
  "device,time,latitude,longitude,accuracy,speed,course\na,2020-01-01T00:00:00Z,48.2,16.4,5,1,90\nb,10,-33.9,151.2,,,\n",
  "\u{FEFF}time_ms;lat;lon;id\r\n1600000000123;1;\"2\";x\r\n1600000000124.5;1e1;-2;\"y\"\"z\"\r\n",
  "Geolife trajectory\r\nWGS 84\r\n\r\n\r\n\r\n0\r\n39.9,116.3,0,492,39744.12,2008-10-23,02:53:04\r\n",
  "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"
    + "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n$GPZDA,120006,01,01,2020,00,00*4A\n",
  "<?xml version=\"1.0\"?><gpx><wpt lat=\"1\" lon=\"2\"/><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2020-01-01T00:00:00Z</time>"
    + "<speed>1</speed></trkpt></trkseg></trk></gpx>",
  "{\"device\":\"a\",\"time\":10,\"lat\":1,\"lon\":2,\"accuracy\":5}\n{\"device\":\"b\",\"time\":10,\"lat\":1,\"lon\":2}\n",
  "{\"type\":\"Feature\",\"properties\":{\"time\":\"2020-01-01T00:00:00Z\"},\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}",
]
