internal import VicinityGeodesy
internal import VicinityMonitor

extension DeviceProfile {
  /// Checks the range and source of every figure, and the lengths of all lists and texts.
  ///
  /// Figures must be finite and not negative, with `low <= value <= high`; batteries must hold energy,
  /// intervals must take time, shares and correlations must lie in 0...1, and sources must be known. The era
  /// must be one of the platform: a computer's for a computer, a phone's for a phone. `DesiredAccuracy.best`
  /// and `DesiredAccuracy.hundredMeters` are required. A valid profile can be simulated without endless work
  /// or overflow.
  ///
  /// - Throws: The first error, in the order of the properties, with its path.
  /// - Complexity: O(figures)
  public func check() throws(DeviceProfileError) {
    let check = ProfileCheck(sources: Set(sources.keys))
    try check.name(name, "name")
    try check.length(title.utf8.count, 1...1000, "title")
    if let era, (era == .macOS) != (platform == .macos) {
      throw .unreadable(
        path: "era", reason: "\(era.rawValue) is no system of the platform \(platform.rawValue)")
    }
    try check.length(notes.count, 0...100, "notes")
    for (index, note) in notes.enumerated() {
      try check.length(note.utf8.count, 0...10_000, "notes[\(index)]")
    }
    try check.length(sources.count, 0...1000, "sources")
    for (key, text) in sources.sorted(by: { $0.key < $1.key }) {
      try check.length(text.utf8.count, 1...10_000, "sources.\(key)")
    }
    try check.figure(battery, ProfileCheck.wattHours, "battery", in: " watt-hours: mAh times volts over 1000")
    try check.figure(idle, ProfileCheck.power, "idle")
    try check.figure(screen, ProfileCheck.power, "screen")
    try check.figure(awake, ProfileCheck.power, "awake")
    try check.figure(awakeTail, ProfileCheck.time, "awakeTail")
    try check.figure(work, ProfileCheck.power, "work")
    for accuracy in [DesiredAccuracy.best, .hundredMeters] where tiers[accuracy] == nil {
      throw .missingTier(accuracy)
    }
    for accuracy in DesiredAccuracy.allCases {
      guard let tier = tiers[accuracy] else { continue }
      try tier.check(check, "tiers.\(accuracy.rawValue)")
    }
    try firstFix.check(check)
    try regions.check(check)
    try significantChange.check(check)
    try beacons.check(check)
    try heading.check(check)
    if let days {
      try check.figure(days.errors, ProfileCheck.deviation, "days.errors")
      try check.figure(days.power, ProfileCheck.deviation, "days.power")
      try check.figure(days.regionTimes, ProfileCheck.deviation, "days.regionTimes")
    }
  }
}

/// The ranges of figures.
struct ProfileCheck {
  /// Milliwatts: no phone draws a kilowatt.
  static let power = 0...1e6
  static let energy = 0...1e9
  /// A watch's battery has half a watt-hour, a laptop's a hundred. Milliampere-hours are beyond.
  static let wattHours = 0.1...200
  /// Seconds: up to three years.
  static let time = 0...1e8
  /// Seconds between repeated events: shorter intervals would cause endless work.
  static let interval = 0.01...1e8
  /// Metres: twice around the Earth.
  static let distance = 0...8e7
  /// Shares and correlations.
  static let share = 0.0...1
  /// Standard deviations of logarithms.
  static let deviation = 0.0...2
  /// Factors on all values of a distribution.
  static let factor = 0.001...1000
  /// The regions that an app may register.
  static let slots = 1.0...100_000
  static let stages = 1...10
  /// The number of quantiles of a distribution.
  static let points = 2...1000

  var sources: Set<String>

  /// - Parameter unit: What stands behind the numbers of an error.
  func figure(
    _ figure: Figure, _ range: ClosedRange<Double>, _ path: String, in unit: String = ""
  ) throws(DeviceProfileError) {
    try value(figure.value, range, path + ".value", in: unit)
    try value(figure.low, range.lowerBound...figure.value, path + ".low", in: unit)
    try value(figure.high, figure.value...range.upperBound, path + ".high", in: unit)
    try source(figure.source, path)
  }

