import ArgumentParser
import VicinityIndex
import VicinityMonitor

/// The options of the planner.
struct PlanArguments: ParsableArguments {
  @Option(help: help("capacity")) var capacity: String?
  @Option(help: help("reserve")) var reserve: String?
  @Flag(help: help("spare-slot")) var spareSlot = false
  @Option(help: help("strategy"), completion: .list(PlanStrategy.names)) var strategy: String?
  @Option(help: help("radius")) var radius: String?
  @Option(help: help("turn-margin")) var turnMargin: String?
  @Flag(help: help("followed")) var followed = false
  @Option(help: help("max-speed")) var maxSpeed: String?
  @Option(help: help("latency")) var latency: String?
  @Option(help: help("overshoot")) var overshoot: String?
  @Option(help: help("sentinel-error")) var sentinelError: String?
  @Option(help: help("min-radius")) var minRadius: String?
  @Option(help: help("max-radius")) var maxRadius: String?
  @Option(help: help("max-region-radius")) var maxRegionRadius: String?
  @Option(help: help("error-factor")) var errorFactor: String?
  @Option(help: help("acquisition")) var acquisition: String?
  @Option(help: help("tier"), completion: .list(Tier.allCases.map(\.rawValue))) var tier: String?
  @Option(help: help("pin")) var pin: [String] = []

  private static func help(_ name: String) -> ArgumentHelp { .of(name, PlanOptions.named) }

  func validate() throws { _ = try options() }

  /// - Throws: A `ValidationError` for a value that is refused.
  func options() throws -> PlanOptions {
    let given = [
      "capacity": capacity, "reserve": reserve, "strategy": strategy, "radius": radius,
      "turn-margin": turnMargin, "max-speed": maxSpeed, "latency": latency, "overshoot": overshoot,
      "sentinel-error": sentinelError, "min-radius": minRadius, "max-radius": maxRadius,
      "max-region-radius": maxRegionRadius, "error-factor": errorFactor, "acquisition": acquisition,
      "tier": tier, "spare-slot": spareSlot ? "yes" : nil, "followed": followed ? "yes" : nil,
    ]
    do throws(OptionFault) {
      return try PlanOptions(named: { $0 == "pin" ? pin : given[$0].flatMap { $0 }.map { [$0] } ?? [] })
    } catch { throw error.usage }
  }
}
