/// Something that a reader found in a file, and where.
///
/// Readers collect diagnostics instead of printing them; the caller decides what to show.
public struct Diagnostic: Hashable, Sendable {
  /// Where in the input it was found.
  public var place: Place
  /// What is wrong, with the offending value.
  public var message: String
  /// What a caller can do about it, where an option of the reader is the answer.
  public var cure: Cure?

  package init(place: Place, message: String, cure: Cure? = nil) {
    self.place = place
    self.message = message
    self.cure = cure
  }

  package init(place: Place, _ fault: RowFault) {
    self.init(place: place, message: fault.message, cure: fault.cure)
  }

  /// A place in an input: a file, and a line or a feature within it.
  public struct Place: Hashable, Sendable {
    /// The path as the caller gave it; `-` for standard input.
    public var path: String
    /// The line, counted from 1, for text files read line by line.
    public var line: Int?
    /// The layer, for files with layers.
    public var layer: String?
    /// The feature's number as OGR gives it (its FID), for files with features.
    public var feature: Int64?

    package init(path: String, line: Int? = nil, layer: String? = nil, feature: Int64? = nil) {
      self.path = path
      self.line = line
      self.layer = layer
      self.feature = feature
    }
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `file.csv:12: what is wrong`, or `file.gpkg, layer "states", feature 12: what is wrong`.
  ///
  /// Control characters in it are written as escapes.
  public var description: String { "\(place): \(VisibleText.of(message))" }
}

extension Diagnostic {
  /// Diagnostics for people, a line each; of three or more that differ in their places and values alone, the
  /// first, and a line that counts the others.
  package static func lines(_ diagnostics: [Diagnostic]) -> [String] {
    var alike: [String: [Int]] = [:]
    for (place, diagnostic) in diagnostics.enumerated() {
      alike[diagnostic.messageWithoutValues, default: []].append(place)
    }
    var lines: [String] = []
    for (place, diagnostic) in diagnostics.enumerated() {
      let places = alike[diagnostic.messageWithoutValues] ?? [place]
      guard places.count < 3 || place == places.first else { continue }
      lines.append("\(diagnostic)")
      if places.count >= 3 {
        let others = places.dropFirst().map { diagnostics[$0] }
        lines.append("  and \(others.count) more like it\(inLines(others, of: diagnostic))")
      }
    }
    return lines
  }

  /// `, in lines 4, 7, 9 and further on` for those of the same file; empty where they have no lines.
  private static func inLines(_ others: [Diagnostic], of first: Diagnostic) -> String {
    let most = 5
    let numbers = others.filter { $0.place.path == first.place.path }.compactMap(\.place.line)
    guard numbers.count == others.count else { return "" }
    return ", in lines " + numbers.prefix(most).map { "\($0)" }.joined(separator: ", ")
      + (numbers.count > most ? " and further on" : "")
  }

  /// The message without what is quoted in it, and without numbers and times.
  private var messageWithoutValues: String {
    var text: [UInt8] = []
    var (isQuoted, isEscaped) = (false, false)
    for byte in message.utf8 {
      if isQuoted {
        isQuoted = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if byte == UInt8(ascii: "\"") {
        isQuoted = true
      } else if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), !"+-.:".utf8.contains(byte) {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Diagnostic.Place: CustomStringConvertible {
  public var description: String {
    var text = path == "-" ? "standard input" : VisibleText.of(path)
    if let line { text += ":\(line)" }
    if let layer { text += ", layer \"\(VisibleText.of(layer))\"" }
    if let feature { text += ", feature \(feature)" }
    return text
  }
}

/// Diagnostics of one kind: the first few are kept, all are counted.
public struct DiagnosticList: Hashable, Sendable {
  /// The first diagnostics, up to ``ReadingOptions/maximumDiagnostics``.
  public private(set) var examples: [Diagnostic] = []
  /// How many diagnostics there were.
  public private(set) var count = 0
  private let maximum: Int

  package init(maximum: Int) { self.maximum = maximum }

  /// Whether there were none.
  public var isEmpty: Bool { count == 0 }

  /// Adds a diagnostic; `fault` is evaluated only if the diagnostic is kept.
  package mutating func add(_ place: Diagnostic.Place, _ fault: @autoclosure () -> RowFault) {
    count += 1
    if examples.count < maximum { examples.append(Diagnostic(place: place, fault())) }
  }

  /// Adds a diagnostic that is kept however many there are.
  package mutating func keep(_ diagnostic: Diagnostic) {
    count += 1
    examples.append(diagnostic)
  }

  /// Adds `count` diagnostics, of which `diagnostics` are the first few.
  package mutating func add(_ diagnostics: [Diagnostic], count: Int) {
    self.count += count
    examples.append(contentsOf: diagnostics.prefix(max(0, maximum - examples.count)))
  }
}
