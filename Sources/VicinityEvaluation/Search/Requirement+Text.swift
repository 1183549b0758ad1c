internal import VicinityGeodesy

/// What is wrong with a requirement's text; columns count its characters from 1.
public enum RequirementError: Error, Hashable, Sendable {
  /// There is nothing between two commas, or at all.
  case empty(column: Int)
  /// A part without `>=` or `<=`.
  case noComparison(String, column: Int)
  /// No metric is called so.
  case unknownMetric(String, column: Int)
  /// The bound is no number, or not one that the metric can have.
  case invalidNumber(String, metric: Metric, column: Int)
  /// The unit is not the metric's; the right ones, which may be left out.
  case invalidUnit(String, metric: Metric, allowed: [String], column: Int)
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
      "character \(column): no metric \(name.debugDescription); there are "
        + Metric.allCases.map(\.rawValue).joined(separator: ", ")
    case .invalidNumber(let text, let metric, let column):
      "character \(column): \(metric.rawValue) cannot be \(text.debugDescription); "
        + (metric.unit.isEmpty
          ? "a share is expected, 0 to 1 or 0 to 100%" : "a number of 0 or more is expected")
    case .invalidUnit(let unit, let metric, let allowed, let column):
      "character \(column): \(metric.rawValue) has no unit \(unit.debugDescription); it can be "
        + allowed.joined(separator: ", ")
    case .twice(let metric, let column): "character \(column): \(metric.rawValue) has such a bound already"
    }
  }
}

extension Requirement {
  /// A requirement as one writes it: bounds with commas between, each a metric, `>=` or `<=`, and a number.
  ///
  /// A number may have its unit: `60s` or `1min` for seconds, `500m` or `2km` for metres, `99%` for shares, `1.5%/h` or `1.5%`
  /// for energy. Spaces do not matter.
  ///
  /// - Throws: ``RequirementError``, which names what is wrong and where.
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
  /// As one writes it: `p95-latency<=60s`.
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
    let digits = value.number
    let unit = value[digits.endIndex...].trimmed
    guard let number = Double(digits), number.isFinite, number >= 0 else {
      throw .invalidNumber(String(value), metric: metric, column: place)
    }
    let units = Self.units(of: metric)
    guard let factor = units.first(where: { $0.name == unit })?.factor else {
      throw .invalidUnit(
        String(unit), metric: metric, allowed: units.map(\.name).filter { !$0.isEmpty }, column: place)
    }
    // Divided where that is exact: 99 % is 0.99 to the last bit.
    let limit = factor < 1 ? number / (1 / factor).rounded() : number * factor
    guard limit.isFinite, !metric.unit.isEmpty || limit <= 1 else {
      throw .invalidNumber(String(value), metric: metric, column: place)
    }
    self.init(metric, isMinimum: text[sign] == ">", limit: limit)
  }

  /// The units that a metric's number may have, and how much of its own each is.
  private static func units(of metric: Metric) -> [(name: String, factor: Double)] {
    switch metric.unit {
    case "": [("", 1), ("%", 0.01)]
    case "s": [("", 1), ("s", 1), ("min", 60), ("h", 3600)]
    case "m": [("", 1), ("m", 1), ("km", 1000)]
    case "%/h": [("", 1), ("%/h", 1), ("%", 1)]
    default: [("", 1), (metric.unit, 1)]
    }
  }
}

extension Substring {
  /// What it begins with that looks like a number: digits, signs, a point and perhaps an exponent.
  fileprivate var number: Substring {
    let mantissa = prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
    var rest = self[mantissa.endIndex...]
    guard let sign = rest.popFirst(), sign == "e" || sign == "E" else { return mantissa }
    if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
    let exponent = rest.prefix { $0.isASCII && $0.isNumber }
    return exponent.isEmpty ? mantissa : self[..<exponent.endIndex]
  }

  /// Without spaces at both ends.
  fileprivate var trimmed: Substring {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}
