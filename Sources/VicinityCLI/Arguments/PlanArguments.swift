import ArgumentParser
import VicinityIndex
import VicinityMonitor

/// The options of the planner.
struct PlanArguments: ParsableArguments {
  @Option(help: .value("n", "How many regions the device can watch."))
  var capacity = PlanOptions().capacity

  @Option(
    help: .value("n", "How many of these slots are taken by the app's own regions or by beacons."))
  var reserve = 0

  @Flag(
    help: """
      Keep one slot spare, so that the new sentinel is registered before the old one is removed; otherwise \
      removals come first.
      """)
  var spareSlot = false

  @Option(
    help: .value(
      "strategy",
      """
      How registrations are chosen: boundary, or boundary-ahead (the safe disc placed ahead of a moving \
      device). Common alternatives without a certificate, for comparison: nearest-by-centre, \
      significant-change, constant-radius, visits.
      """),
    transform: { name in
      guard PlanStrategy(name: name) != nil else {
        throw ValidationError(
          "--strategy must be one of \(PlanStrategy.names.joined(separator: ", ")); found \"\(name)\"")
      }
      return name
    })
  var strategy = PlanStrategy.boundary.name

  @Option(help: .value("metres", "constant-radius: the radius, metres (default: 1000)."))
  var radius: Double?

  @Option(
    help: .value(
      "share",
      "boundary-ahead: how far the disc extends behind the device, as a fraction of a disc centred on it."))
  var turnMargin: Double?

  @Flag(
    help: """
      Plan for an app that tracks the position continuously: latency, overshoot, sentinel error, minimum \
      radius and acquisition time are 0 unless given.
      """)
  var followed = false

  @Option(help: .value("m/s", "The highest speed of a device, m/s (default: 40)."))
  var maxSpeed: Double?

  @Option(
    help: .value("seconds", "Time from leaving the sentinel to the next plan, seconds (default: 20)."))
  var latency: Double?

  @Option(
    help: .value(
      "metres", "How far beyond the sentinel's boundary an exit may be noticed, metres (default: 200)."))
  var overshoot: Double?

  @Option(
    help: .value("metres", "Position error to allow for at the sentinel's edge, metres (default: 100)."))
  var sentinelError: Double?

  @Option(
    help: .value("metres", "The smallest radius at which a sentinel is reliable, metres (default: 100)."))
  var minRadius: Double?

  @Option(
    help: .value("metres", "The largest radius a sentinel may have, metres (default: any).")
  )
  var maxRadius: Double?

  @Option(
    help: .value("metres", "Regions larger than this are never registered, metres (default: any)."))
  var maxRegionRadius: Double?

  @Option(
    help: .value(
      "factor", "A fix's error is taken to be at most its accuracy times this factor (default: 3)."))
  var errorFactor: Double?

  @Option(
    help: .value("seconds", "Time until a requested fix arrives, seconds (default: 10)."))
  var acquisition: Double?

  @Option(
    help: .value(
      "tier",
      "How exact the nearest regions have to be, by name or in metres. A coarser tier makes the safe disc smaller."
    ))
  var tier = TierArgument(.best)

  @Option(
    help: .value("id", "A region that always holds a slot, by identifier; may be repeated."))
  var pin: [String] = []

  func validate() throws {
    if radius != nil, strategy != PlanStrategy.constantRadius(1).name {
      throw ValidationError("--radius needs --strategy constant-radius")
    }
    if turnMargin != nil, strategy != PlanStrategy.boundaryAhead().name {
      throw ValidationError("--turn-margin needs --strategy boundary-ahead")
    }
    let longest = EventsCommand.longestSeconds
    for (name, seconds) in [("--latency", latency), ("--acquisition", acquisition)] {
      guard let seconds, !(seconds >= 0 && seconds <= longest) else { continue }
      throw ValidationError("\(name) must be 0 or more seconds; found \(seconds)")
    }
    do {
      _ = try planOptions.validated()
    } catch .outOfRange(let name, let value) {
      throw ValidationError("--\(Self.option(name)) cannot be \(value)")
    }
  }

  /// The option that sets a parameter of the library's.
  private static func option(_ parameter: String) -> String {
    switch parameter {
    case "reserved": "reserve"
    case "maximumSpeed": "max-speed"
    case "sentinelError": "sentinel-error"
    case "minimumReliableRadius": "min-radius"
    case "maximumRadius": "max-radius"
    case "maximumRegionRadius": "max-region-radius"
    case "errorFactor": "error-factor"
    case "acquisitionTime": "acquisition"
    case "tolerance": "tier"
    case "turnMargin": "turn-margin"
    default: parameter
    }
  }

  var planOptions: PlanOptions {
    var options = followed ? PlanOptions.followed : PlanOptions()
    options.capacity = capacity
    options.reserved = reserve
    if spareSlot { options.swapPolicy = .spareSlot }
    options.strategy = planStrategy
    if let maxSpeed { options.maximumSpeed = maxSpeed }
    if let latency { options.latency = .seconds(latency) }
    if let overshoot { options.overshoot = overshoot }
    if let sentinelError { options.sentinelError = sentinelError }
    if let minRadius { options.minimumReliableRadius = minRadius }
    if let maxRadius { options.maximumRadius = maxRadius }
    if let maxRegionRadius { options.maximumRegionRadius = maxRegionRadius }
    if let errorFactor { options.errorFactor = errorFactor }
    if let acquisition { options.acquisitionTime = .seconds(acquisition) }
    options.tolerance = tier.tolerance
    options.pinned = Set(pin)
    return options
  }

  private var planStrategy: PlanStrategy {
    switch PlanStrategy(name: strategy) {
    case .boundaryAhead(let margin)?: .boundaryAhead(turnMargin: turnMargin ?? margin)
    case .constantRadius(let standard)?: .constantRadius(radius ?? standard)
    case let strategy?: strategy
    case nil: .boundary
    }
  }
}
