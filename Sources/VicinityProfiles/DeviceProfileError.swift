internal import VicinityGeodesy
public import VicinityMonitor

/// An error in a device profile.
public enum DeviceProfileError: Error, Hashable, Sendable {
  /// The file is not a profile: where, and why.
  case unreadable(path: String, reason: String)
  /// A part is longer than any profile needs.
  case tooLarge(path: String, count: Int, limit: Int)
  /// A figure is out of the range that it may have; `allowed` is that range in words.
  case outOfRange(path: String, value: Double, allowed: String)
  /// The source of a figure is not among the profile's sources.
  case unknownSource(path: String, source: String)
  /// A required tier is missing.
  case missingTier(DesiredAccuracy)
  /// No shipped profile has this name.
  case unknownName(String, known: [String])
}

extension DeviceProfileError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let path, let reason): path.isEmpty ? reason : "\(path): \(reason)"
    case .tooLarge(let path, let count, let limit):
      "\(path.isEmpty ? "the profile" : path) has \(count), and may have \(limit)"
    case .outOfRange(let path, let value, let allowed):
      "\(path) cannot be \(value.shortestText); allowed is \(allowed)"
    case .unknownSource(let path, let source): "\(path): no source is called \(source)"
    case .missingTier(let tier): "tiers.\(tier.rawValue): missing"
    case .unknownName(let name, let known): "no device \(name); there are \(known.joined(separator: ", "))"
    }
  }
}
