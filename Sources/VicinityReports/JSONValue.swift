#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What JSON is made of, for reports of mixed rows.
package enum JSONValue: Encodable {
  case null
  case bool(Bool)
  case number(Double)
  case integer(Int)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// A number rounded to some decimals, so that reports do not carry digits that mean nothing; null for what is not finite.
  package static func rounded(_ value: Double, _ decimals: Int) -> JSONValue {
    guard value.isFinite else { return .null }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let rounded = value.rounded(to: scale)
    return rounded == 0 ? .number(0) : .number(rounded)
  }

  package static func optional(_ value: Double?, _ decimals: Int) -> JSONValue {
    value.map { .rounded($0, decimals) } ?? .null
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  /// The text, its keys sorted: the same value gives the same bytes.
  package func bytes() throws(ReportError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { return Array(try encoder.encode(self)) } catch { throw .encoding("\(error)") }
  }
}

/// Why a report cannot be made.
public enum ReportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A value does not go into JSON.
  case encoding(String)

  public var description: String {
    switch self {
    case .encoding(let reason): "cannot write JSON: \(reason)"
    }
  }
}

extension Double {
  /// The nearest multiple of a fraction, one through `scale`; itself where it has no digits there.
  func rounded(to scale: Double) -> Double {
    let scaled = self * scale
    return scaled.magnitude < 0x1p53 ? scaled.rounded() / scale : self
  }
}
