import ArgumentParser
import VicinityMonitor

/// What plans have to work with.
struct PlanArguments: ParsableArguments {
  @Option(help: ArgumentHelp("How many regions the device can watch.", valueName: "n"))
  var capacity = PlanOptions().capacity

  @Option(
    help: ArgumentHelp("How many of these slots are the app's own, or beacons'.", valueName: "n"))
  var reserve = 0

  @Flag(
    help: """
      Keep one slot spare for swaps, so that the new sentinel stands before the old one goes; otherwise removals go first.
      """)
  var spareSlot = false

  @Option(
    help: ArgumentHelp(
      """
      How registrations are chosen: boundary, or boundary-ahead (the disc placed ahead of a moving device); without a \
      certificate, to compare against: nearest-by-centre, significant-change, constant-radius, visits.
      """, valueName: "strategy"),
    transform: { name in
      guard PlanStrategy(name: name) != nil else {
        throw ValidationError(
          "--strategy must be one of \(PlanStrategy.names.joined(separator: ", ")); found \"\(name)\"")
      }
      return name
    })
  var strategy = PlanStrategy.boundary.name

  @Option(help: ArgumentHelp("constant-radius: the radius, metres (default: 1000).", valueName: "metres"))
  var radius: Double?

  @Option(
    help: ArgumentHelp(
      "boundary-ahead: how far behind the device the disc reaches, as a share of one around it.",
      valueName: "share"))
  var turnMargin: Double?

  @Flag(
    help: """
      For a position that software follows fix by fix: no latency, overshoot, sentinel error, minimum radius or \
      acquisition time unless given.
      """)
  var followed = false

  @Option(help: ArgumentHelp("The greatest speed, m/s (default: 40).", valueName: "m/s"))
  var maxSpeed: Double?

  @Option(
    help: ArgumentHelp(
      "From crossing the sentinel's border to the next plan, seconds (default: 20).", valueName: "seconds"))
  var latency: Double?

  @Option(
    help: ArgumentHelp(
      "How far beyond a border an exit is noticed, metres (default: 200).", valueName: "metres"))
  var overshoot: Double?

  @Option(
    help: ArgumentHelp(
      "How far the system may be wrong about the sentinel, metres (default: 100).", valueName: "metres"))
  var sentinelError: Double?

  @Option(
    help: ArgumentHelp("The least radius a sentinel works with, metres (default: 100).", valueName: "metres"))
  var minRadius: Double?

  @Option(
    help: ArgumentHelp("The greatest radius a sentinel may have, metres (default: any).", valueName: "metres")
  )
  var maxRadius: Double?

  @Option(
    help: ArgumentHelp(
      "Regions larger than this are never registered, metres (default: any).", valueName: "metres"))
  var maxRegionRadius: Double?

  @Option(
    help: ArgumentHelp(
      "What a fix's accuracy is multiplied by to bound its error (default: 3).", valueName: "factor"))
  var errorFactor: Double?

  @Option(
    help: ArgumentHelp(
      "How long a fix that is asked for takes to come, seconds (default: 10).", valueName: "seconds"))
  var acquisition: Double?

  @Option(
    help: ArgumentHelp("A region that always holds a slot, by identifier; may be repeated.", valueName: "id"))
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
    case "turnMargin": "turn-margin"
    default: parameter
    }
  }

  /// The planner's options.
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
