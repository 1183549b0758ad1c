internal import VicinityMonitor
internal import VicinitySimulation

/// The policies that come with this library.
public enum Policies {
  /// All policies, each with its default parameters.
  public static let all: [any MonitoringPolicy] = [
    MonitorSlotsPolicy(),
    MonitorAdaptivePolicy(),
    MonitorAdaptivePolicy(.quiet),
    ContinuousTrackingPolicy(.best),
    ContinuousTrackingPolicy(.nearestTenMeters),
    ContinuousTrackingPolicy(.hundredMeters),
    ContinuousTrackingPolicy(.kilometer),
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
    KlaviyoPolicy(),
    GeoMonitorPolicy(),
    HomeAssistantPolicy(),
    VisitsPolicy(.ifttt),
  ]

  public static var names: [String] { all.map(\.name) }

  /// The policy with a name; nil where there is none.
  public static func named(_ name: String) -> (any MonitoringPolicy)? { all.first { $0.name == name } }

  /// The policy of a label: a name, and the parameters that differ from its defaults, as in
  /// `fixed-interval:interval=60:accuracy=kilometer`.
  ///
  /// - Parameters:
  ///   - label: As ``MonitoringPolicy/label``.
  ///   - known: The policies to choose from.
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

/// What is wrong with a policy's name or parameters.
public enum PolicyError: Error, Hashable, Sendable {
  case unknownPolicy(String, known: [String])
  case unknownParameter(String, policy: String, known: [String])
  /// A value that the parameter cannot have, and the allowed values in words.
  case invalidValue(String, parameter: String, policy: String, allowed: String)
  /// A part of a label that is not `parameter=value`.
  case malformed(String, policy: String)
  /// A parameter that a label sets twice.
  case repeatedParameter(String, policy: String)
  /// Options that no monitor is opened with, and what is wrong with them.
  case invalidOptions(String, policy: String)
}

extension PolicyError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownPolicy(let name, let known):
      return
        "no policy \(name.isEmpty ? name.debugDescription : name); there are \(known.joined(separator: ", "))"
    case .unknownParameter(let name, let policy, let known):
      let has = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      return "\(policy): no parameter \(name); \(has)"
    case .invalidValue(let value, let parameter, let policy, let allowed):
      return "\(policy): \(parameter) cannot be \(value); it can be \(allowed)"
    case .malformed(let part, let policy):
      return "\(policy): \(part.debugDescription) is not parameter=value"
    case .repeatedParameter(let parameter, let policy): return "\(policy): \(parameter) is set twice"
    case .invalidOptions(let reason, let policy): return "\(policy): \(reason)"
    }
  }
}
