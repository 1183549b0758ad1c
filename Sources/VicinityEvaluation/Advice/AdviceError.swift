public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Why there is no advice.
public enum AdviceError: Error, Hashable, Sendable {
  /// A track cannot be had, or not be followed: its number, from zero, and why.
  case track(number: Int, reason: String)
  /// The phone is wrong.
  case profile(DeviceProfileError)
  /// The planner's options are wrong.
  case options(PlanOptionsError)
  /// There is no index over the regions as they would be.
  case regions(RegionError)
}

extension AdviceError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .track(let number, let reason): "track \(number + 1): \(reason)"
    case .profile(let error): "the device profile: \(error)"
    case .options(let error): "the planner's options: \(error)"
    case .regions(let error): "\(error)"
    }
  }
}
