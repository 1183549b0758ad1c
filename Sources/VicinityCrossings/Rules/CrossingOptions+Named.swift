package import VicinityIndex

extension CrossingOptions {
  /// The options that say how crossings are decided. What belongs to a rule comes after it.
  package static let named: [NamedOption<CrossingOptions>] = [
    NamedOption(
      "rule", "rule", "one of \(CrossingRule.names.joined(separator: ", "))",
      help: """
        The crossing rule: geometric (the default: exact, on the path between fixes), core-location (beyond a \
        cushion distance for some time), naive (inside or outside at each fix), exit-margin, overlap (of the \
        accuracy disc). All but geometric decide at fixes only.
        """
    ) { text, options in
      guard let rule = CrossingRule(name: text) else { return false }
      options.rule = rule
      return true
    },
    NamedOption(
      "cushion", "metres", "a number of 0 or more",
      help: "core-location: how far beyond the boundary a device must be, metres (default: 200)."
    ) { text, options throws(OptionFault) in
      var parameters = try options.coreLocation("cushion")
      guard let value = Double(text), value >= 0, value < .infinity else { return false }
      parameters.cushion = value
      options.rule = .coreLocation(parameters)
      return true
    },
    .seconds("remain", help: "core-location: how long it must remain there, seconds (default: 20).") {
      value, options throws(OptionFault) in
      var parameters = try options.coreLocation("remain")
      parameters.timeToRemain = value
      options.rule = .coreLocation(parameters)
      return true
    },
    .seconds("max-gap", help: "Gaps between fixes longer than this split a track, seconds (default: 300).") {
      $1.maximumGap = $0
      return true
    },
    NamedOption(
      "dwell", "seconds", "a number of seconds above 0, at most 3.2e10",
      help:
        "Also report a dwell event when a device has been inside a region for this long, seconds."
    ) { text, options in
      guard let value = Double(text), value > 0, value <= OptionFault.longestSeconds else { return false }
      options.dwell = .seconds(value)
      return true
    },
  ]

  private func coreLocation(_ option: String) throws(OptionFault) -> CoreLocationParameters {
    guard case .coreLocation(let parameters) = rule else {
      throw .needs(option: option, other: "rule", value: CrossingRule.coreLocation().name)
    }
    return parameters
  }
}
