import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityFormats

/// Mutated files: whatever the bytes, a reading or a typed error, and everything that was read in its range.
@Suite struct CSVFuzzTests {
  static let seeds = [
    "id,latitude,longitude,radius\na,48.2,16.4,100\nb,-33.9,151.2,0.5\n\"c,\"\"d\"\"\",1e1,-2E-3,+7\n",
    "id;lat;lon;radius_m\r\nx;1;2;7\r\n\"y\nz\";3;4;5\r\n",
    "\u{FEFF}name\tlat\tlng\tradius\nä\t1\t2\t3\n",
    "id,wkt,radius\na,\"POLYGON((0 0,1 0,1 1,0 0))\",\nb,POINT(1 2),5\nc,\"MULTIPOLYGON(((0 0,1 0,1 1,0 0)))\",\n",
  ]

  static let fragments = [
    "\"", ",", "\n", "\r\n", "\"\"", ";", "nan", "-", "1e999", "0", "\u{FF}", "POLYGON", "((", "))",
    "EMPTY", "lat", "id", ".",
    "99999999999999999999", "GEOMETRYCOLLECTION(",
  ].map { Array($0.utf8) }

  @Test func readsOrRefusesMutatedFiles() throws {
    let directory = try TemporaryDirectory()
    let seed: UInt64 = 0x5EED_0004
    var random = SplitMix64(seed: seed)
    for i in 0..<(runsLongTests ? 10_000 : 500) {
      var bytes = Array(Self.seeds[Int(random.next() % UInt64(Self.seeds.count))].utf8)
      for _ in 0...Int(random.next() % 6) { Self.mutate(&bytes, &random) }
      let path = try directory.write(bytes, to: "a.csv")
      var options = ReadingOptions()
      options.skipInvalid = random.next() & 1 == 0
      options.strict = random.next() & 1 == 0
      options.defaultRadius = random.next() & 1 == 0 ? 5 : nil
      do {
        let reading = try RegionReader.read(path, options: options)
        for ordinal in 0..<reading.content.count {
          let center = reading.content.centers[ordinal]
          #expect(
            center.isValid && reading.content.radii[ordinal] >= 0, "seed \(seed), file \(i): \(bytes)")
        }
        #expect(options.skipInvalid || reading.skipped.count == 0)
      } catch is FormatError {
        // Refused in words.
      } catch {
        Issue.record("seed \(seed), file \(i): \(error) for \(bytes)")
      }
      do {
        _ = try PointReader.read(path, options: options)
      } catch is FormatError {
        // Refused in words.
      } catch {
        Issue.record("seed \(seed), file \(i): \(error) for \(bytes)")
      }
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    func place(_ count: Int, _ random: inout SplitMix64) -> Int {
      Int(random.next() % UInt64(max(count, 1)))
    }
    switch random.next() % 6 {
    case 0:
      if !bytes.isEmpty {
        bytes[place(bytes.count, &random)] = UInt8(truncatingIfNeeded: random.next())
      }
    case 1:
      bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place(bytes.count + 1, &random))
    case 2: if !bytes.isEmpty { bytes.remove(at: place(bytes.count, &random)) }
    case 3: bytes.removeLast(place(bytes.count + 1, &random))
    case 4:
      let start = place(bytes.count, &random)
      let end = min(bytes.count, start + place(40, &random))
      bytes.insert(
        contentsOf: Array(bytes[min(start, end)..<end]), at: place(bytes.count + 1, &random))
    default:
      bytes.insert(
        contentsOf: fragments[place(fragments.count, &random)], at: place(bytes.count + 1, &random))
    }
  }
}
