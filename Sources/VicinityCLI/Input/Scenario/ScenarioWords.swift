import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityMonitor
import VicinityRuns

/// The words of one line of a scenario, read from left to right. Every error names the line and the column of
/// the word.
struct ScenarioWords {
  struct Word {
    var text: String
    /// The column of its first character, from 1.
    var column: Int
  }

  /// The file and line.
  let place: String
  private var words: [Word] = []
  private var next = 0
  /// The column behind the last word.
  private var end = 1

  /// Words are separated by blanks; one in double quotes may contain blanks. `#` begins a comment.
  ///
  /// - Throws: `CommandFailure` for a quote that does not end.
  init(_ line: some StringProtocol, place: String) throws {
    self.place = place
    var text = ""
    var start = 0
    var isQuoted = false
    var column = 0
    func isBlank(_ character: Character) -> Bool {
      character == " " || character == "\t" || character == "\r"
    }
    for character in line {
      column += 1
      if isQuoted {
        if character == "\"" { isQuoted = false } else { text.append(character) }
      } else if character == "#", start == 0 {
        column -= 1
        break
      } else if isBlank(character) {
        if start > 0 { words.append(Word(text: text, column: start)) }
        (text, start) = ("", 0)
      } else {
        if start == 0 { start = column }
        if character == "\"" { isQuoted = true } else { text.append(character) }
      }
    }
    if start > 0 { words.append(Word(text: text, column: start)) }
    end = column + 1
    if isQuoted { throw CommandFailure("the quote does not end", at: "\(place):\(start)") }
  }

  var isAtEnd: Bool { next == words.count }

  var column: Int { isAtEnd ? end : words[next].column }

  /// An error about a word; about the next one by default.
  func fault(_ what: String, at column: Int? = nil) -> CommandFailure {
    CommandFailure(what, at: "\(place):\(column ?? self.column)")
  }

  /// The next word; `what` says what it should be.
  mutating func word(_ what: String) throws -> Word {
    guard !isAtEnd else { throw fault("\(what) is missing") }
    next += 1
    return words[next - 1]
  }

  /// Whether the next word is this one, which is then taken.
  mutating func take(_ keyword: String) -> Bool {
    guard !isAtEnd, words[next].text == keyword else { return false }
    next += 1
    return true
  }

  /// The end of the line.
  func finish() throws {
    guard isAtEnd else { throw fault("\"\(words[next].text)\" means nothing here") }
  }

  // MARK: Values

  mutating func choice<Value>(_ what: String, _ names: [(String, Value)]) throws -> Value {
    let word = try word(what)
    guard let value = names.first(where: { $0.0 == word.text })?.1 else {
      let known = names.map(\.0).joined(separator: ", ")
      throw fault("\(what) \"\(word.text)\" is none of \(known)", at: word.column)
    }
    return value
  }

  mutating func isOn(_ what: String) throws -> Bool { try choice(what, [("on", true), ("off", false)]) }

  mutating func number(_ what: String, in range: ClosedRange<Double>) throws -> Double {
    let word = try word(what)
    guard let value = Double(word.text), range.contains(value) else {
      throw fault(
        "\(what) \"\(word.text)\" is no number between \(Self.text(range.lowerBound)) and \(Self.text(range.upperBound))",
        at: word.column)
    }
    return value
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  mutating func integer(_ what: String, in range: ClosedRange<Int>) throws -> Int {
    let word = try word(what)
    guard let value = Int(word.text), range.contains(value) else {
      throw fault(
        "\(what) \"\(word.text)\" is no whole number between \(range.lowerBound) and \(range.upperBound)",
        at: word.column)
    }
    return value
  }

  /// Seconds, up to ten years.
  mutating func seconds(_ what: String, least: Double = 0) throws -> Duration {
    .seconds(try number(what, in: least...315_360_000))
  }

  mutating func coordinate(_ what: String) throws -> Coordinate {
    let word = try word(what)
    do { return try PositionArgument.coordinate(word.text) } catch {
      throw fault("\(what) \"\(word.text)\": \(ErrorText.withoutPrefix("\(error)"))", at: word.column)
    }
  }

  /// `UUID`, `UUID/MAJOR` or `UUID/MAJOR/MINOR`.
  mutating func beacon(_ what: String) throws -> (identity: BeaconIdentity, column: Int) {
    let word = try word(what)
    let parts = word.text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.dropFirst().map { UInt16($0) }
    guard let uuid = ProximityUUID(String(parts[0])), numbers.count <= 2, !numbers.contains(nil) else {
      throw fault(
        "\(what) \"\(word.text)\" is no UUID, UUID/MAJOR or UUID/MAJOR/MINOR with numbers up to 65535",
        at: word.column)
    }
    let known = numbers.compactMap { $0 }
    let identity =
      switch known.count {
      case 0: BeaconIdentity(uuid: uuid)
      case 1: BeaconIdentity(uuid: uuid, major: known[0])
      default: BeaconIdentity(uuid: uuid, major: known[0], minor: known[1])
      }
    return (identity, word.column)
  }

  /// `+SECONDS` from the beginning of the track, or a time as in tracks.
  mutating func time(_ what: String) throws -> ScenarioTime {
    let word = try word(what)
    if word.text.hasPrefix("+") {
      guard let seconds = Double(word.text.dropFirst()), seconds >= 0, seconds <= 315_360_000 else {
        throw fault("\(what) \"\(word.text)\" is no number of seconds", at: word.column)
      }
      return .afterStart(seconds: seconds)
    }
    var times = TimeParser()
    var text = word.text
    switch text.withUTF8({ unsafe times.parse($0) }) {
    case .value(let time): return .at(time)
    case .fault(let reason): throw fault("\(what) \"\(word.text)\": \(reason)", at: word.column)
    }
  }
}

/// When something happens.
enum ScenarioTime: Hashable, Sendable {
  case at(Timestamp)
  /// Seconds after the beginning of the track.
  case afterStart(seconds: Double)

  func timestamp(from start: Timestamp) -> Timestamp {
    switch self {
    case .at(let time): time
    case .afterStart(let seconds): start.advanced(bySeconds: seconds)
    }
  }
}
