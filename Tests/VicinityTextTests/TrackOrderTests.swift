import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityText

@Suite struct TrackOrderTests {
  @Test func judgesEachFix() {
    var order = TrackOrder()
    #expect(order[3] == nil)
    #expect(order.admit(.at(10, 1, 2), device: 3) == .accepted)
    #expect(order.admit(.at(10, 1, 2, accuracy: 9), device: 3) == .repeated)
    #expect(order.admit(.at(10, 1, 3), device: 3) == .conflicting)
    #expect(order.admit(.at(9, 1, 2), device: 3) == .backwards)
    #expect(order.admit(.at(12, 1, 2, accuracy: -1), device: 3) == .invalid)
    #expect(order.admit(.at(11, 1, 2), device: 3) == .accepted)
    #expect(order.admit(.at(1, 1, 2), device: 0) == .accepted)
    #expect(
      order[3]
        == TrackOrder.Last(
          time: Timestamp(microseconds: 11_000_000), coordinate: Coordinate(latitude: 1, longitude: 2)))
    #expect(order[1] == nil)
    order[1] = order[3]
    #expect(order.admit(.at(10, 0, 0), device: 1) == .backwards)
    // The beginning of time is a time.
    let first = Fix(time: Timestamp(microseconds: .min), coordinate: Coordinate(latitude: 0, longitude: 0))
    #expect(order.admit(first, device: 7) == .accepted)
    #expect(order.admit(first, device: 7) == .repeated)
  }

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
    var random = SplitMix64(state: seed)
    for (count, bytes) in [(0, 1), (1, 1), (5000, 1), (5000, 1 << 24), (70_000, 1 << 20)] {
      let sorter = TrackSorter(byteCount: bytes)
      var expected: [(UInt32, Int64, Int)] = []
      var rows = TrackRows(maximumRejected: 0)
      for i in 0..<count {
        let device = UInt32(random.next() % 9)
        let time = Int64(random.next() % 500)
        rows.append(.at(time, 0, Double(i)), device: device, number: i)
        expected.append((device, time, i))
      }
      var batch = TrackBatch()
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
