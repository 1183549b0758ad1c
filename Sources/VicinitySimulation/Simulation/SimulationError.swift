public import VicinityCrossings

/// An error in the input of a simulation.
public enum SimulationError: Error, Hashable, Sendable {
  /// The track has no valid fix.
  case emptyTrack
  case track(LocatedTrackError)
  case profile(DeviceProfileError)
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
