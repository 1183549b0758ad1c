/// How a policy decides from positions which regions the phone entered and left: the parameter `decision`.
public enum DecisionRule: String, CaseIterable, Hashable, Sendable {
  /// By the share of a position's accuracy disc that lies in a region (`CrossingRule.overlap(enter:exit:)`):
  /// each position decides by itself, and coarse ones decide little instead of wrongly.
  case own
  /// As the library's `Monitor` does: what lies beyond a boundary by its accuracy decides, of nearer
  /// positions two in a row; at rest their mean; what has been decided is taken back only by a proof; and
  /// regions that were passed between two positions are told.
  ///
  /// With this rule policies differ from the monitor only in when they want positions.
  case monitor
}

extension PolicyAdjustment {
  /// The parameter `decision`.
  static func decision(_ path: any WritableKeyPath<Policy, DecisionRule> & Sendable) -> Self {
    .choice("decision", path, "How positions decide about regions.", tries: DecisionRule.allCases)
  }
}
