public import VicinityIndex
public import VicinitySimulation

/// A way for an app to watch many regions: what it starts, when, and what it then reports.
///
/// A policy is a recipe; what follows it on a phone is the app that it makes. An app reports with
/// `SimulatedPhone.report(entry:region:at:)`, and that alone is what its user would notice.
///
/// A policy of one's own needs a name, a summary and an app: <doc:PolicyCatalogue> has one of twenty lines. One with parameters that
/// can be set by text, from a command line or by a search, is an ``AdjustablePolicy``.
public protocol MonitoringPolicy: Sendable {
  /// Short, for command lines and tables: `always-best`.
  var name: String { get }
  /// What it does, in a sentence.
  var summary: String { get }
  /// Where the recipe is from; empty, by default.
  var source: String { get }
  /// What can be set, as it is set now; nothing, by default.
  var parameters: [PolicyParameter] { get }
  /// The policy with another value of a parameter.
  func setting(_ parameter: String, to value: String) throws(PolicyError) -> Self
  /// Whether its parameters are in their ranges, which those that are set by text always are; throws for the first that is not.
  func check() throws(PolicyError)
  /// Makes an app's process; the system may start it many times in a run.
  func makeApp(watching regions: RegionIndex) -> any PhoneApp
}

extension MonitoringPolicy {
  public var source: String { "" }
  public var parameters: [PolicyParameter] { [] }

  public func setting(_ parameter: String, to value: String) throws(PolicyError) -> Self {
    throw .unknownParameter(parameter, policy: name, known: parameters.map(\.name))
  }

  public func check() throws(PolicyError) {}

  /// The name and the parameters that differ from the defaults of the policy of that name that comes with this library, or
  /// all where there is none: `fixed-interval:interval=60`. What ``Policies/parse(_:among:)`` reads.
  public var label: String {
    let defaults = Policies.named(name)?.parameters ?? []
    var label = name
    for parameter in parameters {
      let isDefault = defaults.contains { $0.name == parameter.name && $0.value == parameter.value }
      if !isDefault { label += ":\(parameter.name)=\(parameter.value)" }
    }
    return label
  }
}

/// Something about a policy that can be set.
public struct PolicyParameter: Hashable, Sendable {
  /// What it is called in labels.
  public var name: String
  /// What it is set to, as one would write it.
  public var value: String
  /// What it is counted in: `s`, `m`, `m/s`; empty for names and plain numbers.
  public var unit: String
  /// What it does.
  public var meaning: String
  /// What may be written, in words.
  public var allowed: String
  /// The values that a search tries, the default among them.
  public var choices: [String]

  /// A parameter.
  public init(
    name: String, value: String, unit: String = "", meaning: String, allowed: String = "",
    choices: [String] = []
  ) {
    self.name = name
    self.value = value
    self.unit = unit
    self.meaning = meaning
    self.allowed = allowed
    self.choices = choices
  }
}
