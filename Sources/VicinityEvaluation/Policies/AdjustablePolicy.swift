internal import VicinityGeodesy

/// A policy whose parameters can be set by text: it lists its ``adjustments``, and the rest is derived from
/// them.
///
///     struct Napping: AdjustablePolicy {
///       let name = "napping"
///       let summary = "A position now and then."
///       var nap = 60.0
///       static let adjustments: [PolicyAdjustment<Napping>] = [
///         .number("nap", \.nap, in: 1...3600, unit: "s", "Time between two positions.", tries: [30, 60, 120])
///       ]
///       func makeApp(watching regions: RegionIndex) -> any PhoneApp { NappingApp(regions, nap: nap) }
///     }
public protocol AdjustablePolicy: MonitoringPolicy {
  /// The parameters, in the order of labels.
  static var adjustments: [PolicyAdjustment<Self>] { get }
}

extension AdjustablePolicy {
  public var parameters: [PolicyParameter] {
    Self.adjustments.map { adjustment in
      let value = adjustment.read(self)
      return PolicyParameter(
        name: adjustment.name, value: value, unit: adjustment.unit, meaning: adjustment.meaning,
        allowed: adjustment.allowed, choices: adjustment.choices.isEmpty ? [value] : adjustment.choices)
    }
  }

  public func setting(_ parameter: String, to value: String) throws(PolicyError) -> Self {
    guard let adjustment = Self.adjustments.first(where: { $0.name == parameter }) else {
      throw .unknownParameter(parameter, policy: name, known: Self.adjustments.map(\.name))
    }
    var policy = self
    guard adjustment.write(value, &policy) else {
      throw .invalidValue(value, parameter: parameter, policy: name, allowed: adjustment.allowed)
    }
    return policy
  }

  /// The policy with another value of a property: `FixedIntervalPolicy().setting(\.interval, to: 30)`.
  public func setting<Value>(_ property: WritableKeyPath<Self, Value>, to value: Value) -> Self {
    var policy = self
    policy[keyPath: property] = value
    return policy
  }

  public func check() throws(PolicyError) {
    for adjustment in Self.adjustments { _ = try setting(adjustment.name, to: adjustment.read(self)) }
  }
}

/// One parameter of a policy: how to read and write it as text, its allowed values, and the values that a
/// search tries. Fields are as in ``PolicyParameter``; there are no ``choices`` where a search leaves the
/// value as it is.
public struct PolicyAdjustment<Policy: MonitoringPolicy>: Sendable {
  public let name: String
  public let unit: String
  public let meaning: String
  public let allowed: String
  public let choices: [String]
  let read: @Sendable (Policy) -> String
  /// Sets the parameter; false if the text is not an allowed value.
  let write: @Sendable (String, inout Policy) -> Bool
}

extension PolicyAdjustment {
  private init<Value>(
    _ name: String, _ path: any WritableKeyPath<Policy, Value> & Sendable, unit: String = "",
    _ meaning: String,
    allowed: String, tries: [Value], write: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (String) -> Value?
  ) {
    self.init(
      name: name, unit: unit, meaning: meaning, allowed: allowed, choices: tries.map(write),
      read: { write($0[keyPath: path]) },
      write: { text, policy in
        guard let value = read(text) else { return false }
        policy[keyPath: path] = value
        return true
      })
  }

  /// A number within a range; NaN is in none. A unit may stand behind it: `120`, `120s`, `2min`.
  public static func number(
    _ name: String, _ path: any WritableKeyPath<Policy, Double> & Sendable, in range: ClosedRange<Double>,
    unit: String, _ meaning: String, tries: [Double]
  ) -> Self {
    Self(
      name, path, unit: unit, meaning, allowed: range.inWords(unit), tries: tries, write: { $0.shortestText },
      read: { range.number($0, unit) })
  }

  /// A number within a range, or `none`.
  public static func number(
    _ name: String, orNone path: any WritableKeyPath<Policy, Double?> & Sendable,
    in range: ClosedRange<Double>, unit: String, _ meaning: String, tries: [Double?]
  ) -> Self {
    Self(
      name, path, unit: unit, meaning, allowed: "\(range.inWords(unit)), or none", tries: tries,
      write: { $0?.shortestText ?? "none" },
      read: { $0 == "none" ? .some(nil) : range.number($0, unit).map { $0 } })
  }

  /// A whole number within a range.
  public static func count(
    _ name: String, _ path: any WritableKeyPath<Policy, Int> & Sendable, in range: ClosedRange<Int>,
    _ meaning: String, tries: [Int]
  ) -> Self {
    Self(
      name, path, meaning, allowed: "a whole number, \(range.lowerBound) to \(range.upperBound)",
      tries: tries,
      write: { "\($0)" }, read: { Int($0).flatMap { range.contains($0) ? $0 : nil } })
  }

  /// A whole number within a range, or `all`, which is nil.
  public static func count(
    _ name: String, orAll path: any WritableKeyPath<Policy, Int?> & Sendable, in range: ClosedRange<Int>,
    _ meaning: String, tries: [Int?]
  ) -> Self {
    Self(
      name, path, meaning, allowed: "a whole number, \(range.lowerBound) to \(range.upperBound), or all",
      tries: tries, write: { $0.map { "\($0)" } ?? "all" },
      read: { text in
        text == "all" ? .some(nil) : Int(text).flatMap { range.contains($0) ? .some($0) : nil }
      })
  }

  /// One of the names of a type's cases, as of an accuracy.
  public static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Policy, Value> & Sendable, _ meaning: String, tries: [Value]
  ) -> Self {
    Self(
      name, path, meaning, allowed: "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "),
      tries: tries, write: { $0.rawValue }, read: { Value(rawValue: $0) })
  }
}

extension ClosedRange<Double> {
  fileprivate func inWords(_ unit: String) -> String {
    "a number, \(lowerBound.shortestText) to \(upperBound.shortestText)" + (unit.isEmpty ? "" : " \(unit)")
  }

  fileprivate func number(_ text: String, _ unit: String) -> Double? {
    let digits = text[...].leadingNumber
    guard let number = Double(digits),
      let written = WrittenUnit.all(of: unit).first(where: { $0.name == text[digits.endIndex...] })
    else { return nil }
    let value = written.value(number)
    return contains(value) ? value : nil
  }
}
