import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityFormats
@testable import VicinityText

@Suite struct TrackSorterTests {
  @Test func numbersDevicesInOrder() {
    var devices = DeviceNames()
    #expect(devices.insert("b") == 0)
    #expect(devices.insert("a") == 1)
    #expect(devices.insert("b") == 0)
    #expect(devices.insert("") == 2)
    #expect(devices.insert("é") == 3)
    #expect(devices.insert("z") == 4)
    #expect(devices.count == 5 && devices[1] == "a")
    // UTF-8 bytes, not letters.
    #expect(devices.ranks() == [2, 1, 0, 4, 3])
    for i in 0..<10_000 { #expect(devices.insert("d\(i)") == 5 + i) }
    #expect(devices.insert("d77") == 82 && devices[82] == "d77")
  }

  /// The sorter against the standard library's sort, with and without files.
  @Test func sortsInBoundedMemory() throws {
    let seed: UInt64 = 0x5EED_0109
    var random = SplitMix64(seed: seed)
    for (count, bytes) in [(0, 1), (1, 1), (5000, 1), (5000, 1 << 24), (70_000, 1 << 20)] {
      let sorter = TrackSorter(byteCount: bytes)
      var expected: [(UInt32, Int64, Int)] = []
      var rows = TrackRows(ReadingOptions())
      for i in 0..<count {
        let device = UInt32(random.next() % 9)
        let time = Int64(random.next() % 500)
        rows.append(.at(time, 0, Double(i)), device: device, number: i)
        expected.append((device, time, i))
      }
      var batch = TrackBatch(TrackRows(ReadingOptions()), first: 0)
      (batch.fixes, batch.runs, batch.numbers) = (rows.fixes, rows.runs, rows.numbers)
      try sorter.add(batch)
      try sorter.finish()
      expected.sort { $0 < $1 }
      var next = 0
      var isSame = true
      while let sorted = try sorter.next() {
        #expect(sorted.start.offset == next)
        for run in sorted.runs {
          for i in run.range {
            let (device, time, order) = expected[next]
            isSame = isSame && run.device == Int(device) && sorted.fixes[i] == .at(time, 0, Double(order))
            next += 1
          }
        }
      }
      #expect(isSame && next == count, "seed \(seed), \(count) fixes")
    }
  }
}
