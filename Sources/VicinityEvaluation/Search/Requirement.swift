internal import VicinityGeodesy

/// What a policy must reach: bounds on metrics, all of which must hold.
///
///     let requirement = try Requirement.parse("recall>=0.99,p95-latency<=60s")
public struct Requirement: Hashable, Sendable {
  public struct Bound: Hashable, Sendable {
    public var metric: Metric
    /// Whether ``limit`` is the least or the greatest allowed value.
    public var isMinimum: Bool
    /// The limit, in the metric's unit.
    public var limit: Double

    public init(_ metric: Metric, isMinimum: Bool, limit: Double) {
      self.metric = metric
      self.isMinimum = isMinimum
      self.limit = limit
    }

    /// Whether a value meets the bound; nil and NaN do not.
    public func isMet(by value: Double?) -> Bool {
      guard let value, !value.isNaN else { return false }
      return isMinimum ? value >= limit : value <= limit
    }
  }

  public var bounds: [Bound]

  public init(_ bounds: [Bound]) { self.bounds = bounds }

  /// The metrics of the bounds that a study computes only on request; each once.
  public var requestedMetrics: [Metric] {
    var metrics: [Metric] = []
    for bound in bounds where bound.metric.isOnRequest && !metrics.contains(bound.metric) {
      metrics.append(bound.metric)
    }
    return metrics
  }

  /// How probable it is that a policy meets every bound with other devices, days and phones: the share of its
  /// resamples in which it does; nil for a card without resamples, as of a single device.
  public func probability(of card: ScoreCard) -> Double? {
    let columns = bounds.map { ($0, card.resamples[$0.metric] ?? []) }
    guard let count = columns.map(\.1.count).min(), count > 0, card.deviceCount > 1 else { return nil }
    let met = (0..<count).count { place in columns.allSatisfy { $0.0.isMet(by: $0.1[place]) } }
    return Double(met) / Double(count)
  }

  /// Whether a policy's headline figures meet every bound.
  public func isMet(by card: ScoreCard) -> Bool {
    bounds.allSatisfy { $0.isMet(by: card.value($0.metric)) }
  }
}

extension Requirement.Bound {
  /// How far a value v is from meeting the limit b, 0...1: (b - v) / b for a minimum, (v - b) / v for a
  /// maximum; 1 without a value.
  public func shortfall(of value: Double?) -> Double {
    guard let value, !value.isNaN else { return 1 }
    if isMet(by: value) { return 0 }
    if isMinimum { return min(1, (limit - value) / limit) }
    return value.isInfinite ? 1 : min(1, (value - limit) / value)
  }
}

extension Requirement {
  /// How far a policy's headline figures are from meeting all bounds: the sum of the shortfalls, 0 if it
  /// meets them.
  public func shortfall(of card: ScoreCard) -> Double {
    bounds.reduce(0) { $0 + $1.shortfall(of: card.value($1.metric)) }
  }

  /// Whether the first of two policies is the better answer: the one with the smaller shortfall, which is 0
  /// for all that meet the requirement; of equals, the cheaper one.
  public func isBetter(_ a: ScoreCard, than b: ScoreCard) -> Bool {
    let (far, near) = (shortfall(of: a), shortfall(of: b))
    if far != near { return far < near }
    return (a.value(.energy) ?? .infinity) < (b.value(.energy) ?? .infinity)
  }

  /// The bounds in words: `recall of at least 0.99 and p95-latency of at most 60 s`.
  public var words: String {
    bounds.map { bound in
      let unit = bound.metric.unit
      let space = unit.isEmpty || unit.hasPrefix("/") ? "" : " "
      let side = bound.isMinimum ? "least" : "most"
      return "\(bound.metric.rawValue) of at \(side) \(bound.limit.shortestText)\(space)\(unit)"
    }.joined(separator: " and ")
  }
}

/// What is wrong with a requirement's text. Columns count characters from 1.
public enum RequirementError: Error, Hashable, Sendable {
  /// The text, or the part between two commas, is empty.
  case empty(column: Int)
  /// A part without `>=` or `<=`.
  case noComparison(String, column: Int)
  case unknownMetric(String, column: Int)
  /// The limit is no number, or not a value that the metric can have.
  case invalidNumber(String, metric: Metric, column: Int)
  /// The unit is not one of the metric's, which are in `allowed`.
  case invalidUnit(String, metric: Metric, allowed: [String], column: Int)
  /// The bound keeps a metric from being good.
  case wrongDirection(Requirement.Bound, column: Int)
  /// The same bound of a metric is given twice.
  case twice(Metric, column: Int)
}

