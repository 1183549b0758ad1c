/// Why a study cannot be made.
public enum StudyError: Error, Hashable, Sendable {
  /// There are no devices, no policies or no seeds: which.
  case nothing(of: String)
  /// Two devices, policies or seeds are the same: which kind, and what they are called.
  case twice(String, name: String)
  /// A policy's parameter is out of its range.
  case policy(PolicyError)
  /// The device profile is wrong.
  case profile(String)
  /// The resampling is wrong: what of it, and what it was.
  case resampling(String, value: Double)
  /// A device's track or scenario cannot be had, or not be run: which device, and why.
  case device(String, reason: String)
  /// The progress closure has asked to stop.
  case cancelled
}

extension StudyError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nothing(let what): "a study needs \(what)"
    case .twice(let what, let name): "\(what) \(name.debugDescription) is there twice"
    case .policy(let error): error.description
    case .profile(let reason): "the device profile: \(reason)"
    case .resampling(let what, let value): "the resampling's \(what) cannot be \(value)"
    case .device(let name, let reason): "device \(name.debugDescription): \(reason)"
    case .cancelled: "cancelled"
    }
  }
}
