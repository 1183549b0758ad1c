import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// Which of fixes that contradict each other are wrong.
@Suite struct TrackOrderTests {
  static func fix(_ seconds: Int64, _ longitude: Double = 0, accuracy: Double = 0) -> Fix {
    Fix(
      time: Timestamp(microseconds: seconds * 1_000_000),
      coordinate: Coordinate(latitude: 0, longitude: longitude), horizontalAccuracy: accuracy)
  }

  static func isRefused(_ verdict: TrackOrder.Verdict) -> Bool {
    switch verdict {
    case .backwards, .contradicted, .conflicting: true
    case .accepted, .repeated, .invalid: false
    }
  }

  /// The indices of fixes that are refused when all are judged at once.
  static func refused(_ seconds: [Int64]) -> [Int] {
    var order = TrackOrder()
    let verdicts = order.judge(seconds.map { fix($0) }, device: 0, deciding: seconds.count).verdicts
    return verdicts.indices.filter { isRefused(verdicts[$0]) }
  }

  @Test func judgesEachFix() {
    var order = TrackOrder()
    func verdict(_ seconds: Int64, _ longitude: Double, accuracy: Double = 0, device: Int = 3)
      -> TrackOrder.Verdict
    {
      order.admit(Self.fix(seconds, longitude, accuracy: accuracy), device: device)
    }
    let place = Coordinate(latitude: 0, longitude: 2)
    #expect(order[3] == nil)
    #expect(verdict(10, 2) == .accepted)
    #expect(verdict(10, 2, accuracy: 9) == .repeated)
    #expect(verdict(10, 3) == .conflicting(with: place))
    #expect(verdict(9, 2) == .backwards(after: Timestamp(microseconds: 10_000_000)))
    #expect(verdict(12, 2, accuracy: -1) == .invalid)
    #expect(verdict(11, 2) == .accepted)
    #expect(verdict(1, 2, device: 0) == .accepted)
    #expect(order[3] == TrackOrder.Last(time: Timestamp(microseconds: 11_000_000), coordinate: place))
    #expect(order[1] == nil)
    // One meridian has two longitudes.
    #expect(verdict(20, 180) == .accepted)
    #expect(verdict(20, -180) == .repeated)
    // The beginning of time is a time.
    let first = Fix(time: Timestamp(microseconds: .min), coordinate: Coordinate(latitude: 0, longitude: 0))
    #expect(order.admit(first, device: 7) == .accepted)
    #expect(order.admit(first, device: 7) == .repeated)
  }

  @Test func theRowThatOthersContradictIsWrong() {
    let far: Int64 = 2_000_000_000
    // In the first row, in the middle, before the last row; one or several.
    #expect(Self.refused([far, 10, 20, 30]) == [0])
    #expect(Self.refused([10, far, 20, 30]) == [1])
    #expect(Self.refused([10, 20, far, 30]) == [2])
    #expect(Self.refused([10, far, far + 1, far + 2, 20, 30, 40, 50]) == [1, 2, 3])
    #expect(Self.refused([10, 20, -619_315_200, 30]) == [2])
    // Nothing contradicts the last one.
    #expect(Self.refused([10, 20, far]) == [])
    #expect(Self.refused([10, 20, 5]) == [2])
    // As many either way: what takes less time, then what was there first.
    #expect(Self.refused([10, 9]) == [1])
    #expect(Self.refused([10, 9, 11]) == [1])
    #expect(Self.refused([10, 30, 20, 40]) == [2])
    // A buffer sent late, after one fix of the present.
    #expect(Self.refused([10, 1000, 20, 30, 40, 1010]) == [1])
  }

