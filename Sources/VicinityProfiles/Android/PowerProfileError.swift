/// An error in a `power_profile.xml`, and where.
public enum PowerProfileError: Error, Hashable, Sendable {
  /// The file is larger than any power profile.
  case tooLarge(byteCount: Int, limit: Int)
  /// The file is not valid from this line on.
  case malformed(line: Int, reason: String)
  /// Too many values, or too deeply nested elements.
  case tooMany(line: Int, what: String, limit: Int)
  case notANumber(line: Int, name: String, text: String)
  /// A number is negative or too great.
  case outOfRange(line: Int, name: String, value: Double)
  /// The file has no value that the simulation uses.
  case nothingKnown
  /// The resulting profile is invalid.
  case profile(DeviceProfileError)
}

extension PowerProfileError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooLarge(let count, let limit): "the power profile has \(count) bytes, and may have \(limit)"
    case .malformed(let line, let reason): "line \(line): \(reason)"
    case .tooMany(let line, let what, let limit): "line \(line): more than \(limit) \(what)"
    case .notANumber(let line, let name, let text): "line \(line): \(name) is not a number: “\(text)”"
    case .outOfRange(let line, let name, let value): "line \(line): \(name) cannot be \(value)"
    case .nothingKnown: "the power profile has no value that is known"
    case .profile(let error): "the device profile: \(error)"
    }
  }
}
