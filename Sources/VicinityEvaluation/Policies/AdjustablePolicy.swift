/// A policy whose parameters can be set by text: it says which there are, and the rest follows.
///
///     struct Napping: AdjustablePolicy {
///       var nap = 60.0
///       static let adjustments: [PolicyAdjustment<Napping>] = [
///         .number("nap", \.nap, in: 1...3600, unit: "s", "Time between two positions.", tries: [30, 60, 120])
///       ]
///       …
///     }
public protocol AdjustablePolicy: MonitoringPolicy {
  /// What can be set, in the order of labels.
  static var adjustments: [PolicyAdjustment<Self>] { get }
}

extension AdjustablePolicy {
  public var parameters: [PolicyParameter] {
    Self.adjustments.map { adjustment in
      PolicyParameter(
        name: adjustment.name, value: adjustment.read(self), unit: adjustment.unit,
        meaning: adjustment.meaning,
        allowed: adjustment.allowed, choices: adjustment.choices)
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

  public func check() throws(PolicyError) {
    for adjustment in Self.adjustments { _ = try setting(adjustment.name, to: adjustment.read(self)) }
  }
}

/// One parameter of a policy: how it is written, what it may be and what a search tries.
public struct PolicyAdjustment<Policy: MonitoringPolicy>: Sendable {
  /// What it is called in labels.
  public let name: String
  /// What it is counted in.
  public let unit: String
  /// What it does.
  public let meaning: String
  /// What may be written, in words.
  public let allowed: String
  /// The values that a search tries.
  public let choices: [String]
  let read: @Sendable (Policy) -> String
  /// Whether the text is a value that it may have.
  let write: @Sendable (String, inout Policy) -> Bool
}

extension PolicyAdjustment {
  /// A number within a range; NaN is in none.
  public static func number(
    _ name: String, _ path: any WritableKeyPath<Policy, Double> & Sendable, in range: ClosedRange<Double>,
    unit: String, _ meaning: String, tries: [Double]
  ) -> Self {
    PolicyAdjustment(
      name: name, unit: unit, meaning: meaning, allowed: range.inWords, choices: tries.map(\.asWritten),
      read: { $0[keyPath: path].asWritten },
      write: { text, policy in
        guard let value = Double(text), range.contains(value) else { return false }
        policy[keyPath: path] = value
        return true
      })
  }

  /// A number within a range, or `none`.
  public static func number(
    _ name: String, orNone path: any WritableKeyPath<Policy, Double?> & Sendable,
    in range: ClosedRange<Double>,
    unit: String, _ meaning: String, tries: [Double?]
  ) -> Self {
    PolicyAdjustment(
      name: name, unit: unit, meaning: meaning, allowed: "\(range.inWords), or none",
      choices: tries.map { $0?.asWritten ?? "none" },
      read: { $0[keyPath: path]?.asWritten ?? "none" },
      write: { text, policy in
        if text == "none" {
          policy[keyPath: path] = nil
          return true
        }
        guard let value = Double(text), range.contains(value) else { return false }
        policy[keyPath: path] = value
        return true
      })
  }

  /// A whole number within a range.
  public static func count(
    _ name: String, _ path: any WritableKeyPath<Policy, Int> & Sendable, in range: ClosedRange<Int>,
    _ meaning: String, tries: [Int]
  ) -> Self {
    PolicyAdjustment(
      name: name, unit: "", meaning: meaning,
      allowed: "a whole number, \(range.lowerBound) to \(range.upperBound)",
      choices: tries.map { "\($0)" }, read: { "\($0[keyPath: path])" },
      write: { text, policy in
        guard let value = Int(text), range.contains(value) else { return false }
        policy[keyPath: path] = value
        return true
      })
  }

  /// One of some names: an accuracy, say.
  public static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Policy, Value> & Sendable, _ meaning: String, tries: [Value]
  ) -> Self {
    PolicyAdjustment(
      name: name, unit: "", meaning: meaning,
      allowed: "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "),
      choices: tries.map(\.rawValue), read: { $0[keyPath: path].rawValue },
      write: { text, policy in
        guard let value = Value(rawValue: text) else { return false }
        policy[keyPath: path] = value
        return true
      })
  }
}

extension Double {
  /// As one would write it: whole numbers without a point; read again, it is the same number.
  fileprivate var asWritten: String {
    let text = "\(self)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension ClosedRange<Double> {
  fileprivate var inWords: String { "a number, \(lowerBound.asWritten) to \(upperBound.asWritten)" }
}