  func value(
    _ value: Double, _ range: ClosedRange<Double>, _ path: String, in unit: String = ""
  ) throws(DeviceProfileError) {
    guard range.contains(value) else {
      let allowed = "\(range.lowerBound.shortestText) to \(range.upperBound.shortestText)\(unit)"
      throw .outOfRange(path: path, value: value, allowed: allowed)
    }
  }

  func quantiles(
    _ quantiles: Quantiles, _ range: ClosedRange<Double>, _ path: String
  ) throws(DeviceProfileError) {
    try length(quantiles.points.count, Self.points, path + ".quantiles")
    // The values of a distribution never fall, so checking all finds the first that is beyond the range.
    for (index, point) in quantiles.points.enumerated() {
      try value(point.value, range, path + ".quantiles[\(index)][1]")
    }
    if let scale = quantiles.scale {
      try value(scale.lowerBound, Self.factor.lowerBound...1, path + ".scale[0]")
      try value(scale.upperBound, 1...Self.factor.upperBound, path + ".scale[1]")
    }
    try source(quantiles.source, path)
  }

  func positions(_ model: PositionModel, _ path: String) throws(DeviceProfileError) {
    try quantiles(model.error, Self.distance, path + ".error")
    try quantiles(model.reported, Self.distance, path + ".reported")
    try figure(model.correlationTime, Self.time, path + ".correlationTime")
    try figure(model.association, Self.share, path + ".association")
    if let jitter = model.jitter { try figure(jitter, Self.share, path + ".jitter") }
    if let scatter = model.scatter {
      try quantiles(scatter.deviation, Self.distance, path + ".scatter.deviation")
      try figure(scatter.correlationTime, Self.time, path + ".scatter.correlationTime")
    }
  }

  func positions(_ model: PositionModel?, _ path: String) throws(DeviceProfileError) {
    if let model { try positions(model, path) }
  }

  func fallback(_ fallback: FallbackModel?, _ path: String) throws(DeviceProfileError) {
    guard let fallback else { return }
    try figure(fallback.share, 0...0.99, path + ".share")
    try figure(fallback.duration, 0.1...1e8, path + ".duration")
    try positions(fallback.positions, path + ".positions")
  }

  func ways(
    _ ways: [TravelMode: WayModel]?, _ path: String
  ) throws(DeviceProfileError) {
    for way in TravelMode.allCases {
      guard let model = ways?[way] else { continue }
      let own = "\(path).\(way.rawValue)"
      try positions(model.positions, own + ".positions")
      try fallback(model.fallback, own + ".fallback")
    }
  }

  func source(_ source: String, _ path: String) throws(DeviceProfileError) {
    guard sources.contains(source) else { throw .unknownSource(path: path + ".source", source: source) }
  }

  func length(_ count: Int, _ range: ClosedRange<Int>, _ path: String) throws(DeviceProfileError) {
    if count > range.upperBound { throw .tooLarge(path: path, count: count, limit: range.upperBound) }
    if count < range.lowerBound { throw .unreadable(path: path, reason: "empty") }
  }

  /// Names appear in command lines and file names: lower-case letters, digits, hyphens.
  func name(_ name: String, _ path: String) throws(DeviceProfileError) {
    try length(name.utf8.count, 1...100, path)
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    for byte in name.utf8 where !letters.contains(byte) && !digits.contains(byte) && byte != UInt8(ascii: "-")
    {
      throw .unreadable(path: path, reason: "not of lower-case letters, digits and hyphens")
    }
  }
}

