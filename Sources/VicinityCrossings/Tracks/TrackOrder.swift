package import VicinityGeodesy
package import VicinityIndex

/// Decides which fixes of each device follow one another, and which of those that contradict each other is
/// wrong.
///
/// - A fix of negative accuracy is invalid and is not compared with others.
/// - A fix at the time and place of the last accepted one repeats it.
/// - Otherwise the times of accepted fixes increase. Where they do not, the fixes that are at fault are those
///   without which the most remain: one time in the future is wrong, and not all that come after it.
///
/// ``admit(_:device:)`` judges a fix by those before it alone. ``judge(_:device:deciding:)`` also looks at
/// those that follow. Where wrong times have been accepted already, because what contradicts them came later,
/// fixes that contradict them outnumber them after a while: then time goes back (``Judgement/restart``). So
/// no time mutes a device for good.
///
/// Takes some 110 bytes for each device.
package struct TrackOrder: Sendable {
  /// The decision about a fix.
  package enum Verdict: Hashable, Sendable {
    /// It follows the previous fix.
    case accepted
    /// It repeats the previous fix; to be dropped and counted.
    case repeated
    /// Its accuracy is negative; to be dropped and counted.
    case invalid
    /// It has the time of an accepted fix at another place, which is this.
    case conflicting(with: Coordinate)
    /// It is earlier than the last accepted fix, whose time this is.
    case backwards(after: Timestamp)
    /// It is later than fixes after it, which were preferred; the time of the first of them.
    case contradicted(by: Timestamp)
  }

  /// The last accepted fix of a device.
  package struct Last: Hashable, Sendable {
    package var time: Timestamp
    /// The fix's coordinate; its latitude is NaN if there has been no fix.
    package var coordinate: Coordinate

    /// The last accepted fix of a device.
    package init(time: Timestamp, coordinate: Coordinate) {
      self.time = time
      self.coordinate = coordinate
    }

    static let none = Last(
      time: .distantPast, coordinate: Coordinate(latitude: .nan, longitude: .nan))

    var isNone: Bool { coordinate.latitude.isNaN }

    @inline(__always)
    package func verdict(on fix: Fix) -> Verdict {
      if fix.horizontalAccuracy < 0 { return .invalid }
      if fix.time > time || isNone { return .accepted }
      if fix.time < time { return .backwards(after: time) }
      return fix.coordinate.isSamePosition(as: coordinate) ? .repeated : .conflicting(with: coordinate)
    }
  }

  /// Where a device's time jumped: a wrong clock may have begun there.
  fileprivate struct Jump: Hashable, Sendable {
    /// The time of the fix before, microseconds.
    var before: Int64 = .min
    /// How many fixes had been accepted before the jump.
    var count: UInt32 = 0
  }

  /// What is known of a device.
  fileprivate struct Past: Hashable, Sendable {
    var last = Last.none
    /// How many fixes have been accepted.
    var count: UInt32 = 0
    /// How many fixes in a row, each later than the one before, have been refused since the last accepted
    /// one.
    var refusedCount: UInt32 = 0
    /// The times of the first and the last of them, microseconds.
    var firstRefused: Int64 = .max
    var lastRefused: Int64 = .max
    /// The latest jumps, oldest first; of those not used `before` is the beginning of time, and `count` zero.
    var jump0 = Jump()
    var jump1 = Jump()
    var jump2 = Jump()

    var jumps: [Jump] { [jump0, jump1, jump2] }

    /// Makes a fix the last one.
    ///
    /// - Returns: What is odd about the step to it.
    @inline(__always)
    mutating func accept(_ fix: Fix) -> Oddity? {
      let (step, overflow) = fix.time.microseconds.subtractingReportingOverflow(last.time.microseconds)
      var oddity: Oddity?
      if !last.isNone {
        if overflow || step > TrackOrder.longStep { jumped() }
        if overflow || step > TrackOrder.year {
          oddity = .longerThanAYear
        } else if TrackOrder.isTooFar(last.coordinate, fix, microseconds: step) {
          oddity = .fasterThanAnyVehicle
        }
      }
      last = Last(time: fix.time, coordinate: fix.coordinate)
      if count < .max { count += 1 }
      refusedCount = 0
      return oddity
    }

    private mutating func jumped() {
      jump0 = jump1
      jump1 = jump2
      jump2 = Jump(before: last.time.microseconds, count: count)
    }

    /// Notes a fix that is earlier than the last accepted one.
    mutating func refuse(_ fix: Fix) {
      let time = fix.time.microseconds
      if refusedCount == 0 || time <= lastRefused {
        (refusedCount, firstRefused) = (0, time)
      }
      if refusedCount < .max { refusedCount += 1 }
      lastRefused = time
    }

    /// Forgets what was accepted from a jump on.
    mutating func goBack(to jump: Jump) {
      let kept = jumps.filter { $0.count > 0 && $0.count < jump.count }
      (jump0, jump1, jump2) = (Jump(), Jump(), Jump())
      for earlier in kept { (jump0, jump1, jump2) = (jump1, jump2, earlier) }
      count = jump.count
      last.time = Timestamp(microseconds: jump.before)
      if jump.count == 0 { last = .none }
      refusedCount = 0
    }
  }

  /// A longer step than this, microseconds, may be that of a wrong clock: by default it also splits a track.
  static let longStep: Int64 = 300_000_000

  /// The fastest that a vehicle has flown within the air, metres a second: the Fédération Aéronautique
  /// Internationale's absolute speed record of 28 July 1976, 3529.56 km/h, rounded up.
  package static let fastestVehicle: MetersPerSecond = 981

  private static let year: Int64 = 31_557_600_000_000

  /// What may be odd about a step from one fix to the next, though nothing contradicts it.
  package enum Oddity: Int, CaseIterable, Sendable {
    /// It is faster than ``fastestVehicle``.
    case fasterThanAnyVehicle
    case longerThanAYear
  }

  /// Steps of one kind: how many there were, and the fix behind the first of them.
  package struct OddSteps: Hashable, Sendable {
    package var count = 0
    package var device = 0
    package var time = Timestamp.distantPast
  }

  private var oddSteps = [OddSteps](repeating: OddSteps(), count: Oddity.allCases.count)

  /// The odd steps of a kind; `nil` where there have been none.
  package func steps(_ oddity: Oddity) -> OddSteps? {
    let steps = oddSteps[oddity.rawValue]
    return steps.count > 0 ? steps : nil
  }

  private var pasts: [Past] = []
  /// What ``takeBack()`` goes back to.
  private var kept: [(device: Int, past: Past)] = []
  /// For each device, when its last fix was in the scan that is under way, and which scan that was.
  private var scanTimes: [Int64] = []
  private var scans: [UInt32] = []
  private var scan: UInt32 = 0
  /// Devices whose last fix behind a break was left out: their next one is behind it.
  package var pendingBreaks: Set<Int> = []
  /// Whether the last scan went on into the batch that comes next, and found all in order.
  package var hasScannedNext = false

  package init() {}

  /// The verdict on `fix` as the next of device `device`, by those before it; an accepted fix becomes the
  /// last one.
  ///
  /// - Precondition: `device >= 0`.
  /// - Complexity: O(1), amortised
  @inline(__always)
  package mutating func admit(_ fix: Fix, device: Int) -> Verdict {
    if device >= pasts.count { grow(to: device + 1) }
    let verdict = pasts[device].last.verdict(on: fix)
    switch verdict {
    case .accepted: accept(fix, device: device)
    case .backwards: pasts[device].refuse(fix)
    default: break
    }
    return verdict
  }

  /// Makes fixes of a device the last ones, which are known to follow each other and those before; invalid
  /// ones are passed over.
  ///
  /// - Complexity: O(fixes)
  package mutating func accept(_ fixes: Span<Fix>, device: Int) {
    if device >= pasts.count { grow(to: device + 1) }
    for i in fixes.indices where !(fixes[i].horizontalAccuracy < 0) { accept(fixes[i], device: device) }
  }

  @inline(__always)
  private mutating func accept(_ fix: Fix, device: Int) {
    guard let oddity = pasts[device].accept(fix) else { return }
    if oddSteps[oddity.rawValue].count == 0 {
      oddSteps[oddity.rawValue] = OddSteps(device: device, time: fix.time)
    }
    oddSteps[oddity.rawValue].count += 1
  }

  /// Whether a fix is farther from a place than any vehicle moves in some time, even if the fix is wrong by
  /// its accuracy.
  @inline(__always)
  private static func isTooFar(_ place: Coordinate, _ fix: Fix, microseconds: Int64) -> Bool {
    let reach = fastestVehicle * 1e-6 * Double(microseconds) + fix.horizontalAccuracy
    // No path is longer than the one along a meridian and a parallel.
    let degrees =
      abs(fix.coordinate.latitude - place.latitude) + abs(fix.coordinate.longitude - place.longitude)
    if degrees * WGS84.longestDegree <= reach { return false }
    return isFarther(place, fix.coordinate, than: reach)
  }

  @inline(never)
  private static func isFarther(_ a: Coordinate, _ b: Coordinate, than reach: Meters) -> Bool {
    guard let distance = try? Geodesic.distance(from: a, to: b) else { return false }
    return distance > reach
  }

  /// The last accepted fix of a device; `nil` if there is none.
  package subscript(device: Int) -> Last? {
    guard device < pasts.count, !pasts[device].last.isNone else { return nil }
    return pasts[device].last
  }

  /// How many devices are known: numbers 0 ..< `deviceCount`.
  package var deviceCount: Int { pasts.count }

  /// When each device was last seen, microseconds; the least number where it was not.
  package var lastTimes: [Int64] { pasts.map { $0.last.isNone ? .min : $0.last.time.microseconds } }

  @inline(never)
  private mutating func grow(to count: Int) {
    pasts.append(contentsOf: repeatElement(Past(), count: count - pasts.count))
  }

  // MARK: Fixes that contradict each other

  /// What has been decided about consecutive fixes of a device.
  package struct Judgement: Equatable, Sendable {
    /// One for each fix that was to be decided.
    package var verdicts: [Verdict]
    /// Where time goes back.
    package var restart: Restart?
  }

  /// Time goes back, because fixes that were accepted before are wrong.
  package struct Restart: Hashable, Sendable {
    /// Which of the fixes is the first of the new times.
    package var index: Int
    /// When the device was last seen before the wrong fixes; `nil` where all before are wrong.
    package var since: Timestamp?
    /// How many fixes are wrong, and when the last of them was.
    package var wrongCount: Int
    package var wrongTime: Timestamp
  }

  /// Judges consecutive fixes of a device by those before and after; those accepted become the past.
  ///
  /// The most fixes remain. Of several ways in which as many do, one that keeps what was accepted before is
  /// taken, then the one that takes the least time, then the one that keeps earlier fixes.
  ///
  /// - Parameters:
  ///   - fixes: The device's next fixes, as many as are known.
  ///   - count: How many of them, from the first, are to be decided.
  /// - Complexity: O(n log n)
  package mutating func judge(_ fixes: [Fix], device: Int, deciding count: Int) -> Judgement {
    if device >= pasts.count { grow(to: device + 1) }
    let past = pasts[device]
    let valid = fixes.indices.filter { !(fixes[$0].horizontalAccuracy < 0) }
    let times = valid.map { fixes[$0].time.microseconds }

    var best = Self.longestIncrease(times, after: past.last.isNone ? nil : past.last.time.microseconds)
    var value = best.count
    var back: Jump?
    if past.count > 0 {
      for jump in past.jumps.reversed().filter({ $0.count > 0 }) + [Jump()] {
        let floor = jump.count > 0 ? jump.before : nil
        let cost = Int(past.count) - Int(jump.count)
        // Fixes that were refused before count, too, where these go on from them.
        let refused = past.refusedCount > 0 && past.firstRefused > floor ?? .min ? Int(past.refusedCount) : 0
        for (start, bonus) in refused > 0 ? [(floor, 0), (past.lastRefused, refused)] : [(floor, 0)] {
          let found = Self.longestIncrease(times, after: start)
          guard !found.isEmpty, found.count + bonus - cost > value else { continue }
          (best, value, back) = (found, found.count + bonus - cost, jump)
        }
      }
    }

    var isKept = [Bool](repeating: false, count: fixes.count)
    for i in best { isKept[valid[i]] = true }
    var restart: Restart?
    let first = best.first.map { valid[$0] }
    if let back, let first, first < count {
      restart = Restart(
        index: first, since: back.count > 0 ? Timestamp(microseconds: back.before) : nil,
        wrongCount: Int(past.count) - Int(back.count), wrongTime: past.last.time)
    }
    return Judgement(
      verdicts: verdicts(on: fixes, device: device, isKept, deciding: count, restart, back), restart: restart)
  }

  private mutating func verdicts(
    on fixes: [Fix], device: Int, _ isKept: [Bool], deciding count: Int, _ restart: Restart?, _ back: Jump?
  ) -> [Verdict] {
    // The first kept fix from each on: what is later than that contradicts it.
    var following = [Int](repeating: fixes.count, count: fixes.count + 1)
    for i in fixes.indices.reversed() { following[i] = isKept[i] ? i : following[i + 1] }
    var verdicts: [Verdict] = []
    for i in 0..<count {
      let fix = fixes[i]
      if i == restart?.index, let back { pasts[device].goBack(to: back) }
      let last = pasts[device].last
      if fix.horizontalAccuracy < 0 {
        verdicts.append(.invalid)
      } else if isKept[i] {
        accept(fix, device: device)
        verdicts.append(.accepted)
      } else {
        var verdict = last.verdict(on: fix)
        if verdict == .accepted {
          // Not before those accepted, so it was left out for the sake of those that follow.
          let next = fixes[min(following[i], fixes.count - 1)]
          verdict =
            next.time != fix.time
            ? .contradicted(by: next.time)
            : next.coordinate.isSamePosition(as: fix.coordinate)
              ? .repeated : .conflicting(with: next.coordinate)
        }
        if case .backwards = verdict { pasts[device].refuse(fix) }
        verdicts.append(verdict)
      }
    }
    return verdicts
  }

  /// The indices of a longest run of increasing times, all after `start`: of the longest one that spans the
  /// least time, and of those one of early fixes.
  ///
  /// Piles as in patience sorting: the times in a pile never increase, and each has a time before it in the
  /// pile to its left. C. Schensted, *Longest increasing and decreasing subsequences*, 1961,
  /// doi:10.4153/CJM-1961-015-3.
  static func longestIncrease(_ times: [Int64], after start: Int64?) -> [Int] {
    var piles: [[Int]] = []
    var before = [Int](repeating: -1, count: times.count)
    var origin = Array(times.indices)
    for (i, time) in times.enumerated() {
      if let start, time <= start { continue }
      var (low, high) = (0, piles.count)
      while low < high {
        let middle = (low + high) / 2
        if let top = piles[middle].last, times[top] < time { low = middle + 1 } else { high = middle }
      }
      if low > 0 {
        let pile = piles[low - 1]
        // The first of them that is earlier; all behind it are, too.
        var (from, to) = (0, pile.count)
        while from < to {
          let middle = (from + to) / 2
          if times[pile[middle]] < time { to = middle } else { from = middle + 1 }
        }
        before[i] = pile[from]
        origin[i] = origin[pile[from]]
      }
      if low == piles.count { piles.append([i]) } else { piles[low].append(i) }
    }
    func span(_ i: Int) -> Double { Double(times[i]) - Double(start ?? times[origin[i]]) }
    guard var i = piles.last?.min(by: { span($0) < span($1) }) else { return [] }
    var run: [Int] = []
    while i >= 0 {
      run.append(i)
      i = before[i]
    }
    return run.reversed()
  }

  // MARK: Taking back

  /// Keeps what is known of devices now, for ``takeBack()``; what was kept before is forgotten.
  package mutating func keep(_ devices: Set<Int>) {
    kept = devices.map { ($0, $0 < pasts.count ? pasts[$0] : Past()) }
  }

  /// Knows of the devices kept what was known then, as if their fixes since then had not come.
  package mutating func takeBack() {
    for (device, past) in kept where device < pasts.count { pasts[device] = past }
    kept = []
    hasScannedNext = false
  }

  // MARK: Scans

  /// Begins a scan of fixes, to find devices whose times run backwards without deciding anything yet.
  package mutating func beginScan() {
    scan &+= 1
    if scan == 0 {
      scans = scans.map { _ in 0 }
      scan = 1
    }
  }

  /// Whether a run of a device's fixes is in order, and after those scanned before and the past. Repeats
  /// within it are in order.
  @inline(__always)
  package mutating func scanIsInOrder(_ fixes: Span<Fix>, device: Int) -> Bool {
    if device >= scans.count { growScans(to: device + 1) }
    var time = scanTimes[device]
    if scans[device] != scan {
      scans[device] = scan
      time = self[device]?.time.microseconds ?? .min
    }
    var isInOrder = true
    var previous: Coordinate?
    for i in fixes.indices {
      let fix = fixes[i]
      if fix.horizontalAccuracy < 0 { continue }
      let next = fix.time.microseconds
      if next <= time {
        // The beginning of time is a time.
        let isRepeat = next == time && previous.map { fix.coordinate.isSamePosition(as: $0) } ?? false
        if !isRepeat { isInOrder = false }
      }
      time = max(time, next)
      previous = fix.coordinate
    }
    scanTimes[device] = time
    return isInOrder
  }

  @inline(never)
  private mutating func growScans(to count: Int) {
    scans.append(contentsOf: repeatElement(0, count: count - scans.count))
    scanTimes.append(contentsOf: repeatElement(.min, count: count - scanTimes.count))
  }
}

