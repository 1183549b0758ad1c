import Foundation

/// A timeline read back from its text, knowing nothing of the simulator: what statements about it are checked
/// on.
struct GoldenTimeline {
  struct Failure: Error, CustomStringConvertible { var description: String }

  struct Line {
    var seconds: Double
    var text: String
  }

  /// A position that the app was given.
  struct Position {
    /// When it was given, and when it was taken, seconds.
    var delivered: Double
    var time: Double
    var latitude: Double
    var longitude: Double
    var accuracy: Double

    /// Metres from the scenarios' origin, 46.2° N 6.15° E, on a plane with the ellipsoid's radii there.
    var east: Double { (longitude - 6.15) * 77_292 }
    var north: Double { (latitude - 46.2) * 111_147 }

    func distance(east: Double, north: Double = 0) -> Double {
      ((self.east - east) * (self.east - east) + (self.north - north) * (self.north - north)).squareRoot()
    }

    func distance(to other: Position) -> Double { distance(east: other.east, north: other.north) }
  }

  /// In the order of the text.
  private(set) var lines: [Line] = []
  /// By component.
  private(set) var joules: [String: Double] = [:]
  /// What is counted, by name: `fixes`, `wakes`...
  private(set) var counts: [String: Double] = [:]

  /// - Throws: ``Failure`` for a line that is none.
  init(_ text: String) throws {
    let blocks = text.components(separatedBy: "\n\n")
    guard blocks.count == 2 else { throw Failure(description: "\(blocks.count) blocks instead of 2") }
    for line in blocks[0].split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard words.count == 2, let seconds = Double(words[0]) else {
        throw Failure(description: "not a line of a timeline: \(line)")
      }
      lines.append(Line(seconds: seconds, text: words[1].trimmingCharacters(in: .whitespaces)))
    }
    for line in blocks[1].split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 3, words[1] == "J", let value = Double(words[0]) {
        joules[String(words[2])] = value
      } else {
        for part in line.split(separator: ",") {
          let words = part.split(separator: " ")
          let value = words.dropFirst().compactMap { Double($0) }.first
          let name = words.prefix { Double($0) == nil }.joined(separator: " ")
          guard let value, !name.isEmpty else { throw Failure(description: "not a count: \(part)") }
          counts[name] = value
        }
      }
    }
  }

  // MARK: Asking

  /// When there are lines that begin so, seconds.
  func times(_ prefix: String) -> [Double] { lines.filter { $0.text.hasPrefix(prefix) }.map(\.seconds) }

  /// The lines that begin so.
  func texts(_ prefix: String) -> [String] { lines.map(\.text).filter { $0.hasPrefix(prefix) } }

  /// The lines of a moment, in their order.
  func texts(at seconds: Double) -> [String] { lines.filter { $0.seconds == seconds }.map(\.text) }

  /// What the app was told, and when.
  var told: [Line] {
    lines.filter { $0.text.hasPrefix("-> ") }.map {
      Line(seconds: $0.seconds, text: String($0.text.dropFirst(3)))
    }
  }

  /// The app's states, each from a time on, with the reasons.
  var states: [(seconds: Double, state: String, reason: String)] {
    lines.compactMap { line in
      guard line.text.hasPrefix("app: "), let open = line.text.firstIndex(of: "(") else { return nil }
      let state = line.text.dropFirst(5)[..<open].trimmingCharacters(in: .whitespaces)
      return (line.seconds, state, String(line.text[line.text.index(after: open)...].dropLast()))
    }
  }

  /// Whether the app is in a state without a break from one time to another.
  func stays(_ state: String, from start: Double, to end: Double) -> Bool {
    guard let last = states.last(where: { $0.seconds <= start }), last.state == state else { return false }
    return !states.contains { $0.seconds > start && $0.seconds < end }
  }

  /// The state that follows the first one that is entered at a time or after it.
  func stays(from start: Double) -> (state: String, until: Double)? {
    guard let i = states.lastIndex(where: { $0.seconds <= start }) else { return nil }
    return (states[i].state, i + 1 < states.count ? states[i + 1].seconds : .infinity)
  }

  /// The positions of a service, as they were given.
  func batches(_ source: String) -> [[Position]] {
    lines.filter { $0.text.hasPrefix("-> \(source) ") }.map { line in
      line.text.dropFirst(source.count + 4).components(separatedBy: "; ").compactMap { text in
        let words = text.split(separator: " ")
        guard let at = words.firstIndex(of: "at"), at + 1 < words.count, let time = Double(words[at + 1])
        else { return nil }
        let place = words[0].split(separator: ",").compactMap { Double($0) }
        guard place.count == 2, words[1].first == "±", let accuracy = Double(words[1].dropFirst()) else {
          return nil
        }
        return Position(
          delivered: line.seconds, time: time, latitude: place[0], longitude: place[1], accuracy: accuracy)
      }
    }
  }

  func positions(_ source: String) -> [Position] { batches(source).flatMap(\.self) }
}

/// Neighbours in a list.
func neighbours<T>(_ list: [T]) -> Zip2Sequence<[T], ArraySlice<T>> { zip(list, list.dropFirst()) }
