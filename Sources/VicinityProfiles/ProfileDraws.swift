internal import CMath
internal import VicinityGeodesy
internal import VicinityMonitor

/// Phones that a profile may describe: its figures have ranges, and each draw takes one number from each
/// range.
///
/// A range holds 95 % of the plausible numbers, so its ends are 1.96 standard deviations from the figure, on
/// either side on a scale of its own; no number is beyond them.
extension Figure {
  /// The score of the ends of the range, standard deviations.
  private static let endScore = 1.96

  /// The number at a normal score: the figure at 0, the ends of its range at ±1.96 and beyond. In between the
  /// number is geometric between the figure and the end, or linear where one of them is zero.
  package func value(atScore score: Double) -> Double {
    let share = min(1, abs(score) / Self.endScore)
    let end = score < 0 ? low : high
    guard value > 0, end > 0 else { return value + (end - value) * share }
    // Rounding may not leave the range.
    return min(high, max(low, value * exp(log(end / value) * share)))
  }
}

extension DeviceProfile {
  /// The factors on the energy of each ``EnergySource``, by its place, of one draw: a number from the range
  /// of each figure divided by the figure, and all of them by the battery's, since results are shares of the
  /// battery.
  ///
  /// The figures of a tier have one score, each on its own range: what divides a measured power among
  /// components is too high or too low for all of them. A figure that is zero draws no energy, so its range
  /// counts for nothing. A radio that is on for two services draws the greater of their powers: the interval
  /// is of the power that was greater in the run, also where a draw would make it the lesser one.
  ///
  /// - Parameter seed: Names the draw. A source has the same number whatever others there are.
  package func energyFactors(seed: UInt64) -> [Double] {
    func factor(_ figure: Figure, _ score: Double) -> Double {
      figure.value > 0 ? figure.value(atScore: score) / figure.value : 1
    }
    let battery = max(factor(battery, Self.score(seed, "battery")), .leastNormalMagnitude)
    var factors = [Double](repeating: 1 / battery, count: EnergySource.allCases.count)
    for (source, name, figure) in Self.energies {
      factors[source.rawValue] *= factor(self[keyPath: figure], Self.score(seed, name))
    }
    for accuracy in DesiredAccuracy.allCases {
      guard let tier = tier(accuracy) else { continue }
      let score = Self.score(seed, accuracy.rawValue)
      for figure in TierFigure.allCases {
        factors[EnergySource.tier(accuracy, figure).rawValue] *= factor(figure.figure(of: tier), score)
      }
    }
    return factors
  }

  /// The figures of energy that are of no tier, with the names of their draws.
  private static let energies:
    [(source: EnergySource, name: String, figure: any KeyPath<DeviceProfile, Figure> & Sendable)] = [
      (.idle, "idle", \.idle), (.screen, "screen", \.screen), (.awake, "awake", \.awake),
      (.work, "work", \.work), (.regionChecks, "regionChecks", \.regions.look),
      (.regionWatching, "regionWatching", \.regions.watching),
      (.significantReports, "significantReports", \.significantChange.report),
      (.significantListening, "significantListening", \.significantChange.listening),
      (.beaconScans, "beaconScans", \.beacons.scan), (.ranging, "ranging", \.beacons.ranging),
      (.advertising, "advertising", \.beacons.advertising), (.heading, "heading", \.heading.power),
    ]

  /// The figures of how the phone behaves, with their paths. Energies are not among them, as they change
  /// nothing that the phone does. Nor are the correlations of errors, which stay as they are.
  private static let behaviour:
    [(path: String, figure: any WritableKeyPath<DeviceProfile, Figure> & Sendable)] = [
      ("awakeTail", \.awakeTail),
      ("regions.cushion", \.regions.cushion), ("regions.inwardShare", \.regions.inwardShare),
      ("regions.timeToRemain", \.regions.timeToRemain),
      ("significantChange.distance", \.significantChange.distance),
      ("significantChange.interval", \.significantChange.interval),
      ("beacons.scanInterval", \.beacons.scanInterval), ("beacons.exitAfter", \.beacons.exitAfter),
      ("beacons.noise", \.beacons.noise), ("heading.error", \.heading.error),
    ]

