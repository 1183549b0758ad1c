/// What turns times that state no zone into instants: an offset from UTC, or the zone of a place.
///
///     let berlin = try LocalZone("Europe/Berlin")
///     berlin.instant(ofLocal: 1_750_000_000)  // 7,200 seconds earlier: summer time
///
/// Where a clock is set back, an hour's times occur twice; ``instant(ofLocal:)`` gives the first occurrence,
/// and readers take such a time for a fault (``isRepeated(local:)``), because nothing tells which one is
/// meant. Where it is set forward, an hour's times do not occur; they are read by the offset before the
/// change, so that they come out as late as the clock was set forward.
public struct LocalZone: Hashable, Sendable, CustomStringConvertible {
  /// What the zone was made from: `UTC`, `+02:00`, `Europe/Berlin`.
  public let description: String
  /// The offset until the first transition, seconds east of UTC.
  private let firstOffset: Int64
  private let transitions: [ZoneTransition]

  /// Coordinated universal time.
  public static let utc = LocalZone(description: "UTC", firstOffset: 0, transitions: [])

  private init(description: String, firstOffset: Int64, transitions: [ZoneTransition]) {
    self.description = description
    self.firstOffset = firstOffset
    self.transitions = transitions
  }

  /// `Z`, `UTC`, an offset such as `+02:00`, `+0200` or `+02`, or a name in the system's time zone data such
  /// as `Europe/Berlin`.
  ///
  /// - Throws: ``FormatError/invalidOption(name:value:reason:)`` for anything else.
  public init(_ text: String) throws(FormatError) {
    var copy = text
    switch copy.withUTF8({ unsafe ZoneText.offset($0) }) {
    case .utc: self = .utc
    case .offset(let seconds):
      self.init(description: text, firstOffset: Int64(seconds), transitions: [])
    case .none: try self.init(named: text)
    }
  }

  /// The zone with a name in the system's time zone data.
  private init(named name: String) throws(FormatError) {
    guard let (bytes, folder) = try Self.data(of: name) else {
      throw .invalidOption(
        name: "zone", value: "\"\(name)\"",
        reason:
          "an offset such as +02:00, Z, UTC or the name of a zone such as Europe/Berlin is expected; there is no such "
          + "name in \(Self.folders.joined(separator: " or "))")
    }
    guard let data = ZoneData(bytes) else {
      throw .unreadable(path: "\(folder)/\(name)", reason: "damaged time zone data")
    }
    self.init(description: name, data: data)
  }

  init(description: String, data: ZoneData) {
    self.init(description: description, firstOffset: data.firstOffset, transitions: data.transitions)
  }

  private static let folders = ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"]
  /// Larger files are no zones: the largest has 4 kB.
  private static let mostBytes = 1 << 20

