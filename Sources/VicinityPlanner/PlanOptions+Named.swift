package import VicinityIndex

extension PlanOptions {
  /// The options of plans. What changes others' defaults comes first, and what belongs to a strategy after
  /// that.
  package static let named: [NamedOption<PlanOptions>] = [
    .flag(
      "followed",
      help: """
        Plan for an app that tracks the position continuously: latency, overshoot, sentinel error, minimum \
        radius and acquisition time are 0 unless given.
        """
    ) { $0 = .followed },
    .whole(
      "capacity", "n", \.capacity, in: 0...largestCapacity,
      help: "How many regions the device can watch (default: 20)."),
    .whole(
      "reserve", "n", \.reserved, in: 0...largestCapacity,
      help:
        "How many of these slots are taken by the app's own regions or by beacons, at most the capacity (default: 0)."
    ),
    .flag(
      "spare-slot",
      help: """
        Keep one slot spare, so that the new sentinel is registered before the old one is removed; otherwise \
        removals come first.
        """
    ) { $0.swapPolicy = .spareSlot },
    NamedOption(
      "strategy", "strategy", "one of \(PlanStrategy.names.joined(separator: ", "))",
      help: """
        How registrations are chosen: boundary (the default), or boundary-ahead (the safe disc placed ahead \
        of a moving device). Common alternatives without a certificate, for comparison: nearest-by-centre, \
        significant-change, constant-radius, visits.
        """
    ) { text, options in
      guard let strategy = PlanStrategy(name: text) else { return false }
      options.strategy = strategy
      return true
    },
    NamedOption(
      "radius", "metres", "a number above 0",
      help: "constant-radius: the radius, metres (default: 1000)."
    ) { text, options throws(OptionFault) in
      guard case .constantRadius = options.strategy else {
        throw .needs(option: "radius", other: "strategy", value: PlanStrategy.constantRadius(1).name)
      }
      guard let radius = Double(text), radius > 0, radius < .infinity else { return false }
      options.strategy = .constantRadius(radius)
      return true
    },
    NamedOption(
      "turn-margin", "share", "a number above 0, at most 1",
      help: """
        boundary-ahead: how far the disc extends behind the device, as a fraction of a disc centred on it \
        (default: 0.1).
        """
    ) { text, options throws(OptionFault) in
      guard case .boundaryAhead = options.strategy else {
        throw .needs(option: "turn-margin", other: "strategy", value: PlanStrategy.boundaryAhead().name)
      }
      guard let margin = Double(text), margin > 0, margin <= 1 else { return false }
      options.strategy = .boundaryAhead(turnMargin: margin)
      return true
    },
    .number(
      "max-speed", "m/s", \.maximumSpeed, in: .leastNonzeroMagnitude...(.greatestFiniteMagnitude),
      "a number above 0", help: "The highest speed of a device, m/s (default: 40)."),
    .seconds("latency", help: "Time from leaving the sentinel to the next plan, seconds (default: 20).") {
      $1.latency = $0
      return true
    },
    .number(
      "overshoot", "metres", \.overshoot,
      help: "How far beyond the sentinel's boundary an exit may be noticed, metres (default: 200)."),
    .number(
      "sentinel-error", "metres", \.sentinelError,
      help: "Position error to allow for at the sentinel's edge, metres (default: 100)."),
    .number(
      "min-radius", "metres", \.minimumReliableRadius,
      help: "The smallest radius at which a sentinel is reliable, metres (default: 100)."),
    .number(
      "max-radius", "metres", \.maximumRadius,
      in: .leastNonzeroMagnitude...(.infinity), "a number above 0",
      help: "The largest radius a sentinel may have, metres (default: any)."),
    .number(
      "max-region-radius", "metres", \.maximumRegionRadius, in: 0...(.infinity),
      help: "Regions larger than this are never registered, metres (default: any)."),
    .number(
      "error-factor", "factor", \.errorFactor,
      help: "A fix's error is taken to be at most its accuracy times this factor (default: 3)."),
    .seconds("acquisition", help: "Time until a requested fix arrives, seconds (default: 10).") {
      $1.acquisitionTime = $0
      return true
    },
    .tier(
      \.tolerance,
      help: """
        How exact the nearest regions have to be: \(Tier.expected) (default: best). A coarser tier makes the \
        safe disc smaller.
        """),
    NamedOption(
      "pin", "id", "an identifier",
      help: """
        A region that always holds a slot, by identifier; may be repeated. For boundary and boundary-ahead \
        only. A region larger than the largest that is registered never gets a slot, and a warning says so.
        """
    ) { text, options throws(OptionFault) in
      guard options.strategy.isCertified else {
        throw .needs(
          option: "pin", other: "strategy",
          value: "\(PlanStrategy.boundary.name) or \(PlanStrategy.boundaryAhead().name)")
      }
      options.pin(text)
      return true
    },
  ]

  /// The options that a door was given.
  ///
  /// - Parameter values: The values given for an option, by its name.
  /// - Throws: ``OptionFault`` for the first that is refused.
  package init(named values: (String) -> [String]) throws(OptionFault) {
    var options = PlanOptions()
    try Self.named.apply(to: &options, values)
    guard options.maximumRadius >= options.minimumReliableRadius else {
      throw .value(
        option: "max-radius", expected: "no less than min-radius", found: "\(options.maximumRadius)")
    }
    guard options.reserved <= options.capacity else {
      throw .value(
        option: "reserve", expected: "no more than capacity, \(options.capacity)",
        found: "\(options.reserved)")
    }
    self = options
  }
}
