/// What is wrong with a `power_profile.xml`, and where.
public enum PowerProfileError: Error, Hashable, Sendable {
  /// More bytes than such a file can need.
  case tooLarge(byteCount: Int, limit: Int)
  /// Not the XML of such a file, from this line on.
  case malformed(line: Int, reason: String)
  /// Elements within elements, or values, beyond what such a file can need.
  case tooMany(line: Int, what: String, limit: Int)
  /// A value that is no number.
  case notANumber(line: Int, name: String, text: String)
  /// A number that no phone has.
  case outOfRange(line: Int, name: String, value: Double)
  /// Nothing in the file says anything about what is simulated.
  case nothingKnown
  /// What the numbers come to is no profile.
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
