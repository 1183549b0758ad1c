public import VicinityIndex
public import VicinitySimulation

/// A way for an app to watch many regions: what it starts, when, and what it then reports.
///
/// A policy is a recipe; what follows it on a phone is the app that it makes. An app reports with
/// `SimulatedPhone.report(entry:region:at:)`, and that alone is what its user would notice.
public protocol MonitoringPolicy: Sendable {
  /// Short, for command lines and tables: `always-best`.
  var name: String { get }
  /// What it does, in a sentence.
  var summary: String { get }
  /// Makes an app's process; the system may start it many times in a run.
  func makeApp(watching regions: RegionIndex) -> any PhoneApp
}

/// The policies that come with this library.
public enum Policies {
  /// All of them, each with its default parameters.
  public static let all: [any MonitoringPolicy] = [
    RotatingPolicy(),
    FollowingPolicy(.best),
    FollowingPolicy(.hundredMeters),
    FollowingPolicy(.kilometer),
    FrontAndBehindPolicy(),
    CommonRecipePolicy(),
  ]

  /// What they are called.
  public static var names: [String] { all.map(\.name) }

  /// The policy of a name; nil where none is called so.
  public static func named(_ name: String) -> (any MonitoringPolicy)? { all.first { $0.name == name } }
}
