import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityFormats
@testable import VicinityText

@Suite struct CompressionTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static let text = Array(
    ("device,time,latitude,longitude\n" + (0..<9000).map { "d\($0 % 7),\($0),48.\($0),16.\($0)\n" }.joined())
      .utf8)

  @Test(arguments: Compression.allCases)
  func readsTracksPacked(compression: Compression) throws {
    let plain = try TrackReading([directory.write(Self.text, to: "a.csv")])
    #expect(plain.fixes.count == 9000)
    let packed = try directory.write(Packed.bytes(Self.text, compression), to: "b.csv" + compression.ending)
    for chunk in [61, 5000, 1 << 22] {
      #expect(try TrackReading([packed]) { $0.chunkByteCount = chunk }.fixes == plain.fixes, "\(chunk)")
    }
    // The name does not matter, and pieces may follow one another.
    let half = Self.text.count / 2
    let pieces =
      Packed.bytes(Array(Self.text[..<half]), compression)
      + Packed.bytes(Array(Self.text[half...]), compression)
    #expect(try TrackReading([directory.write(pieces, to: "c")]).fixes == plain.fixes)
    // A folder's files count by their names without the ending of packed files.
    #expect(TrackFiles.extensions.contains("csv"))
    let folder = try TrackFiles([directory.path])
    #expect(folder.paths.contains { $0.hasSuffix("b.csv" + compression.ending) })
    let device = try TrackReading([
      directory.write(
        Packed.bytes(Array("time,lat,lon\n1,2,3\n".utf8), compression),
        to: "bus" + ".csv" + compression.ending)
    ])
    #expect(device.fixes.map(\.device) == ["bus"])
  }

  @Test(arguments: Compression.allCases)
  func readsRegionsPacked(compression: Compression) throws {
    let feature =
      #"{"type":"Feature","properties":{"id":"a","radius":1},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    for (name, text) in [
      ("r.csv", "id,lat,lon,radius\na,2,1,1\n"), ("r.geojson", feature),
      ("r.ndjson", #"{"id":"a","lat":2,"lon":1,"radius":1}"#),
    ] {
      let path = try directory.write(
        Packed.bytes(Array(text.utf8), compression), to: name + compression.ending)
      let reading = try RegionReader.read(path)
      #expect(reading.content.identifier(of: 0) == "a", "\(name)")
      #expect(reading.content.centers[0] == Coordinate(latitude: 2, longitude: 1))
    }
  }

  @Test(arguments: Compression.allCases)
  func refusesWhatIsCutOrDamaged(compression: Compression) throws {
    let whole = Packed.bytes(Self.text, compression)
    for percent in [1, 20, 60, 99] {
      let path = try directory.write(Array(whole.prefix(whole.count * percent / 100)), to: "cut")
      let error = #expect(throws: FormatError.self, "\(percent) %") { try TrackReading([path]) }
      if percent > 20 {
        #expect(error?.description.contains(compression.rawValue) == true, "\(error as Any)")
      }
    }
    #expect(throws: FormatError.self) { try TrackReading([directory.write(whole + [1, 2, 3], to: "more")]) }
    let seed: UInt64 = 0x5EED_0C01
    var random = SplitMix64(seed: seed)
    for i in 0..<(runsLongTests ? 2000 : 60) {
      var bytes = whole
      for _ in 0...Int(random.next() % 3) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let path = try directory.write(bytes, to: "damaged.csv")
      do {
        _ = try TrackReading([path])
      } catch is FormatError {
        // Refused in words.
      } catch {
        Issue.record("seed \(seed), file \(i): \(error)")
      }
    }
  }

  /// A gigabyte of zeros is a record of more bytes than can be right, and is not gathered.
  @Test(arguments: Compression.allCases)
  func refusesBombsInBoundedMemory(compression: Compression) throws {
    let piece = Packed.bytes([UInt8](repeating: 0x61, count: 16 << 20), compression)
    let bomb = (0..<64).flatMap { _ in piece }
    #expect(bomb.count < 2 << 20)
    let path = try directory.write(bomb, to: "bomb.csv")
    let before = Self.peakMemory
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect(error != nil)
    #expect(Self.peakMemory - before < 900 << 20)
  }

  private static var peakMemory: Int {
    var usage = rusage()
    // 0 is RUSAGE_SELF, whose type differs; Linux counts kibibytes.
    _ = unsafe getrusage(0, &usage)
    #if os(Linux)
      return usage.ru_maxrss << 10
    #else
      return usage.ru_maxrss
    #endif
  }

  /// A frame whose header asks for a window of 2 GiB.
  @Test func refusesWindowsThatAreTooLarge() throws {
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x09, 0x00, 0x00, 0x61]
    let error = #expect(throws: FormatError.self) {
      try RegionReader.read(directory.write(frame, to: "a.zst"))
    }
    #expect(error?.description.contains("zstd") == true)
  }

  @Test func tellsPackedFilesByTheirFirstBytes() {
    #expect(Compression(head: Array("BZh9".utf8)) == nil)
    #expect(Compression(head: Array("BZhello".utf8)) == nil)
    #expect(Compression(head: [0x50, 0x2A, 0x4D, 0x18, 0, 0]) == .zstd)
    #expect(Compression(head: []) == nil)
    #expect(Compression.withoutEnding("a.csv.zst") == "a.csv")
    #expect(Compression.withoutEnding(".xz") == ".xz")
  }
}