extension TierProfile {
  fileprivate func check(_ check: ProfileCheck, _ path: String) throws(DeviceProfileError) {
    try check.positions(moving, path + ".moving")
    try check.positions(still, path + ".still")
    try check.positions(indoors, path + ".indoors")
    if let settling {
      let own = path + ".settling"
      try check.length(settling.stages.count, ProfileCheck.stages, own + ".stages")
      for (index, stage) in settling.stages.enumerated() {
        try check.figure(stage.until, ProfileCheck.time, own + ".stages[\(index)].until")
        try check.positions(stage.positions, own + ".stages[\(index)].positions")
      }
      try check.quantiles(settling.interval, ProfileCheck.interval, own + ".interval")
    }
    try check.fallback(fallback, path + ".fallback")
    try check.ways(ways, path + ".ways")
    try check.quantiles(interval, ProfileCheck.interval, path + ".interval")
    try check.quantiles(delay, ProfileCheck.time, path + ".delay")
    try check.figure(strayFixes, 0...3600, path + ".strayFixes")
    if let strayGaps { try check.quantiles(strayGaps, 0...1e6, path + ".strayGaps") }
    try check.figure(gnss, ProfileCheck.power, path + ".gnss")
    try check.figure(wifi, ProfileCheck.power, path + ".wifi")
    try check.figure(cell, ProfileCheck.power, path + ".cell")
    try check.figure(processor, ProfileCheck.power, path + ".processor")
    try check.figure(motion, ProfileCheck.power, path + ".motion")
    try check.figure(fix, ProfileCheck.energy, path + ".fix")
  }
}

extension FirstFixProfile {
  fileprivate func check(_ check: ProfileCheck) throws(DeviceProfileError) {
    try check.quantiles(hot, ProfileCheck.time, "firstFix.hot")
    try check.quantiles(warm, ProfileCheck.time, "firstFix.warm")
    try check.quantiles(cold, ProfileCheck.time, "firstFix.cold")
    try check.figure(hotFor, ProfileCheck.time, "firstFix.hotFor")
    try check.figure(warmFor, ProfileCheck.time, "firstFix.warmFor")
  }
}

extension RegionMonitoringProfile {
  fileprivate func check(_ check: ProfileCheck) throws(DeviceProfileError) {
    try check.value(Double(slots), ProfileCheck.slots, "regions.slots")
    try check.figure(maximumRadius, 1...8e7, "regions.maximumRadius")
    try check.figure(cushion, ProfileCheck.distance, "regions.cushion")
    try check.figure(inwardShare, ProfileCheck.share, "regions.inwardShare")
    try check.figure(timeToRemain, ProfileCheck.time, "regions.timeToRemain")
    try check.quantiles(wakeDelay, ProfileCheck.time, "regions.wakeDelay")
    try check.quantiles(interval, ProfileCheck.interval, "regions.interval")
    try check.quantiles(restInterval, ProfileCheck.interval, "regions.restInterval")
    try check.positions(positions, "regions.positions")
    try check.ways(ways, "regions.ways")
    try check.quantiles(delivery, ProfileCheck.time, "regions.delivery")
    try check.figure(look, ProfileCheck.energy, "regions.look")
    try check.figure(watching, ProfileCheck.power, "regions.watching")
  }
}

extension SignificantChangeProfile {
  fileprivate func check(_ check: ProfileCheck) throws(DeviceProfileError) {
    try check.figure(distance, ProfileCheck.distance, "significantChange.distance")
    try check.figure(interval, ProfileCheck.interval, "significantChange.interval")
    try check.quantiles(cellChange, 1...8e7, "significantChange.cellChange")
    try check.positions(positions, "significantChange.positions")
    try check.figure(report, ProfileCheck.energy, "significantChange.report")
    try check.figure(listening, ProfileCheck.power, "significantChange.listening")
    try check.quantiles(arrival, ProfileCheck.time, "significantChange.arrival")
    try check.quantiles(departure, ProfileCheck.time, "significantChange.departure")
  }
}

extension BeaconProfile {
  fileprivate func check(_ check: ProfileCheck) throws(DeviceProfileError) {
    try check.figure(scanInterval, ProfileCheck.interval, "beacons.scanInterval")
    try check.figure(scan, ProfileCheck.energy, "beacons.scan")
    try check.figure(ranging, ProfileCheck.power, "beacons.ranging")
    try check.figure(advertising, ProfileCheck.power, "beacons.advertising")
    try check.figure(noise, 0...1000, "beacons.noise")
    try check.figure(exitAfter, ProfileCheck.time, "beacons.exitAfter")
  }
}

extension HeadingProfile {
  fileprivate func check(_ check: ProfileCheck) throws(DeviceProfileError) {
    try check.figure(error, 0...180, "heading.error")
    try check.figure(correlationTime, ProfileCheck.time, "heading.correlationTime")
    try check.figure(rate, 0.01...1000, "heading.rate")
    try check.figure(power, ProfileCheck.power, "heading.power")
  }
}
