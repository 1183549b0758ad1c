public import VicinityCrossings

/// An error in the input of a simulation.
public enum SimulationError: Error, Hashable, Sendable {
  /// The track has no valid fix.
  case emptyTrack
  case track(LocatedTrackError)
  /// The track lasts longer than ``TrueTrack/longest``: its first and last time.
  case tooLong(from: Timestamp, to: Timestamp)
  /// The track begins or ends less than ``TrueTrack/longest`` from the first or the last time that there is.
  case tooFar(Timestamp)
  case profile(DeviceProfileError)
  case crossings(CrossingOptionsError)
}

extension SimulationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .emptyTrack: "the track has no valid fix"
    case .track(let error): "the track: \(error)"
    case .tooLong(let first, let last):
      "the track lasts from \(first) to \(last), and a phone is simulated for 100 years at most; are times wrong? "
        + "Leave out the fixes with wrong times"
    case .tooFar(let time):
      "the track has the time \(time), and a phone is simulated up to 100 years from the first and the last time "
        + "that can be counted; are times wrong? Leave out the fixes with wrong times"
    case .profile(let error): "the device profile: \(error)"
    case .crossings(let error): "crossings: \(error)"
    }
  }
}
