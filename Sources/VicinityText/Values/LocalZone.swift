/// What turns times that state no zone into instants: an offset from UTC, or the zone of a place.
///
///     let berlin = try LocalZone("Europe/Berlin")
///     berlin.instant(ofLocal: 1_750_000_000)  // 7,200 seconds earlier: summer time
///
/// Where a clock is set back, an hour's times occur twice; ``instant(ofLocal:)`` gives the first occurrence,
/// and readers take such a time for a fault (``isRepeated(local:)``), because nothing tells which one is
/// meant. Where it is set forward, an hour's times do not occur; they are read by the offset before the
/// change, so that they come out as late as the clock was set forward.
///
/// The offsets of places are those of Foundation's `TimeZone`; `init(_:)` of VicinityFormats asks it.
public struct LocalZone: Hashable, Sendable, CustomStringConvertible {
  private enum Offsets: Hashable {
    /// Seconds east of UTC.
    case fixed(Int64)
    case place(PlaceOffsets)
  }

  /// The offsets that a place has had and will have. The same name means the same ones.
  package struct PlaceOffsets: Hashable, Sendable {
    let name: String
    /// The offset at an instant, seconds since 1970-01-01; seconds east of UTC.
    let offset: @Sendable (_ instant: Int64) -> Int64

    package static func == (a: PlaceOffsets, b: PlaceOffsets) -> Bool { a.name == b.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// What the zone was made from: `UTC`, `+02:00`, `Europe/Berlin`.
  public let description: String
  private let offsets: Offsets

  /// Coordinated universal time.
  public static let utc = LocalZone("UTC", .fixed(0))

  private init(_ description: String, _ offsets: Offsets) {
    self.description = description
    self.offsets = offsets
  }

  /// The zone that `text` spells as an offset: `Z`, `UTC`, or such as `+02:00`, `+0200` or `+02`; nil for
  /// anything else.
  package init?(offset text: String) {
    var copy = text
    switch copy.withUTF8({ unsafe ZoneText.offset($0) }) {
    case .utc: self = .utc
    case .offset(let seconds): self.init(text, .fixed(Int64(seconds)))
    case .none: return nil
    }
  }

  /// The zone of a place.
  ///
  /// - Parameter offset: The offset at an instant, seconds since 1970-01-01; seconds east of UTC.
  package init(place name: String, offset: @escaping @Sendable (_ instant: Int64) -> Int64) {
    self.init(name, .place(PlaceOffsets(name: name, offset: offset)))
  }

  // MARK: - Instants

  private static let day: Int64 = 86_400
  /// Beyond this many seconds from 1970, thirty million years, clocks are not asked for.
  private static let lastAsked: Int64 = 1 << 50

  /// The offset at an instant, seconds east of UTC.
  private func offset(at instant: Int64) -> Int64 {
    switch offsets {
    case .fixed(let offset): offset
    case .place(let place): place.offset(instant)
    }
  }

  /// The instant at which clocks of the zone show `local`, both in seconds since 1970-01-01.
  ///
  /// - Complexity: O(log changes of the zone's offset), at most four looks
  public func instant(ofLocal local: Int64) -> Int64 { occurrence(ofLocal: local).instant }

  /// Whether clocks of the zone show `local`, seconds since 1970-01-01, twice.
  ///
  /// - Complexity: that of ``instant(ofLocal:)``
  public func isRepeated(local: Int64) -> Bool { occurrence(ofLocal: local).isRepeated }

  /// The first instant at which clocks show a time, and whether they show it again.
  private func occurrence(ofLocal local: Int64) -> (instant: Int64, isRepeated: Bool) {
    guard local.magnitude < Self.lastAsked else { return (local &- offset(at: 0), false) }
    // No offset is as long as a day, and no zone changes its clocks twice in three (all that Foundation
    // knows, 1890 to 2042).
    let before = offset(at: local - Self.day)
    let after = offset(at: local + Self.day)
    let first = local - before
    if before == after || offset(at: first) == before {
      let second = local - after
      return (first, before != after && offset(at: second) == after)
    }
    // Clocks do not show it, or only after the change.
    let second = local - after
    return (offset(at: second) == after ? second : first, false)
  }

  /// The day of local times that has `local` in it, and its offset, if no clock is changed on it or on the
  /// days beside it.
  func steadyDay(around local: Int64) -> (times: Range<Int64>, offset: Int64)? {
    guard local.magnitude < Self.lastAsked else { return nil }
    let start = local - ((local % Self.day) + Self.day) % Self.day
    let before = offset(at: start - Self.day)
    guard before == offset(at: start + 2 * Self.day) else { return nil }
    return (start..<start + Self.day, before)
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
