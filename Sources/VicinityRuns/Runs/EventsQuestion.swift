package import VicinityCrossings
package import VicinityIndex

/// What a run asks, part by part: runs with the same parts find the same events.
///
/// Regions enter by their content, tracks by path, size and samples of their content; not by time, so that a
/// `touch` is no change. What may change while a run is interrupted is not part of it: what is done about bad
/// rows, how many threads there are, how events are written.
package struct EventsQuestion: Equatable {
  /// An input or an option.
  package struct Part: Equatable {
    package enum Kind: UInt32 {
      case regions, option, track
      /// How rows are read: another one is no other question, but may be a mistake.
      case reading
    }

    package var kind: Kind
    /// The option as it is given, or the path of a file.
    var name: String
    var value: String

    package init(kind: Kind, name: String, value: String) {
      self.kind = kind
      self.name = name
      self.value = value
    }
  }

  package var parts: [Part]

  /// The extended attribute of a finished file that holds what it answers.
  static let note = "user.vicinity.events"

  /// - Parameters:
  ///   - reading: How tracks are read: `name=value`, for options without their hyphens.
  ///   - others: Further options and their values.
  package init(
    index: RegionIndex, options: CrossingOptions, reading: [String], others: [(String, String)],
    tracks: [String]
  ) {
    func option(_ name: String, _ value: String) -> Part { Part(kind: .option, name: name, value: value) }
    parts = [
      Part(kind: .regions, name: "", value: String(index.fingerprint, radix: 16)),
      option("--rule", "\(options.rule)"), option("--max-gap", "\(options.maximumGap)"),
      option("--dwell", options.dwell.map { "\($0)" } ?? "none"),
    ]
    for text in reading {
      let name = text.prefix { $0 != "=" }
      parts.append(option("--" + name, String(text.dropFirst(name.count + 1))))
    }
    parts += others.map { option($0, $1) }
    parts += tracks.map {
      Part(kind: .track, name: $0, value: FileContent(samplesOf: $0).map { "\($0)" } ?? "unreadable")
    }
  }

  var fingerprint: UInt64 {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes.checksum
  }

  /// The first difference from an earlier question, in words; `nil` where there is none.
  package func difference(from earlier: EventsQuestion) -> String? {
    let (old, new) = (earlier.byName, byName)
    for part in parts where part.kind != .reading {
      guard let before = old[part.key] else {
        if part.kind == .track { return "\(part.name) was not among the tracks" }
        return "\(part.name) is \(part.value), and was not known"
      }
      if before == part.value { continue }
      switch part.kind {
      case .regions: return "the regions are others"
      case .option: return "\(part.name) is \(part.value), and was \(before)"
      case .track: return "the content of \(part.name) has changed"
      case .reading: break
      }
    }
    for part in earlier.parts where part.kind != .reading && new[part.key] == nil {
      return part.kind == .track
        ? "\(part.name) is not among the tracks any more" : "\(part.name) was \(part.value)"
    }
    let order = [self, earlier].map { $0.parts.filter { $0.kind != .reading } }
    return order[0] == order[1] ? nil : "the tracks are in another order"
  }

  /// How rows were read by an earlier question and are not by this one, in words; `nil` where that is the
  /// same, or nothing is known of it.
  package func otherReading(than earlier: EventsQuestion) -> String? {
    let old = earlier.byName
    let changes = parts.compactMap { part -> String? in
      guard part.kind == .reading, let before = old[part.key], before != part.value else { return nil }
      return "\(part.name) is \(part.value.isEmpty ? "not given" : part.value), "
        + "and was \(before.isEmpty ? "not given" : before)"
    }
    return changes.isEmpty ? nil : changes.joined(separator: "; ")
  }

  private var byName: [String: String] {
    Dictionary(parts.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

extension EventsQuestion.Part {
  /// Tells parts apart, a file and an option of one name too.
  fileprivate var key: String { "\(kind.rawValue)\(name)" }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(number: kind.rawValue)
    bytes.append(block: Array(name.utf8))
    bytes.append(block: Array(value.utf8))
  }
}

// MARK: In files

extension EventsQuestion {
  func append(to bytes: inout [UInt8]) {
    bytes.append(number: UInt64(parts.count))
    for part in parts { part.append(to: &bytes) }
  }

  init(_ reader: inout ByteReader) throws {
    parts = []
    for _ in 0..<(try reader.count(each: 20)) {
      guard let kind = Part.Kind(rawValue: try reader.number()) else { throw ByteReader.Failure() }
      let name = String(decoding: try reader.block(), as: UTF8.self)
      parts.append(Part(kind: kind, name: name, value: String(decoding: try reader.block(), as: UTF8.self)))
    }
  }

  /// Records the question on a finished file: its fingerprint, and those of as many parts as there is room
  /// for.
  package func mark(_ path: String) {
    var bytes: [UInt8] = []
    bytes.append(number: fingerprint)
    for part in parts.prefix(Self.mostPartsNoted) {
      for number in [Self.hash(part.key), Self.hash(part.value)] { bytes.append(number: number) }
    }
    FileSystem.setNote(Self.note, bytes, onFileAt: path)
  }

  private static let mostPartsNoted = 200

  private static func hash(_ text: String) -> UInt32 { UInt32(truncatingIfNeeded: Array(text.utf8).checksum) }

  /// What a finished file says of the question it answers.
  package enum Answer: Equatable {
    case this
    /// Another one; what differs, where that is known.
    case other(String)
    /// Nothing is recorded.
    case unknown
  }

  package func answer(of path: String) -> Answer {
    guard let bytes = FileSystem.note(Self.note, onFileAt: path) else { return .unknown }
    var reader = ByteReader(bytes[...])
    guard let number: UInt64 = try? reader.number() else { return .unknown }
    if number == fingerprint { return .this }
    var values: [UInt32: UInt32] = [:]
    while let name: UInt32 = try? reader.number(), let value: UInt32 = try? reader.number() {
      values[name] = value
    }
    for part in parts.prefix(Self.mostPartsNoted) where values[Self.hash(part.key)] != Self.hash(part.value) {
      switch part.kind {
      case .regions: return .other("the regions are others")
      case .option, .reading: return .other("\(part.name) is \(part.value) now")
      case .track:
        let isKnown = values[Self.hash(part.key)] != nil
        return .other(
          isKnown ? "the content of \(part.name) has changed" : "\(part.name) was not among the tracks")
      }
    }
    return .other("the tracks are others")
  }
}
