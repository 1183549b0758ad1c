internal import VicinitySimulation

/// The policies that come with this library.
public enum Policies {
  /// All of them, each with its default parameters.
  public static let all: [any MonitoringPolicy] = [
    RotatingPolicy(),
    AdaptivePolicy(),
    FollowingPolicy(.best),
    FollowingPolicy(.nearestTenMeters),
    FollowingPolicy(.hundredMeters),
    FollowingPolicy(.kilometer),
    FrontAndBehindPolicy(),
    FixedIntervalPolicy(),
    DistanceToBoundaryPolicy(),
    RateAdaptivePolicy(),
    DutyCycledPolicy(),
    CommonRecipePolicy(),
    VisitsPolicy(),
    ConstantSentinelPolicy(),
    TransistorsoftPolicy(),
    RadarPolicy(.continuous),
    RadarPolicy(.responsive),
    RadarPolicy(.efficient),
    CustomerIOPolicy(),
    GeoMonitorPolicy(),
    HomeAssistantPolicy(),
    VisitsPolicy(.ifttt),
  ]

  /// What they are called.
  public static var names: [String] { all.map(\.name) }

  /// The policy of a name; nil where none is called so.
  public static func named(_ name: String) -> (any MonitoringPolicy)? { all.first { $0.name == name } }

  /// The policy of a label: a name, and what differs from its defaults: `fixed-interval:interval=60:accuracy=kilometer`.
  ///
  /// - Parameters:
  ///   - label: What ``MonitoringPolicy/label`` gives.
  ///   - known: The policies that there are.
  /// - Throws: ``PolicyError``, which names the policy, the parameter, the value and what is allowed.
  public static func parse(
    _ label: String, among known: [any MonitoringPolicy] = all
  ) throws(PolicyError) -> any MonitoringPolicy {
    let parts = label.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
    guard let name = parts.first, var policy = known.first(where: { $0.name == name }) else {
      throw .unknownPolicy(parts.first ?? "", known: known.map(\.name))
    }
    var set: Set<String> = []
    for part in parts.dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0)
      }
      guard sides.count == 2, let parameter = sides.first, let value = sides.last, !parameter.isEmpty else {
        throw .malformed(part, policy: name)
      }
      guard set.insert(parameter).inserted else { throw .repeatedParameter(parameter, policy: name) }
      policy = try policy.setting(parameter, to: value)
    }
    return policy
  }
}
