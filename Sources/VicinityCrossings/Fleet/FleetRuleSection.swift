internal import VicinityIndex

/// The part of a fleet's snapshot that the geometric rule, all its crossings reported, has no use for: the rule, of which
/// regions crossings are reported, and what is pending or open.
///
/// Regions that a device merely watches are not kept: the first scan after reading examines every region. Each part begins on a
/// multiple of eight bytes and is filled up with zeros:
///
/// | offset | | |
/// | --- | --- | --- |
/// | 0 | rule: its position in ``CrossingRule/names`` | UInt32 |
/// | 4 | 1: all entries are reported but for the regions below, 2: likewise exits | UInt32 |
/// | 8, 16, 24 | parameters in the order of their declaration, 0 where there are fewer | Float64; durations Int64, µs |
/// | 32, 40 | words of the regions whose entries and exits are, or are not, reported | UInt64 |
/// | 48 | what is pending or open, of all devices | UInt64 |
/// | 56 | the words, a bit for each ordinal | UInt64 |
/// | | but for the geometric rule: how much is pending or open of each device; 2³²-1 for a track not begun | UInt32 |
/// | | ordinals, device after device, ascending in each | UInt32 |
/// | | since when the device has been beyond the cushion, µs; the least number for what is open | Int64 |
struct FleetRuleSection {
  static let headerSize = 56
  static let notBegun = UInt32.max

  var rule: CrossingRule
  var notifyOnEntry: RegionChoice
  var notifyOnExit: RegionChoice
  /// How much is pending or open of each device; empty under the geometric rule.
  var counts: [UInt32] = []
  var watches: [WatchedRegion] = []

  /// The section of a fleet without anything pending.
  init(_ options: CrossingOptions) {
    rule = options.rule
    notifyOnEntry = options.notifyOnEntry
    notifyOnExit = options.notifyOnExit
  }

  /// Whether there is nothing to be kept.
  var isEmpty: Bool { rule == .geometric && notifyOnEntry == .all && notifyOnExit == .all }

  private var parameters: (UInt64, UInt64, UInt64) {
    switch rule {
    case .geometric, .naive: (0, 0, 0)
    case .coreLocation(let p):
      (
        p.cushion.bitPattern, UInt64(bitPattern: p.timeToRemain.microseconds), p.inwardShare.bitPattern
      )
    case .exitMargin(let fraction, let minimum): (fraction.bitPattern, minimum.bitPattern, 0)
    case .overlap(let enter, let exit): (enter.bitPattern, exit.bitPattern, 0)
    }
  }

  /// The section's bytes; none where there is nothing to be kept.
  var bytes: [UInt8] {
    if isEmpty { return [] }
    let words = notifyOnEntry.words + notifyOnExit.words
    let countsStart = Self.headerSize + 8 * words.count
    let ordinals = countsStart + Self.padded(4 * counts.count)
    let times = ordinals + Self.padded(4 * watches.count)
    var bytes = [UInt8](repeating: 0, count: times + 8 * watches.count)
    bytes.put(rule.number, at: 0)
    bytes.put(UInt32((notifyOnEntry.isInverted ? 1 : 0) | (notifyOnExit.isInverted ? 2 : 0)), at: 4)
    let parameters = parameters
    bytes.put(parameters.0, at: 8)
    bytes.put(parameters.1, at: 16)
    bytes.put(parameters.2, at: 24)
    bytes.put(UInt64(notifyOnEntry.words.count), at: 32)
    bytes.put(UInt64(notifyOnExit.words.count), at: 40)
    bytes.put(UInt64(watches.count), at: 48)
    for (i, word) in words.enumerated() { bytes.put(word, at: Self.headerSize + 8 * i) }
    for (i, count) in counts.enumerated() { bytes.put(count, at: countsStart + 4 * i) }
    for (i, watch) in watches.enumerated() {
      bytes.put(watch.ordinal, at: ordinals + 4 * i)
      bytes.put(watch.since, at: times + 8 * i)
    }
    return bytes
  }

