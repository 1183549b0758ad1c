public import VicinityMonitor
public import VicinitySimulation

/// What the system and the user allow the app of a study.
public struct StudyConditions: Hashable, Sendable {
  /// The name of the system's rules for apps in the background: `BackgroundRules/name`.
  public var rules: String
  /// What the user allows from the first moment on.
  public var authorization: AppCapabilities.Authorization
  /// What the app cannot do for want of a permission or a setting, in words; nil for nothing.
  public var limits: String?
  /// Whether the app has the background mode `location`, without which nothing of it is shown behind.
  public var hasLocationMode = true

  /// The conditions of a device's app.
  public init(of scenario: Scenario) {
    rules = scenario.rules.name
    authorization = scenario.capabilities.authorization
    limits = scenario.capabilities.limitWords(by: scenario.rules)
    hasLocationMode = scenario.capabilities.hasLocationMode
  }

  /// What it takes to ship a policy as it was judged: with the permission that its users had given, and
  /// without the background mode and its bar where the app had none.
  func needs(of policy: any MonitoringPolicy) -> String {
    var needs = policy.needs
    if !hasLocationMode {
      needs = needs.replacing(Presence.indicator.needs, with: "")
      needs = needs.replacing(LocationModeWords.needed, with: LocationModeWords.none)
    }
    return switch authorization {
    case .always: needs + "; permission always"
    case .whenInUse: needs + "; permission while using the app"
    default: needs
    }
  }
}
