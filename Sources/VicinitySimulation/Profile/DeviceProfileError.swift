/// What is wrong with a device profile.
public enum DeviceProfileError: Error, Hashable, Sendable {
  /// Not a profile: where in the file, and what.
  case unreadable(path: String, reason: String)
  /// Longer than any profile needs to be.
  case tooLarge(path: String, count: Int, limit: Int)
  /// A figure out of its range.
  case outOfRange(path: String, value: Double)
  /// A figure's source is not among the profile's.
  case unknownSource(path: String, source: String)
  /// A tier that every phone has is not there.
  case missingTier(DesiredAccuracy)
  /// No shipped profile is called so.
  case unknownName(String, known: [String])
}

extension DeviceProfileError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let path, let reason): path.isEmpty ? reason : "\(path): \(reason)"
    case .tooLarge(let path, let count, let limit):
      "\(path.isEmpty ? "the profile" : path) has \(count), and may have \(limit)"
    case .outOfRange(let path, let value): "\(path) cannot be \(value)"
    case .unknownSource(let path, let source): "\(path): no source is called \(source)"
    case .missingTier(let tier): "tiers.\(tier.rawValue): missing"
    case .unknownName(let name, let known): "no device \(name); there are \(known.joined(separator: ", "))"
    }
  }
}
