/// An option with a name and a value in words.
///
/// The command line, and C with all that is built on it, take their options from the same lists of these: the
/// same names, the same values, the same help, and the same reasons for a value that is refused.
package struct NamedOption<Settings>: Sendable {
  /// Sets the value; false where it may not be that.
  package typealias Setter = @Sendable (String, inout Settings) throws(OptionFault) -> Bool

  /// In lower case, its words joined by hyphens.
  package let name: String
  /// What stands for the value in help; nil where the value is yes or no.
  package let placeholder: String?
  /// What it is for.
  package let help: String
  /// What a value may be, as in "a number above 0 is expected".
  package let expected: String
  private let set: Setter

  package init(
    _ name: String, _ placeholder: String?, _ expected: String, help: String,
    set: @escaping Setter
  ) {
    self.name = name
    self.placeholder = placeholder
    self.expected = expected
    self.help = help
    self.set = set
  }

  /// - Throws: ``OptionFault`` for a value that it cannot have, and where it needs another option.
  package func set(_ text: String, in settings: inout Settings) throws(OptionFault) {
    if try !set(text, &settings) { throw fault(text) }
  }

  /// That a value is none that it can have.
  package func fault(_ text: String) -> OptionFault {
    .value(option: name, expected: expected, found: text)
  }
}

extension NamedOption {
  package typealias Property<Value> = any WritableKeyPath<Settings, Value> & Sendable

  /// A number, 0 or more, or another range, which `expected` says in words.
  package static func number(
    _ name: String, _ placeholder: String, _ path: Property<Double>,
    in range: ClosedRange<Double> = 0...Double.greatestFiniteMagnitude,
    _ expected: String = "a number of 0 or more", help: String
  ) -> NamedOption {
    NamedOption(name, placeholder, expected, help: help) { text, settings in
      guard let value = Double(text), range.contains(value) else { return false }
      settings[keyPath: path] = value
      return true
    }
  }

  package static func whole(
    _ name: String, _ placeholder: String, _ path: Property<Int>,
    in range: ClosedRange<Int>, help: String
  ) -> NamedOption {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return NamedOption(name, placeholder, expected, help: help) { text, settings in
      guard let value = Int(text), range.contains(value) else { return false }
      settings[keyPath: path] = value
      return true
    }
  }

  /// A time, seconds.
  package static func seconds(
    _ name: String, help: String,
    set: @escaping @Sendable (Duration, inout Settings) throws(OptionFault) -> Bool
  ) -> NamedOption {
    NamedOption(name, "seconds", OptionFault.seconds, help: help) {
      text, settings throws(OptionFault) in
      guard let value = Double(text), (0...OptionFault.longestSeconds).contains(value) else { return false }
      return try set(.seconds(value), &settings)
    }
  }

  package static func flag(
    _ name: String, help: String, set: @escaping @Sendable (inout Settings) -> Void
  ) -> NamedOption {
    NamedOption(name, nil, "yes or no", help: help) { text, settings in
      guard text == "yes" || text == "no" else { return false }
      if text == "yes" { set(&settings) }
      return true
    }
  }

  /// The tolerance of queries, by a tier's name or in metres.
  package static func tier(_ path: Property<Double>, help: String) -> NamedOption {
    NamedOption("tier", "tier", Tier.expected, help: help) { text, settings in
      guard let tolerance = Tier.tolerance(of: text) else { return false }
      settings[keyPath: path] = tolerance
      return true
    }
  }
}

extension Array {
  /// Sets what is given, in the order of this list, whatever the order in which it was given.
  ///
  /// - Parameter values: The values given for an option, by its name: none, or one, or several where it may
  ///   be repeated.
  /// - Throws: ``OptionFault`` for the first that is refused.
  package func apply<Settings>(
    to settings: inout Settings, _ values: (String) -> [String]
  ) throws(OptionFault) where Element == NamedOption<Settings> {
    for option in self {
      for value in values(option.name) { try option.set(value, in: &settings) }
    }
  }
}

/// Why an option is refused. Each door writes options its own way: `--max-gap 5`, `max-gap=5`.
package enum OptionFault: Error, Hashable, Sendable {
  case value(option: String, expected: String, found: String)
  /// It means something only where another option has this value.
  case needs(option: String, other: String, value: String)

  /// Beyond a thousand years a duration is a mistake.
  package static let longestSeconds = 3.2e10
  static let seconds = "a number of seconds from 0 to 3.2e10"
}
