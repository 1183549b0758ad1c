internal import VicinityGeodesy
internal import VicinityIndex

/// Options as text: `name=value`, one a line.
struct Options {
  private var values: [(name: String, value: String)] = []
  private var asked: Set<String> = []

  /// - Throws: ``Failure`` for a line without `=`, text that is not UTF-8, and a name that is there twice.
  init(_ text: UnsafePointer<CChar>?, repeatable: Set<String> = []) throws(Failure) {
    guard let text = unsafe text else { return }
    guard let whole = unsafe String(validatingCString: text) else { throw .argument("options are not UTF-8") }
    // By bytes: as a Character, a line's end or the sign swallows a return or an accent beside it.
    for line in whole.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else {
        throw .argument("option \(String(Substring(line)).debugDescription): name=value is expected")
      }
      let name = String(Substring(line[..<sign]))
      if !repeatable.contains(name), values.contains(where: { $0.name == name }) {
        throw .argument("option \(name): one value is expected, not several")
      }
      values.append((name, String(Substring(line[line.index(after: sign)...]))))
    }
  }

  /// The value of an option; nil where it is not given.
  mutating func text(_ name: String) -> String? {
    asked.insert(name)
    return values.first { $0.name == name }?.value
  }

  /// All values of an option that may be repeated.
  mutating func texts(_ name: String) -> [String] {
    asked.insert(name)
    return values.filter { $0.name == name }.map(\.value)
  }

  mutating func number(_ name: String, in range: PartialRangeFrom<Double>? = nil) throws(Failure) -> Double? {
    guard let text = text(name) else { return nil }
    guard let value = Double(text), !value.isNaN else {
      throw .argument("option \(name): a number is expected, not \(text.debugDescription)")
    }
    if let range, !range.contains(value) {
      throw .argument("option \(name): \(range.lowerBound) or more is expected, not \(text)")
    }
    return value
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = text(name) else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw .argument(
        "option \(name): a whole number from \(range.lowerBound) to \(range.upperBound) is expected, not "
          + text.debugDescription)
    }
    return value
  }

  mutating func flag(_ name: String) throws(Failure) -> Bool? {
    guard let text = text(name) else { return nil }
    guard text == "yes" || text == "no" else {
      throw .argument("option \(name): yes or no is expected, not \(text.debugDescription)")
    }
    return text == "yes"
  }

  /// Sets what these options say, whatever others there are.
  mutating func apply<Settings>(
    _ options: [NamedOption<Settings>], to settings: inout Settings
  ) throws(Failure) {
    do throws(OptionFault) { try options.apply(to: &settings) { texts($0) } } catch { throw .option(error) }
  }

  /// Throws for an option that nobody has asked for.
  func finish() throws(Failure) {
    for (name, _) in values where !asked.contains(name) {
      throw .argument(
        "unknown option \(name.debugDescription); there are: \(asked.sorted().joined(separator: ", "))")
    }
  }
}

extension Options {
  /// Options whose values are known.
  init(_ values: [String: String]) {
    self.values = values.map { ($0.key, $0.value) }
  }

  /// The values of several options, of those that are given.
  mutating func texts(named names: [String]) -> [String: String] {
    var result: [String: String] = [:]
    for name in names { if let value = text(name) { result[name] = value } }
    return result
  }
}