  /// The section in a snapshot, whatever the bytes are; ordinals and times are for the caller to check.
  ///
  /// - Throws: ``FleetSnapshotError``
  init(
    _ bytes: [UInt8], at start: Int, byteCount: Int, deviceCount: Int
  ) throws(FleetSnapshotError) {
    func damaged(_ reason: String) -> FleetSnapshotError { .damaged(part: "rule", reason: reason) }
    guard byteCount > 0 else {
      (rule, notifyOnEntry, notifyOnExit) = (.geometric, .all, .all)
      return
    }
    guard byteCount >= Self.headerSize else { throw damaged("\(byteCount) bytes") }
    // Counts are held to what the length allows before any arithmetic on them.
    func count(_ offset: Int, each size: Int) throws(FleetSnapshotError) -> Int {
      let value: UInt64 = bytes.number(start + offset)
      guard value <= UInt64(byteCount / size) else { throw damaged("\(value) in \(byteCount) bytes") }
      return Int(value)
    }
    let entryWords = try count(32, each: 8)
    let exitWords = try count(40, each: 8)
    let watchCount = try count(48, each: 12)
    let rule = try Self.rule(bytes, at: start)
    let counted = rule == .geometric ? 0 : deviceCount
    let countsStart = Self.headerSize + 8 * (entryWords + exitWords)
    let ordinals = countsStart + Self.padded(4 * counted)
    let times = ordinals + Self.padded(4 * watchCount)
    guard times + 8 * watchCount == byteCount else {
      throw damaged("\(byteCount) bytes where \(times + 8 * watchCount) belong")
    }
    let flags: UInt32 = bytes.number(start + 4)
    guard flags < 4 else { throw damaged("flags \(flags)") }
    func words(_ range: Range<Int>) -> [UInt64] {
      range.map { bytes.number(start + Self.headerSize + 8 * $0) }
    }
    self.rule = rule
    notifyOnEntry = RegionChoice(isInverted: flags & 1 != 0, words: words(0..<entryWords))
    notifyOnExit = RegionChoice(
      isInverted: flags & 2 != 0, words: words(entryWords..<entryWords + exitWords))
    guard notifyOnEntry.words.count == entryWords, notifyOnExit.words.count == exitWords else {
      throw damaged("words that end in zero")
    }
    counts = (0..<counted).map { bytes.number(start + countsStart + 4 * $0) }
    watches = (0..<watchCount).map { i in
      WatchedRegion(
        ordinal: bytes.number(start + ordinals + 4 * i), since: bytes.number(start + times + 8 * i))
    }
    guard !isEmpty else { throw damaged("it says nothing") }
  }

  private static func rule(_ bytes: [UInt8], at start: Int) throws(FleetSnapshotError) -> CrossingRule {
    let number: UInt32 = bytes.number(start)
    let first: Double = bytes.number(start + 8)
    let second: Double = bytes.number(start + 16)
    switch number {
    case 0: return .geometric
    case 1:
      return .coreLocation(
        CoreLocationParameters(
          cushion: first, timeToRemain: .microseconds(bytes.number(start + 16, as: Int64.self)),
          inwardShare: bytes.number(start + 24)))
    case 2: return .naive
    case 3: return .exitMargin(fraction: first, minimum: second)
    case 4: return .overlap(enter: first, exit: second)
    default: throw .damaged(part: "rule", reason: "number \(number)")
    }
  }

  private static func padded(_ byteCount: Int) -> Int { (byteCount + 7) / 8 * 8 }
}

extension DeviceState {
  /// Whether the device has been seen, but by no fix that could begin its track (``CrossingEngine/begin``).
  var isNotBegun: Bool { nextDue == .min }

  /// What is pending or open.
  func undecided(hasDues: Bool) -> [WatchedRegion] {
    (0..<Int(watchCount)).map { watch(at: $0, hasDues: hasDues) }.filter { $0.since != RuleState.notPending }
  }

  /// Puts what was pending or open into a state read from a snapshot.
  ///
  /// - Throws: ``FleetSnapshotError``, unless `watches` could be this device's.
  mutating func restore(
    _ watches: [WatchedRegion], _ fixRule: FixRule, regionCount: Int, device: Int, hasDues: Bool
  ) throws(FleetSnapshotError) {
    var last = -1
    for watch in watches {
      let isOpen = watch.since == RuleState.unknown && fixRule.usesAccuracy && !occupies(watch.ordinal)
      let isPending =
        watch.since != RuleState.unknown && watch.since <= time && watch.since != RuleState.notPending
        && fixRule.kind == .coreLocation
      guard isOpen || isPending, Int(watch.ordinal) > last, Int(watch.ordinal) < regionCount, isSeen else {
        throw .damaged(
          part: "device \(device)", reason: "region \(watch.ordinal) pending since \(watch.since)")
      }
      last = Int(watch.ordinal)
    }
    setWatches(watches, hasDues: hasDues)
  }
}