  /// Against all subsets: no more fixes can remain, and no as many in less time.
  @Test func keepsTheMost() {
    let seed: UInt64 = 0x5EED_4701
    var random = SplitMix64(seed: seed)
    var ties = 0
    for _ in 0..<3000 {
      let times = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        Int64.random(in: 0...9, using: &random)
      }
      let start = Bool.random(using: &random) ? Int64.random(in: -1...5, using: &random) : nil
      let found = TrackOrder.longestIncrease(times, after: start)
      let kept = found.map { times[$0] }
      #expect(
        found == found.sorted() && kept == Array(Set(kept)).sorted() && kept.allSatisfy { $0 > start ?? -1 })
      var best = (count: 0, span: Int64(0))
      for subset in 0..<(1 << times.count) {
        let chosen = times.indices.filter { subset >> $0 & 1 != 0 }.map { times[$0] }
        guard zip(chosen, chosen.dropFirst()).allSatisfy({ $0 < $1 }),
          chosen.allSatisfy({ $0 > start ?? -1 }),
          let first = chosen.first, let last = chosen.last
        else { continue }
        let span = last - (start ?? first)
        if chosen.count > best.count || chosen.count == best.count && span < best.span {
          best = (chosen.count, span)
        } else if chosen.count == best.count {
          ties += 1
        }
      }
      #expect(kept.count == best.count, "seed \(seed): \(times) after \(start.map(String.init) ?? "nothing")")
      if start != nil, let last = kept.last, let start {
        #expect(last - start == best.span, "seed \(seed): \(times)")
      }
    }
    #expect(ties > 1000)
  }

  /// Times that are wrong by much, at any rows of tracks, one by one and in groups: they and no others are
  /// refused.
  @Test func findsWrongTimes() {
    let seed: UInt64 = 0x5EED_4702
    var random = SplitMix64(seed: seed)
    // An hour by the zone, a day, a week of GPS, its 1024 weeks, 2036, the end of 32 bits, 9999; and back.
    let offsets: [Int64] = [
      3600, 86_400, 604_800, 619_315_200, 315_000_000, 400_000_000, 250_000_000_000, -3600, -86_400, -604_800,
      -619_315_200, -840_000_000,
    ]
    for _ in 0..<2000 {
      let count = Int.random(in: 5...40, using: &random)
      var time: Int64 = 1_767_265_200
      var times: [Int64] = []
      for _ in 0..<count {
        time += Int64.random(in: 1...60, using: &random)
        times.append(time)
      }
      let group = Int.random(in: 1...(count - 1) / 3 + 1, using: &random)
      let offset = offsets[Int.random(in: 0..<offsets.count, using: &random)]
      // Times that are too early in the first rows, or too late in the last ones, contradict nothing.
      let start = Int.random(in: (offset < 0 ? 1 : 0)..<(count - group), using: &random)
      guard offset.magnitude > 2400, group < count / 2, offset > 0 || start >= group + 1 else { continue }
      guard offset < 0 || count - group - start > group else { continue }
      for i in start..<start + group { times[i] += offset }
      #expect(Self.refused(times) == Array(start..<start + group), "seed \(seed): \(times)")
    }
  }

  /// A wrong time that was accepted before what contradicts it was there: time goes back, once as many rows
  /// say so.
  @Test func noTimeMutesADevice() {
    let far: Int64 = 2_000_000_000
    for wrong in 1...4 {
      var order = TrackOrder()
      for second in 0..<100 { _ = order.admit(Self.fix(Int64(second)), device: 0) }
      for i in 0..<wrong { #expect(order.admit(Self.fix(far + Int64(i)), device: 0) == .accepted) }
      var restarts: [Int] = []
      for second in 100..<110 {
        let judgement = order.judge([Self.fix(Int64(second))], device: 0, deciding: 1)
        if let restart = judgement.restart {
          restarts.append(second)
          #expect(restart.since == Timestamp(microseconds: 99_000_000) && restart.wrongCount == wrong)
        }
        #expect(Self.isRefused(judgement.verdicts[0]) == (second < 100 + wrong))
      }
      #expect(restarts == [100 + wrong])
      #expect(order[0]?.time == Timestamp(microseconds: 109_000_000))
    }
  }

  /// Rows that were there before do not make time go back when they come again, however many.
  @Test func whatComesAgainIsNoContradiction() {
    var order = TrackOrder()
    let fixes = (0..<500).map { Self.fix(Int64($0) * 10 + ($0 > 250 ? 40_000 : 0), Double($0) * 1e-3) }
    for fix in fixes { #expect(order.admit(fix, device: 0) == .accepted) }
    for again in [fixes[...], fixes[400...], fixes[240..<260], fixes[100..<240]] {
      for fix in again {
        let judgement = order.judge([fix], device: 0, deciding: 1)
        #expect(judgement.restart == nil && judgement.verdicts[0] != .accepted)
      }
      let whole = order.judge(Array(again), device: 0, deciding: again.count)
      #expect(whole.restart == nil && whole.verdicts.allSatisfy { $0 != .accepted })
    }
  }

  @Test func bytesComeBack() throws {
    var order = TrackOrder()
    for (device, second) in [(0, 10), (2, 20), (2, 4000), (2, 90_000), (5, 1)] {
      _ = order.admit(Self.fix(Int64(second), 1), device: device)
    }
    _ = order.judge([Self.fix(5000)], device: 2, deciding: 1)
    var bytes: [UInt8] = []
    order.append(to: &bytes)
    var reader = ByteReader(bytes[...])
    var again = try TrackOrder(&reader)
    #expect(reader.remaining == 0)
    for device in 0..<6 { #expect(again[device] == order[device]) }
    // The count of refused fixes, and where time jumped, came back, too.
    for second in 5001..<5004 {
      #expect(
        again.judge([Self.fix(Int64(second))], device: 2, deciding: 1)
          == order.judge([Self.fix(Int64(second))], device: 2, deciding: 1))
    }
    #expect(order[2]?.time == Timestamp(microseconds: 5_003_000_000))
    for length in 0..<bytes.count {
      var reader = ByteReader(bytes[..<length])
      #expect(throws: ByteReader.Failure.self) { _ = try TrackOrder(&reader) }
    }
  }

  @Test func countsStepsFasterThanAnyVehicle() {
    var order = TrackOrder()
    // 111 km in two minutes, in one, in one with an accuracy that explains it; over a day; one place under
    // two names; 222 km.
    for fix in [
      Self.fix(0, 0), Self.fix(120, 1), Self.fix(180, 2), Self.fix(240, 3, accuracy: 60_000),
      Self.fix(100_000, 180),
      Self.fix(100_001, -180), Self.fix(100_002, 178),
    ] { #expect(order.admit(fix, device: 4) == .accepted) }
    #expect(
      order.steps(.fasterThanAnyVehicle)
        == TrackOrder.OddSteps(count: 2, device: 4, time: Timestamp(microseconds: 180_000_000)))
    // However long a step takes: 1,113 km in 1,101 seconds, and in 1,200.
    #expect(order.admit(Self.fix(101_103, 168), device: 4) == .accepted)
    #expect(order.steps(.fasterThanAnyVehicle)?.count == 3)
    #expect(order.admit(Self.fix(102_303, 158), device: 4) == .accepted)
    #expect(order.steps(.fasterThanAnyVehicle)?.count == 3)
    #expect(order.steps(.longerThanAYear) == nil)
    #expect(order.admit(Self.fix(40_000_000), device: 4) == .accepted)
    #expect(order.steps(.longerThanAYear)?.count == 1)
  }

  // MARK: Broken tracks

  /// A break makes the next step one of which nothing is known, however short; time may go back in it.
  @Test(arguments: [CrossingRule.geometric, .naive, .overlap(), .exitMargin()])
  func breaksTracks(rule: CrossingRule) throws {
    let index = try RegionIndex([
      Region(identifier: "a", center: Coordinate(latitude: 0, longitude: 0), radius: 1000),
      Region(identifier: "b", center: Coordinate(latitude: 0, longitude: 0.1), radius: 1000),
    ])
    func run(_ fixes: [(fix: Fix, breaks: Bool, since: Timestamp?)], dwell: Duration? = nil) throws
      -> [[Crossing]]
    {
      let options = CrossingOptions(dwell: dwell, rule: rule)
      var fleet = try Fleet(index, options: options, deviceCount: 1)
      var detector = try CrossingDetector(index, options: options)
      var (one, all, own): ([Crossing], [Crossing], [Crossing]) = ([], [], [])
      for (fix, breaks, since) in fixes {
        if breaks {
          fleet.breakTrack(of: 0, before: fix.time, since: since)
          detector.breakTrack(before: fix.time, since: since)
        }
        try fleet.advance(0, to: fix, into: &one)
        try detector.advance(to: fix, into: &own)
      }
      var whole = try Fleet(index, options: options, deviceCount: 1)
      for (fix, breaks, since) in fixes {
        if breaks { whole.breakTrack(of: 0, before: fix.time, since: since) }
        do { try whole.advance(0, through: [fix][0..<1].span, into: &all) } catch { throw error.error }
      }
      return [one, all, own]
    }
    func time(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }
    // From one region to the other, over a break.
    for crossings in try run([
      (Self.fix(0), false, nil), (Self.fix(10, 0.001), false, nil), (Self.fix(20, 0.1), true, nil),
      (Self.fix(30, 0.2), false, nil),
    ]) {
      #expect(crossings.map(\.kind) == [.exit, .enter, .exit])
      #expect(crossings.map { $0.inferred } == [time(10)...time(20), time(10)...time(20), nil])
    }
    // Back in time from a wrong fix: what has changed is inferred, since the last right one.
    for crossings in try run([
      (Self.fix(0), false, nil), (Self.fix(10, 0.001), false, nil),
      (Self.fix(2_000_000_000, 0.2), false, nil),
      (Self.fix(20, 0.1), true, time(10)), (Self.fix(30, 0.2), false, nil),
    ]) {
      #expect(crossings.map(\.kind) == [.exit, .enter, .exit])
      #expect(crossings.map { $0.inferred } == [time(10)...time(2_000_000_000), time(10)...time(20), nil])
    }
    // A stay that seemed to begin in the future lasts from when it can have begun.
    for crossings in try run(
      [
        (Self.fix(0, 0.2), false, nil), (Self.fix(2_000_000_000, 0.1), false, nil),
        (Self.fix(20, 0.1), true, time(0)),
        (Self.fix(30, 0.1), false, nil), (Self.fix(200, 0.1), false, nil),
      ], dwell: .seconds(60))
    {
      #expect(crossings.map(\.kind) == [.enter, .dwell])
      #expect(crossings.last.map { $0.time <= time(200) && $0.time >= time(60) } == true)
    }
  }

  @Test("What is known of devices is divided among fleets and put together again")
  func parts() {
    var order = TrackOrder()
    for device in 0..<10 where device % 4 != 3 {
      for second in 0..<device + 1 {
        let fix = Fix(
          time: Timestamp(microseconds: Int64(second) * 1_000_000),
          coordinate: Coordinate(latitude: 0, longitude: 0))
        _ = order.admit(fix, device: device)
      }
    }
    let parts = (0..<4).map { order.devices($0, of: 4) }
    #expect(parts.map(\.deviceCount) == [3, 3, 2, 2])
    for device in 0..<10 { #expect(parts[device % 4][device / 4] == order[device]) }
    let whole = TrackOrder(joining: parts, deviceCount: 12)
    var (bytes, others) = ([UInt8](), [UInt8]())
    whole.devices(0, of: 1).append(to: &bytes)
    // Two devices that have not been seen come behind.
    for device in 10..<12 { #expect(whole[device] == nil) }
    TrackOrder(joining: [order], deviceCount: 12).append(to: &others)
    #expect(whole.deviceCount == 12 && bytes == others)
  }
}
