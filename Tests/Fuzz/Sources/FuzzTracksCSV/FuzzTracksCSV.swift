import Harness
internal import VicinityCrossings

@testable internal import VicinityText

/// Any bytes as rows of a track: the path for plain rows and the one for all others agree to the last bit,
/// and so do the events made of what they read.
@_cdecl("FuzzTracksCSV_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  fuzz(count, arguments, seeds: seeds.map { Array($0.utf8) }) { input in
    for delimiter in [UInt8(ascii: ","), UInt8(ascii: ";")] {
      guard
        let columns = try? CSVTrackColumns(
          names: ["device", "time", "latitude", "longitude", "accuracy", "note"], delimiter: delimiter,
          place: .init(path: ""), options: .init(), fallbackDevice: "a")
      else { finding("no columns") }
      var options = ReadingOptions()
      options.follows = input.count & 1 == 0
      options.maximumDiagnostics = 1 << 20
      let fast = CSVTrackParser.parse(block(input), columns: columns, options: options)
      let slow = CSVTrackParser.parse(block(input), columns: columns, options: options, slowly: true)
      guard fast.fixes == slow.fixes, fast.numbers == slow.numbers, fast.lineCount == slow.lineCount,
        fast.rejected.map(\.fault) == slow.rejected.map(\.fault), devices(fast) == devices(slow)
      else { finding("paths differ") }
    }
  }
}

private func devices(_ rows: TrackRows) -> [String] {
  rows.runs.flatMap { run in run.range.map { _ in rows.devices[run.device] } }
}

private func block(_ bytes: [UInt8]) -> ByteBlock {
  let block = ByteBlock(capacity: bytes.count)
  for i in bytes.indices { block.base[i] = bytes[i] }
  block.setCount(bytes.count)
  return block
}

private let seeds = [
  "a,2020-01-01T00:00:00Z,48.2,16.4,5,x\na,1577836801.5,48.200001,16.4,,\n\"b\",1e9,1,2,,\"a\nb\"\r\n",
  "a;2020-01-01 00:00:00.123456+01:00;-0;+5.;.5;5'10\"\n\n;1;2;3;4;5\nlong device name;1;2;3;4;",
]