  /// The distributions of times that are varied, whatever they rest on: exits of a few days do not make one
  /// certain.
  private static let times:
    [(path: String, quantiles: any WritableKeyPath<DeviceProfile, Quantiles> & Sendable)] = [
      ("regions.wakeDelay", \.regions.wakeDelay), ("regions.interval", \.regions.interval),
      ("regions.restInterval", \.regions.restInterval), ("regions.delivery", \.regions.delivery),
      ("significantChange.cellChange", \.significantChange.cellChange),
      ("significantChange.arrival", \.significantChange.arrival),
      ("significantChange.departure", \.significantChange.departure),
    ]

  /// The figures of how much days differ that change what the phone does, where the profile has them.
  private static let dayEffects:
    [(path: String, figure: any WritableKeyPath<DayEffects, Figure> & Sendable)] = [
      ("days.errors", \.errors), ("days.regionTimes", \.regionTimes),
    ]

  /// The 95 % interval of the factor on a distribution that states none (``Quantiles/scale``).
  package static let assumedScale = 0.5...2.0

  /// Names the one draw of all distributions of times of regions whose scale was fitted. Exits tell how late
  /// all checks together are, so these distributions are larger or smaller together.
  private static let fittedTimes = "regions.times"

  /// The phone with its behaviour drawn: each figure from its range, each distribution of times by a factor
  /// from its scale, and each assumed distribution of errors by a factor. Energies stay as they are
  /// (``energyFactors(seed:)``). Measured errors are varied from day to day by ``DayEffects``, and not here
  /// again.
  ///
  /// - Parameter seed: Names the draw. A figure has the same number whatever others there are.
  package func drawn(seed: UInt64) -> DeviceProfile {
    var phone = self
    for (path, figure) in Self.behaviour {
      let known = self[keyPath: figure]
      let value = known.value(atScore: Self.score(seed, path))
      phone[keyPath: figure] = Figure(
        value, low: known.low, high: known.high, basis: known.basis, source: known.source)
    }
    for (path, effect) in Self.dayEffects {
      guard let known = days?[keyPath: effect] else { continue }
      phone.days?[keyPath: effect] = Figure(
        known.value(atScore: Self.score(seed, path)), low: known.low, high: known.high, basis: known.basis,
        source: known.source)
    }
    func factor(_ name: String, _ scale: ClosedRange<Double> = Self.assumedScale) -> Double {
      Figure(1, low: scale.lowerBound, high: scale.upperBound, basis: .assumed, source: "")
        .value(atScore: Self.score(seed, name))
    }
    for (path, quantiles) in Self.times {
      let known = self[keyPath: quantiles]
      let isFitted = known.scale != nil && path.hasPrefix("regions.")
      // The range of the narrowest check of these distributions.
      phone[keyPath: quantiles] = known.scaled(
        by: factor(isFitted ? Self.fittedTimes : path, known.scale ?? Self.assumedScale),
        within: path == "significantChange.cellChange" ? 1...8e7 : ProfileCheck.interval)
    }
    for accuracy in DesiredAccuracy.allCases {
      guard var tier = tiers[accuracy] else { continue }
      let errors = factor("tiers.\(accuracy.rawValue).error")
      if tier.moving.error.basis == .assumed { tier = tier.day(errors: errors, power: 1) }
      if let indoors = tier.indoors, indoors.error.basis == .assumed {
        tier.indoors?.error = indoors.error.scaled(by: errors)
      }
      phone.tiers[accuracy] = tier
    }
    if regions.positions.error.basis == .assumed {
      phone.regions.positions.error = regions.positions.error.scaled(by: factor("regions.positions.error"))
    }
    return phone
  }

  /// The normal score of a figure in a draw.
  private static func score(_ seed: UInt64, _ name: String) -> Double {
    // FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), so that each name has a stream of its own.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    var random = RandomStream(seed: seed ^ hash, "profile draws")
    return random.normal()
  }
}