extension RequirementError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty(let column): "character \(column): a bound is expected, as in recall>=0.99"
    case .noComparison(let text, let column):
      "character \(column): \(text.debugDescription) has neither >= nor <="
    case .unknownMetric(let name, let column):
      "character \(column): no metric \(name.debugDescription)"
        + (Metric.inSeconds(name).map { ", whose time is in seconds: \($0)" } ?? "")
        + (Metric.inPlural(name).map { "; it is called \($0)" } ?? "") + "; there are "
        + Metric.allCases.map(\.rawValue).joined(separator: ", ")
        + ", entries-within-60s and exits-within-60s, of any number of seconds up to a day"
    case .invalidNumber(let text, let metric, let column):
      "character \(column): \(metric.rawValue) cannot be \(text.debugDescription); "
        + (metric.unit.isEmpty
          ? "a share is expected, 0 to 1 or 0 to 100%" : "a number of 0 or more is expected")
    case .invalidUnit(let unit, let metric, let allowed, let column):
      "character \(column): \(metric.rawValue) has no unit \(unit.debugDescription); it can be "
        + allowed.joined(separator: ", ")
    case .wrongDirection(let bound, let column):
      "character \(column): \(bound.text) asks for a \(bound.isMinimum ? "high" : "low") \(bound.metric.rawValue), "
        + "and \(bound.isMinimum ? "less" : "more") is better; \(bound.isMinimum ? "<=" : ">=") is meant"
    case .twice(let metric, let column): "character \(column): \(metric.rawValue) has such a bound already"
    }
  }
}

extension Requirement {
  /// Reads a requirement: bounds separated by commas, each a metric, `>=` or `<=`, and a number.
  ///
  /// A number may have a unit: `60s` or `1min` for seconds, `500m` or `2km` for metres, `99%` for shares,
  /// `1.5%/h` or `1.5%` for energy. Spaces do not matter.
  public static func parse(_ text: String) throws(RequirementError) -> Requirement {
    var bounds: [Bound] = []
    var column = 1
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let bound = try Bound(part, column: column)
      if bounds.contains(where: { $0.metric == bound.metric && $0.isMinimum == bound.isMinimum }) {
        throw .twice(bound.metric, column: column + part.prefix { $0 == " " }.count)
      }
      bounds.append(bound)
      column += part.count + 1
    }
    return Requirement(bounds)
  }

  /// The text that ``parse(_:)`` reads: `recall>=0.99,p95-latency<=60s`.
  public var text: String { bounds.map(\.text).joined(separator: ",") }
}

extension Requirement.Bound {
  /// The bound as text: `p95-latency<=60s`.
  public var text: String {
    "\(metric.rawValue)\(isMinimum ? ">=" : "<=")\(limit.shortestText)\(metric.unit)"
  }

  fileprivate init(_ part: Substring, column: Int) throws(RequirementError) {
    let lead = part.prefix { $0 == " " }.count
    let text = part.trimmed
    let column = column + lead
    guard !text.isEmpty else { throw .empty(column: column) }
    guard let sign = text.firstIndex(where: { $0 == ">" || $0 == "<" }) else {
      throw .noComparison(String(text), column: column)
    }
    let after = text.index(after: sign)
    guard after < text.endIndex, text[after] == "=" else { throw .noComparison(String(text), column: column) }
    let name = text[..<sign].trimmed
    guard let metric = Metric(rawValue: String(name)) else {
      throw .unknownMetric(String(name), column: column)
    }
    let rest = text[text.index(after: after)...]
    let value = rest.trimmed
    let skipped = text.distance(from: text.startIndex, to: rest.startIndex)
    let place = column + skipped + rest.prefix { $0 == " " }.count
    let digits = value.leadingNumber
    let unit = value[digits.endIndex...].trimmed
    guard let number = Double(digits), number.isFinite, number >= 0 else {
      throw .invalidNumber(String(value), metric: metric, column: place)
    }
    let units = WrittenUnit.all(of: metric.unit)
    guard let written = units.first(where: { $0.name == unit }) else {
      throw .invalidUnit(
        String(unit), metric: metric, allowed: units.map(\.name).filter { !$0.isEmpty }, column: place)
    }
    let limit = written.value(number)
    guard limit.isFinite, !metric.unit.isEmpty || limit <= 1 else {
      throw .invalidNumber(String(value), metric: metric, column: place)
    }
    self.init(metric, isMinimum: text[sign] == ">", limit: limit)
    guard isMinimum == (metric.better == .higher) else { throw .wrongDirection(self, column: column) }
  }
}

/// A unit in which people may write a number that is meant in another, or none for that other one.
struct WrittenUnit {
  var name: String
  var factor: Double

  /// The units in which a number of some unit may be written.
  static func all(of unit: String) -> [WrittenUnit] {
    let units: [(String, Double)] =
      switch unit {
      case "": [("", 1), ("%", 0.01)]
      case "s": [("", 1), ("s", 1), ("min", 60), ("h", 3600)]
      case "m": [("", 1), ("m", 1), ("km", 1000)]
      case "%/h": [("", 1), ("%/h", 1), ("%", 1)]
      case "d": [("", 1), ("d", 1), ("h", 1.0 / 24)]
      default: [("", 1), (unit, 1)]
      }
    return units.map { WrittenUnit(name: $0.0, factor: $0.1) }
  }

  /// Divides where that is exact: 99 % is 0.99 to the last bit.
  func value(_ number: Double) -> Double {
    factor < 1 ? number / (1 / factor).rounded() : number * factor
  }
}

extension Substring {
  /// The prefix that looks like a number: digits, signs, a point and perhaps an exponent.
  var leadingNumber: Substring {
    let mantissa = prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
    var rest = self[mantissa.endIndex...]
    guard let sign = rest.popFirst(), sign == "e" || sign == "E" else { return mantissa }
    if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
    let exponent = rest.prefix { $0.isASCII && $0.isNumber }
    return exponent.isEmpty ? mantissa : self[..<exponent.endIndex]
  }

  /// The text without spaces at both ends.
  package var trimmed: Substring {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}