  /// The file of the zone called `name`, and the folder it is in; `nil` if there is none.
  private static func data(of name: String) throws(FormatError) -> (bytes: [UInt8], folder: String)? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      guard let first = part.utf8.first else { return false }
      return first | 0x20 >= UInt8(ascii: "a") && first | 0x20 <= UInt8(ascii: "z")
        && part.utf8.allSatisfy {
          $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") || (0x30...0x39).contains($0)
            || "+-_".utf8.contains($0)
        }
    }
    guard isPlain else { return nil }
    for folder in folders {
      guard let source = try? ByteSource("\(folder)/\(name)"), source.isRegularFile else { continue }
      let bytes = try source.read(mostBytes)
      if bytes.starts(with: "TZif".utf8) { return (bytes, folder) }
    }
    return nil
  }

  // MARK: - Instants

  /// 400 Gregorian years, seconds: after them dates fall on the same weekdays, and rules repeat.
  private static let cycle: Int64 = 146_097 * 86_400
  /// More than any offset, seconds.
  private static let longestOffset: Int64 = 2 * 86_400

  /// The instant at which clocks of the zone show `local`, both in seconds since 1970-01-01.
  ///
  /// - Complexity: O(log transitions)
  public func instant(ofLocal local: Int64) -> Int64 { occurrence(ofLocal: local).instant }

  /// Whether clocks of the zone show `local`, seconds since 1970-01-01, twice.
  ///
  /// - Complexity: O(log transitions)
  public func isRepeated(local: Int64) -> Bool { occurrence(ofLocal: local).isRepeated }

  /// The first instant at which clocks show a time, and whether they show it again.
  private func occurrence(ofLocal local: Int64) -> (instant: Int64, isRepeated: Bool) {
    guard let last = transitions.last else { return (local &- firstOffset, false) }
    guard local.magnitude < 1 << 50 else { return (local &- firstOffset, false) }
    // Beyond the last transition the last 400 years repeat.
    if last.isRule, local > last.time {
      let cycles = (local - last.time) / Self.cycle + 1
      let first = occurrence(ofLocal: local - cycles * Self.cycle)
      return (first.instant + cycles * Self.cycle, first.isRepeated)
    }
    // The first transition that may lie after such a local time.
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].time < local - Self.longestOffset { low = middle + 1 } else { high = middle }
    }
    var offset = low == 0 ? firstOffset : transitions[low - 1].offset
    while low < transitions.count {
      let next = transitions[low]
      // Shown before the transition, or by a clock that had not been set forward.
      if local - offset < next.time || local - next.offset < next.time {
        return (local - offset, local - offset < next.time && local - next.offset >= next.time)
      }
      offset = next.offset
      low += 1
    }
    return (local - offset, false)
  }

  /// The instant at which clocks of the zone show `local`, both in microseconds since 1970-01-01; nil where
  /// they show it twice.
  func onlyInstant(ofLocalMicroseconds local: Int64) -> Int64? {
    let seconds = local / 1_000_000 - (local % 1_000_000 < 0 ? 1 : 0)
    let first = occurrence(ofLocal: seconds)
    return first.isRepeated ? nil : first.instant &* 1_000_000 &+ (local &- seconds &* 1_000_000)
  }

  /// What is wrong with a time that clocks show twice.
  package var repeatedFault: String {
    "clocks in \(description) show the time twice, as they are set back; state the zone with each time (Z, or an offset such as +01:00)"
  }
}

/// Offsets from UTC as times and options spell them.
enum ZoneText {
  enum Offset: Equatable {
    case utc
    /// Seconds east of UTC.
    case offset(Int)
    case none
  }

  /// The offset that `text` spells: `Z`, `UTC`, `±hh:mm`, `±hhmm` or `±hh`.
  static func offset(_ text: UnsafeBufferPointer<UInt8>) -> Offset {
    if text.count == 1, unsafe text[0] | 0x20 == UInt8(ascii: "z") { return .utc }
    if unsafe text.elementsEqual("UTC".utf8) { return .utc }
    guard text.count >= 3, case let sign = unsafe text[0],
      sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = unsafe pair(text, 1, below: 24)
    else { return .none }
    var minutes = 0
    if text.count > 3 {
      let start = unsafe text[3] == UInt8(ascii: ":") ? 4 : 3
      guard text.count == start + 2, let stated = unsafe pair(text, start, below: 60) else { return .none }
      minutes = stated
    }
    let seconds = hours * 3600 + minutes * 60
    return .offset(sign == UInt8(ascii: "-") ? -seconds : seconds)
  }

  private static func pair(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, below limit: Int) -> Int? {
    guard index + 2 <= text.count else { return nil }
    let tens = unsafe text[index] &- UInt8(ascii: "0")
    let ones = unsafe text[index + 1] &- UInt8(ascii: "0")
    guard tens < 10, ones < 10, Int(tens) * 10 + Int(ones) < limit else { return nil }
    return Int(tens) * 10 + Int(ones)
  }
}
