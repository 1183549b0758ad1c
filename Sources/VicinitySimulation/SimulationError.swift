public import VicinityCrossings

/// Why a simulation cannot be made.
public enum SimulationError: Error, Hashable, Sendable {
  /// A track without a single valid fix.
  case emptyTrack
  /// A fix of the track is wrong.
  case track(LocatedTrackError)
  /// The device profile is wrong.
  case profile(DeviceProfileError)
  /// What counts as a crossing is said wrongly.
  case crossings(CrossingOptionsError)
}

extension SimulationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .emptyTrack: "the track has no valid fix"
    case .track(let error): "the track: \(error)"
    case .profile(let error): "the device profile: \(error)"
    case .crossings(let error): "crossings: \(error)"
    }
  }
}
