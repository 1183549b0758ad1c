import ArgumentParser
import VicinityCrossings

/// How crossings are decided.
struct RuleArguments: ParsableArguments {
  @Option(
    help: .value(
      "rule",
      """
      The crossing rule: geometric (exact, on the path between fixes), core-location (beyond a cushion \
      distance for some time), naive (inside or outside at each fix), exit-margin, overlap (of the accuracy \
      disc). All but geometric decide at fixes only.
      """),
    transform: { name in
      guard CrossingRule(name: name) != nil else {
        throw ValidationError(
          "--rule must be one of \(CrossingRule.names.joined(separator: ", ")); found \"\(name)\"")
      }
      return name
    })
  var rule = CrossingRule.geometric.name

  @Option(
    help: .value(
      "metres", "core-location: how far beyond the boundary a device must be, metres (default: 200)."))
  var cushion: Double?

  @Option(
    help: .value("seconds", "core-location: how long it must remain there, seconds (default: 20)."))
  var remain: Double?

  func validate() throws {
    let isCoreLocation = rule == CrossingRule.coreLocation().name
    if let cushion {
      guard isCoreLocation else { throw ValidationError("--cushion needs --rule core-location") }
      guard cushion >= 0, cushion < .infinity else {
        throw ValidationError("--cushion must be 0 or more metres; found \(cushion)")
      }
    }
    if let remain {
      guard isCoreLocation else { throw ValidationError("--remain needs --rule core-location") }
      guard remain >= 0, remain <= EventsCommand.longestSeconds else {
        throw ValidationError("--remain must be 0 or more seconds; found \(remain)")
      }
    }
  }

  var crossingRule: CrossingRule {
    guard let rule = CrossingRule(name: rule) else { return .geometric }
    guard case .coreLocation(var parameters) = rule else { return rule }
    if let cushion { parameters.cushion = cushion }
    if let remain { parameters.timeToRemain = .seconds(remain) }
    return .coreLocation(parameters)
  }
}
