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

  /// The conditions of a device's app.
  public init(of scenario: Scenario) {
    rules = scenario.rules.name
    authorization = scenario.capabilities.authorization
    limits = scenario.capabilities.limitWords(by: scenario.rules)
  }

  /// What it takes to ship a policy as it was judged: with the permission that its users had given.
  func needs(of policy: any MonitoringPolicy) -> String {
    switch authorization {
    case .always: policy.needs + "; permission always"
    case .whenInUse: policy.needs + "; permission while using the app"
    default: policy.needs
    }
  }
}