extension TrackOrder {
  // MARK: Bytes

  /// Appends what is known of the devices, 84 bytes each.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(number: UInt64(pasts.count))
    for past in pasts {
      bytes.append(number: past.last.time.microseconds)
      bytes.append(number: past.last.coordinate.latitude)
      bytes.append(number: past.last.coordinate.longitude)
      bytes.append(number: past.count)
      bytes.append(number: past.refusedCount)
      bytes.append(number: past.firstRefused)
      bytes.append(number: past.lastRefused)
      for jump in past.jumps {
        bytes.append(number: jump.before)
        bytes.append(number: jump.count)
      }
    }
  }

  /// What ``append(to:)`` wrote.
  package init(_ reader: inout ByteReader) throws(ByteReader.Failure) {
    for _ in 0..<(try reader.count(each: 84)) {
      var past = Past()
      past.last = Last(
        time: Timestamp(microseconds: try reader.number()),
        coordinate: Coordinate(latitude: try reader.double(), longitude: try reader.double()))
      past.count = try reader.number()
      past.refusedCount = try reader.number()
      past.firstRefused = try reader.number()
      past.lastRefused = try reader.number()
      var jumps: [Jump] = []
      for _ in 0..<3 { jumps.append(Jump(before: try reader.number(), count: try reader.number())) }
      (past.jump0, past.jump1, past.jump2) = (jumps[0], jumps[1], jumps[2])
      guard past.last.isNone == (past.count == 0), jumps.allSatisfy({ $0.count <= past.count }) else {
        throw ByteReader.Failure()
      }
      pasts.append(past)
    }
  }

  // MARK: Parts

  /// Those of the devices whose number leaves `rest` by `count`, numbered anew from zero.
  package func devices(_ rest: Int, of count: Int) -> TrackOrder {
    var part = TrackOrder()
    part.pasts = stride(from: rest, to: pasts.count, by: count).map { pasts[$0] }
    return part
  }

  /// All devices of parts such as ``devices(_:of:)`` makes, with their numbers before.
  package init(joining parts: [TrackOrder], deviceCount: Int) {
    pasts = (0..<deviceCount).map { device in
      let part = parts[device % parts.count].pasts
      let number = device / parts.count
      return number < part.count ? part[number] : Past()
    }
  }
}
