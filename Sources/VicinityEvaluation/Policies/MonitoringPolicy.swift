public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// How an app monitors many regions: what it starts, when, and what it then reports.
///
/// A policy makes the app that follows it on a simulated phone. The app reports with
/// `StudiedPhone.report(entry:region:at:)`, and only that is what its user would notice.
///
/// Your own policy needs a name, a summary and an app: <doc:PolicyCatalogue> has an example of twenty lines.
/// If its parameters can be set by text, from a command line or by a search, make it an ``AdjustablePolicy``.
public protocol MonitoringPolicy: Sendable {
  /// Short, for command lines and tables: `always-best`.
  var name: String { get }
  /// What it does, in a sentence.
  var summary: String { get }
  /// Where the recipe comes from; empty by default.
  var source: String { get }
  /// The parameters and their present values; none by default.
  var parameters: [PolicyParameter] { get }
  /// What the app's user sees of it: by default no blue bar.
  var presence: Presence { get }
  /// What it takes to ship the policy with this library, besides the user's permission, in a few words.
  var needs: String { get }
  /// The policy with another value of a parameter.
  func setting(_ parameter: String, to value: String) throws(PolicyError) -> Self
  /// Throws for the first parameter that is out of its range. Parameters that are set by text never are.
  func check() throws(PolicyError)
  /// Makes the app for one process; the system may start several in a run.
  func makeApp(watching regions: RegionIndex) -> any PhoneApp
}

extension MonitoringPolicy {
  public var source: String { "" }
  public var needs: String {
    "an app of your own: this models another system or a guide" + presence.needs
  }
  public var presence: Presence { .quiet }
  public var parameters: [PolicyParameter] { [] }

  public func setting(_ parameter: String, to value: String) throws(PolicyError) -> Self {
    throw .unknownParameter(parameter, policy: name, known: parameters.map(\.name))
  }

  public func check() throws(PolicyError) {}

  /// The name, and the parameters that differ from the defaults of this library's policy of that name, or all
  /// parameters where there is none: `fixed-interval:interval=60`. ``Policies/parse(_:among:)`` reads it.
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

public struct PolicyParameter: Hashable, Sendable {
  /// The name in labels.
  public var name: String
  /// The present value, as text.
  public var value: String
  /// The unit: `s`, `m`, `m/s`; empty for names and plain numbers.
  public var unit: String
  /// What it does.
  public var meaning: String
  /// The allowed values, in words.
  public var allowed: String
  /// The values that a search tries, including the default.
  public var choices: [String]

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

/// What ``MonitoringPolicy/needs`` says of the background mode `location`.
enum LocationModeWords {
  static let needed = "background mode location"
  static let none = "no background mode"

  static func words(_ isNeeded: Bool) -> String { isNeeded ? needed : none }
}

extension Presence {
  /// What is to be added to ``MonitoringPolicy/needs``.
  var needs: String { self == .indicator ? "; its user sees a blue bar" : "" }
}
