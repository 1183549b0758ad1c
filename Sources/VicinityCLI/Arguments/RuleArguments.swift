import ArgumentParser
import VicinityCrossings
import VicinityIndex

/// How crossings are decided.
struct RuleArguments: ParsableArguments {
  @Option(help: help("rule"), completion: .list(CrossingRule.names)) var rule: String?
  @Option(help: help("cushion")) var cushion: String?
  @Option(help: help("remain")) var remain: String?
  @Option(help: help("max-gap")) var maxGap: String?
  @Option(help: help("dwell")) var dwell: String?

  private static func help(_ name: String) -> ArgumentHelp { .of(name, CrossingOptions.named) }

  func validate() throws { _ = try options() }

  /// - Throws: A `ValidationError` for a value that is refused.
  func options() throws -> CrossingOptions {
    try CrossingOptions.named.of(
      CrossingOptions(),
      ["rule": rule, "cushion": cushion, "remain": remain, "max-gap": maxGap, "dwell": dwell])
  }
}
