public import VicinityCrossings
public import VicinitySimulation

/// One device of a study: a name, and how to get what happens to it when its turn comes.
///
/// Tracks are made when they are needed and let go after, so that a thousand days of a fix a second never are in memory
/// together.
public struct StudyDevice: Sendable {
  /// What it is called.
  public var name: String
  /// What happens to its phone; the seed does not matter. Called once in a run, on any thread, and must give the same each
  /// time.
  public var scenario: @Sendable (_ profile: DeviceProfile) throws -> Scenario

  /// A device.
  public init(name: String, scenario: @escaping @Sendable (_ profile: DeviceProfile) throws -> Scenario) {
    self.name = name
    self.scenario = scenario
  }

  /// A device that goes along a track, with an app that is opened at the beginning and left a minute later.
  public init(name: String, track: @escaping @Sendable () throws -> TrueTrack) {
    self.init(name: name) { profile in
      let track = try track()
      return Scenario(track: track, actions: Self.openedOnce(at: track.start), profile: profile)
    }
  }

  /// An app that is opened and left a minute later.
  public static func openedOnce(at time: Timestamp) -> [TimedAction] {
    [TimedAction(time: time, .openApp), TimedAction(time: time.advanced(by: .seconds(60)), .leaveApp)]
  }
}
