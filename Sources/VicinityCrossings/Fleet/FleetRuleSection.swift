internal import VicinityIndex

/// The part of a fleet's snapshot that the geometric rule, all its crossings reported, has no use for: the
/// rule, of which regions crossings are reported, and what is pending or open.
///
/// Regions that a device merely watches are not kept: the first scan after reading examines every region.
/// Each part begins on a multiple of eight bytes and is filled up with zeros:
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

  private var parameters: [UInt64] {
    switch rule {
    case .geometric, .naive: [0, 0, 0]
    case .coreLocation(let p):
      [p.cushion.bitPattern, UInt64(bitPattern: p.timeToRemain.microseconds), p.inwardShare.bitPattern]
    case .exitMargin(let fraction, let minimum): [fraction.bitPattern, minimum.bitPattern, 0]
    case .overlap(let enter, let exit): [enter.bitPattern, exit.bitPattern, 0]
    }
  }

  /// The section's bytes; none where there is nothing to be kept.
  var bytes: [UInt8] {
    if isEmpty { return [] }
    var bytes: [UInt8] = []
    bytes.append(number: rule.number)
    bytes.append(number: UInt32((notifyOnEntry.isInverted ? 1 : 0) | (notifyOnExit.isInverted ? 2 : 0)))
    for parameter in parameters { bytes.append(number: parameter) }
    for count in [notifyOnEntry.words.count, notifyOnExit.words.count, watches.count] {
      bytes.append(number: UInt64(count))
    }
    for word in notifyOnEntry.words + notifyOnExit.words { bytes.append(number: word) }
    for count in counts { bytes.append(number: count) }
    bytes.pad()
    for watch in watches { bytes.append(number: watch.ordinal) }
    bytes.pad()
    for watch in watches { bytes.append(number: watch.since) }
    return bytes
  }

  /// The section in a snapshot, whatever the bytes are; ordinals and times are for the caller to check.
  ///
  /// - Throws: ``FleetSnapshotError``; `ByteReader.Failure` where the bytes end too soon.
  init(_ bytes: ArraySlice<UInt8>, deviceCount: Int) throws {
    func damaged(_ reason: String) -> FleetSnapshotError { .damaged(part: "rule", reason: reason) }
    (rule, notifyOnEntry, notifyOnExit) = (.geometric, .all, .all)
    if bytes.isEmpty { return }
    var reader = ByteReader(bytes)
    let number: UInt32 = try reader.number()
    let flags: UInt32 = try reader.number()
    guard flags < 4 else { throw damaged("flags \(flags)") }
    var parameters: [UInt64] = []
    for _ in 0..<3 { parameters.append(try reader.number()) }
    guard let rule = Self.rule(number, parameters) else { throw damaged("number \(number)") }
    self.rule = rule
    let entryCount = try reader.count(each: 8)
    let exitCount = try reader.count(each: 8)
    let watchCount = try reader.count(each: 12)
    func choice(_ count: Int, isInverted: Bool) throws -> RegionChoice {
      var words: [UInt64] = []
      for _ in 0..<count { words.append(try reader.number()) }
      guard words.last != 0 else { throw damaged("words that end in zero") }
      return RegionChoice(isInverted: isInverted, words: words)
    }
    notifyOnEntry = try choice(entryCount, isInverted: flags & 1 != 0)
    notifyOnExit = try choice(exitCount, isInverted: flags & 2 != 0)
    if rule != .geometric { for _ in 0..<deviceCount { counts.append(try reader.number()) } }
    try reader.skipPadding()
    var ordinals = ByteReader(try reader.bytes(4 * watchCount))
    try reader.skipPadding()
    for _ in 0..<watchCount {
      watches.append(WatchedRegion(ordinal: try ordinals.number(), since: try reader.number()))
    }
    guard reader.remaining == 0 else { throw damaged("\(reader.remaining) bytes too many") }
    guard !isEmpty else { throw damaged("it says nothing") }
  }

  private static func rule(_ number: UInt32, _ parameters: [UInt64]) -> CrossingRule? {
    let (first, second) = (Double(bitPattern: parameters[0]), Double(bitPattern: parameters[1]))
    switch number {
    case 0: return .geometric
    case 1:
      return .coreLocation(
        CoreLocationParameters(
          cushion: first, timeToRemain: .microseconds(Int64(bitPattern: parameters[1])),
          inwardShare: Double(bitPattern: parameters[2])))
    case 2: return .naive
    case 3: return .exitMargin(fraction: first, minimum: second)
    case 4: return .overlap(enter: first, exit: second)
    default: return nil
    }
  }
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
