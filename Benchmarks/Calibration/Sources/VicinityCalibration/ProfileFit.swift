internal import VicinityMonitor
package import VicinitySimulation

package struct ProfileFit: Sendable {
  /// The source keys of fitted figures, and of figures taken over from another tier.
  static let source = "mobilitynet"
  static let otherSource = "mobilitynet-other-tier"
  /// The texts of these sources, where the template profile has none.
  private static let sourceTexts = [
    source: "Fitted by `vicinity-calibrate`.",
    otherSource: "Measured under another tier or condition of the same phone, and taken to hold here too.",
  ]

  /// All measurements. Of days that are not fitted only the truth and its noise are used.
  let measurements: Measurements
  let truths: [String: ReplayTruth]
  let noise: Sample
  let seed: UInt64

  package init(_ measurements: Measurements, seed: UInt64) throws(SimulationError) {
    self.measurements = measurements
    self.seed = seed
    var truths: [String: ReplayTruth] = [:]
    for range in measurements.ranges where !range.isStationary && truths[range.run] == nil {
      truths[range.run] = try ReplayTruth(range, in: measurements)
    }
    self.truths = truths
    noise = Self.truthNoise(measurements)
  }

  /// The length of the reference's own error: half the difference between the two kinds of control phones
  /// while moving. The reference lies midway between them, and half the sum of two independent errors without
  /// preferred direction is distributed like half their difference.
  static func truthNoise(_ measurements: Measurements) -> Sample {
    Sample(
      measurements.ranges.filter { $0.isControl && $0.platform == .ios }.flatMap(\.errors)
        .filter { $0.truth == .androidControl && $0.isMoving }.map { $0.error / 2 })
  }

  /// The origin of an iPhone's idle power.
  enum IdlePower {
    /// The template profile, which has the published value: the median over more days than were measured
    /// here.
    case published
    /// The days of the fit. Judging needs this, because the published value rests on the judged days too.
    case fitted
  }

  /// Fits a kind of phone to some days.
  ///
  /// - Parameters:
  ///   - template: The template profile: says what the phone has, and supplies everything that was not
  ///     measured.
  ///   - idlePower: The origin of an iPhone's idle power. That of other phones is always fitted.
  ///   - isIn: Whether a range is fitted.
  func fit(
    _ template: DeviceProfile, idlePower: IdlePower = .published, _ isIn: (MeasuredRange) -> Bool
  ) throws(SimulationError) -> FittedProfile {
    let ranges = measurements.ranges.filter { $0.platform == template.platform && isIn($0) }
    var profile = template
    profile.days = nil
    profile.sources.merge(Self.sourceTexts) { text, _ in text }
    var notes: [String] = []
    let factors = PhoneFactors(ranges)
    let perPercent = template.milliwattsPerPercentAnHour
    let gauge = BatteryGauge(ranges)
    let rates = restingRates(ranges)
    var idleFit = IdleFit(ranges, template.platform, gauge, factors, seed: seed).rate
    // Phones with tracking off were carried. At home none drew more than the least of those that lay there
    // with a service on. As for services (``SitePower``), a profile has the mean of both sites.
    if let off = idleFit, let least = rates.values.map(\.value).min(), least < off.value {
      idleFit = EnergyFit.Rate(
        value: (off.value + least) / 2, low: min(off.low, least), high: off.high, count: off.count)
    }
    var isIdleFitted = false
    // An iPhone with tracking off shows 100 % nearly all day, which says little about its idle power.
    // Published profiles take it from more days than these.
    if template.platform != .ios || idlePower == .fitted, let idle = idleFit {
      isIdleFitted = true
      profile.idle = .measured(
        idle.value * perPercent, idle.low * perPercent, idle.high * perPercent, source: Self.source)
    }
    let idle = profile.idle.value / perPercent
    let sites = SitePower(ranges, truths, rates: rates, idle: idle, factors)
    var slow: [DesiredAccuracy: TierProfile] = [:]
    let deconvolution = NoiseDeconvolution(noise)
    for accuracy in DesiredAccuracy.allCases {
      guard let tier = template.tiers[accuracy],
        measurements.ranges.contains(where: { $0.platform == template.platform && $0.accuracy == accuracy })
      else { continue }
      func fit(isSlow: Bool) -> TierProfile? {
        let key = TierKey(accuracy: accuracy, isSlow: isSlow)
        let result = TierFit(
          key: key, ranges: ranges, truths: truths, sections: measurements.sections,
          positions: PositionFit(noise: deconvolution, source: Self.source),
          site: PositionFit(noise: NoiseDeconvolution(Sample([])), source: Self.source),
          cells: template.significantChange.positions, rate: rates[key], sites: sites, idle: idle,
          milliwattsPerPercent: perPercent, source: Self.source
        ).fit(tier)
        if let note = result?.note { notes.append(note) }
        return result?.tier
      }
      slow[accuracy] = fit(isSlow: true)
      profile.tiers[accuracy] = fit(isSlow: false)
      if profile.tiers[accuracy] == nil {
        notes.append("\(accuracy.rawValue): nothing measured on these days")
      }
    }
    for accuracy in [DesiredAccuracy.hundredMeters, .best] where profile.tiers[accuracy] == nil {
      profile.tiers[accuracy] = slow[accuracy] ?? profile.tiers[.best] ?? template.tiers[accuracy]
    }
    let borrowing = completeTiers(
      &profile, slow: &slow, ranges: ranges, PositionFit(noise: deconvolution, source: Self.source))
    if let hundred = profile.tiers[.hundredMeters] {
      profile.regions.positions = hundred.moving
      // A check that falls back to cells decides nothing; spells of that are not measured for checks.
      profile.regions.ways = hundred.ways?.mapValues { WayModel(positions: $0.positions) }
    }
    var fitted = FittedProfile(
      profile: profile, slow: slow, gauge: gauge, factors: factors, sites: sites,
      isIdleFitted: isIdleFitted, noise: noise, notes: notes)
    let moving = fitMoving(&fitted, ranges, rates, idle: idle)
    MotionFit(seed: seed).fit(&fitted, moving)
    assumeMotion(&fitted, moving, borrowing: borrowing)
    fitted = RegionFit(measurements: measurements, truths: truths, seed: seed).fit(fitted, ranges)
    fitted.profile.days = try DayEffectsFit(measurements: measurements, truths: truths, seed: seed)
      .effects(fitted, ranges)
    return fitted
  }

  /// The positions in motion of slow requests for a tier without satellites. They are those slow requests for
  /// best that used no satellites: fixes that report no better accuracy than the tier does at rest, except
  /// for one in twenty. A fix a second keeps satellites tracked whatever the tier, as the power of such
  /// phones shows; a fix in 30 s does not. nil for too few fixes.
  private func networkPositions(
    _ ranges: [MeasuredRange], _ accuracy: DesiredAccuracy, _ positions: PositionFit, _ best: PositionModel
  ) -> PositionModel? {
    let lying = ranges.filter { $0.isStationary && $0.accuracy == accuracy }.flatMap(SettlingFit.settled)
    guard let least = Sample(lying.map(\.accuracy)).quantile(0.05) else { return nil }
    let key = TierKey(accuracy: .best, isSlow: true)
    let series = ranges.filter { $0.tierKey == key && !$0.isControl }.map { range in
      range.errors.filter { $0.truth == .reference && $0.isMoving && $0.accuracy >= least }
    }
    return positions.model(series.filter { !$0.isEmpty }, fallbackTime: best.correlationTime)
  }

  /// Fills in what was not measured for a tier: positions in motion from the next better tier, positions at
  /// rest from the same tier at its other interval. Returns the tiers that took their positions from best.
  private func completeTiers(
    _ profile: inout DeviceProfile, slow: inout [DesiredAccuracy: TierProfile], ranges: [MeasuredRange],
    _ positions: PositionFit
  ) -> Set<DesiredAccuracy> {
    var borrowing: Set<DesiredAccuracy> = []
    func isMeasured(_ key: TierKey, _ truth: MeasuredError.Truth) -> Bool {
      ranges.filter { $0.tierKey == key && !$0.isControl }
        .reduce(0) { $0 + $1.errors.count { $0.truth == truth && (truth == .site || $0.isMoving) } }
        >= PositionFit.leastCount
    }
    for accuracy in DesiredAccuracy.allCases {
      let fast = TierKey(accuracy: accuracy, isSlow: false)
      let slowKey = TierKey(accuracy: accuracy, isSlow: true)
      if var tier = profile.tiers[accuracy], ranges.contains(where: { $0.tierKey == fast }) {
        if !isMeasured(fast, .site), isMeasured(slowKey, .site) {
          tier.indoors = slow[accuracy]?.indoors?.assumed(from: Self.otherSource)
        }
        if tier.settling == nil, accuracy == .nearestTenMeters {
          tier.settling = profile.tiers[.best]?.settling?.assumed(from: Self.otherSource)
        }
        if !isMeasured(fast, .reference), accuracy != .best, accuracy != .kilometer,
          let best = profile.tiers[.best]
        {
          tier.moving = best.moving.assumed(from: Self.otherSource)
          tier.still = best.still?.assumed(from: Self.otherSource)
          tier.ways = best.ways?.mapValues { $0.assumed(from: Self.otherSource) }
          tier.interval = best.interval.assumed(from: Self.otherSource)
          borrowing.insert(accuracy)
        }
        profile.tiers[accuracy] = tier
      }
      if var tier = slow[accuracy] {
        if !isMeasured(slowKey, .site) { tier.indoors = profile.tiers[accuracy]?.indoors }
        if !isMeasured(slowKey, .reference), accuracy != .best, let best = slow[.best] {
          (tier.moving, tier.still, tier.interval) = (best.moving, best.still, best.interval)
          tier.ways = best.ways
          if let networks = networkPositions(ranges, accuracy, positions, best.moving) {
            (tier.moving, tier.still, tier.ways) = (networks, nil, nil)
          }
        }
        slow[accuracy] = tier
      }
    }
    if let best = profile.tiers[.best], var navigation = profile.tiers[.bestForNavigation] {
      navigation.moving = best.moving.assumed(from: Self.otherSource)
      navigation.still = best.still?.assumed(from: Self.otherSource)
      navigation.ways = best.ways?.mapValues { $0.assumed(from: Self.otherSource) }
      navigation.indoors = best.indoors?.assumed(from: Self.otherSource)
      navigation.settling = best.settling?.assumed(from: Self.otherSource)
      navigation.interval = best.interval.assumed(from: Self.otherSource)
      navigation.delay = best.delay.assumed(from: Self.otherSource)
      profile.tiers[.bestForNavigation] = navigation
      borrowing.insert(.bestForNavigation)
    }
    return borrowing
  }
}

/// The most that motion may add where nothing is known, milliwatts.
private let greatestMotion = 1000.0

extension ProfileFit {
  /// The drain of tiers where phones lay for long, per cent an hour. A tier that was not measured there takes
  /// the drain at its other interval, else that of the next better tier.
  func restingRates(_ ranges: [MeasuredRange]) -> [TierKey: EnergyFit.Rate] {
    func rate(_ key: TierKey) -> EnergyFit.Rate? {
      EnergyFit.Rate(
        ranges.filter { $0.isStationary && $0.tierKey == key }.compactMap(EnergyFit.stationaryRate),
        seed: seed)
    }
    var rates: [TierKey: EnergyFit.Rate] = [:]
    for isSlow in [true, false] {
      var better: EnergyFit.Rate?
      for accuracy in DesiredAccuracy.allCases {
        let own = rate(TierKey(accuracy: accuracy, isSlow: isSlow))
        better = own ?? rate(TierKey(accuracy: accuracy, isSlow: !isSlow)) ?? better
        rates[TierKey(accuracy: accuracy, isSlow: isSlow)] = better
      }
    }
    return rates
  }

  /// The drain in motion by tier, for ``MotionFit``. Also fits the app's own work, which is part of it.
  func fitMoving(
    _ fitted: inout FittedProfile, _ ranges: [MeasuredRange], _ rates: [TierKey: EnergyFit.Rate], idle: Double
  ) -> [TierKey: MotionFit.Target] {
    var found: [TierKey: [AppWork.Day]] = [:]
    for range in ranges {
      guard let key = range.tierKey, let truth = truths[range.run], let home = rates[key]?.value else {
        continue
      }
      let factor = fitted.factors[range.phone]
      // At rest: as measured on that day, or on others.
      let still =
        EnergyFit.restingRate(range, truth).map { $0 / factor }
        ?? idle + max(0, home - idle) * fitted.sites.ratio
      guard
        let rate = EnergyFit.movingRate(range, truth, still: still, off: idle, fitted.gauge, factor: factor)
      else { continue }
      let fixes = fixesAnHour(range, truth, fitted.profile(for: key), key.accuracy)
      found[key, default: []].append(
        AppWork.Day(
          range: range, rate: rate,
          perMillijoule: fixes / 3600 / fitted.profile.milliwattsPerPercentAnHour))
    }
    if let best = found[TierKey(accuracy: .best, isSlow: false)] { fitted.work = AppWork(best) }
    var targets: [TierKey: MotionFit.Target] = [:]
    for (key, days) in found.sorted(by: { $0.key.name < $1.key.name }) {
      // Trips were noted by hand on the iPhone that was always on, with its display lit.
      let untouched = days.filter { !$0.range.isControl || $0.range.platform != .ios }
      let found = untouched.isEmpty ? days : untouched
      let rates = Sample(
        found.map { max(idle, $0.rate - fitted.work.millijoules($0.range) * $0.perMillijoule) })
      guard let median = rates.median, let low = rates.sorted.first, let high = rates.sorted.last else {
        continue
      }
      targets[key] = MotionFit.Target(rate: median, low: low, high: high)
      fitted.notes.append(
        "\(key.name): moving \(Sample.rounded(median)) %/h (\(Sample.rounded(low)) to \(Sample.rounded(high)), \(rates.count) days)"
      )
    }
    return targets
  }

  /// How many fixes the simulator delivers to a phone in an hour of motion.
  private func fixesAnHour(
    _ range: MeasuredRange, _ truth: ReplayTruth, _ profile: DeviceProfile, _ accuracy: DesiredAccuracy
  ) -> Double {
    let replay = StandardReplay(
      profile: profile, accuracy: accuracy, distanceFilter: range.replayedFilter,
      isAtMeasuredSite: range.isStationary, sections: measurements.sections[range.run] ?? [])
    var (fixes, hours) = (0.0, 0.0)
    for interval in range.tracking where interval.upperBound - interval.lowerBound > 1 {
      guard let track = try? truth.part(from: interval.lowerBound, to: interval.upperBound),
        let outcome = try? replay.run(track, seed: seed)
      else { continue }
      fixes += Double(outcome.fixes.count)
      hours += truth.movingSeconds(from: interval.lowerBound, to: interval.upperBound) / 3600
    }
    return hours > 0 ? fixes / hours : 0
  }

  /// Sets the additional power in motion where it was not measured: that of best for tiers that use best's
  /// positions, else zero, with best's as the upper end. The template's figure is not used, because it may be
  /// fitted to days that are to be judged.
  func assumeMotion(
    _ fitted: inout FittedProfile, _ measured: [TierKey: MotionFit.Target], borrowing: Set<DesiredAccuracy>
  ) {
    guard let best = fitted.profile.tiers[.best]?.motion else { return }
    let slowBest = TierKey(accuracy: .best, isSlow: true)
    let isBestMeasured = measured[TierKey(accuracy: .best, isSlow: false)] != nil
    let none = Figure(
      0, low: 0, high: isBestMeasured ? best.high : greatestMotion, basis: .assumed,
      source: Self.otherSource)
    let accuracies = Set(
      measurements.ranges.filter { $0.platform == fitted.profile.platform }.compactMap(\.accuracy))
    for accuracy in accuracies.union(borrowing) {
      if measured[TierKey(accuracy: accuracy, isSlow: false)] == nil {
        fitted.profile.tiers[accuracy]?.motion =
          borrowing.contains(accuracy) ? best.assumed(from: Self.otherSource) : none
      }
      if measured[TierKey(accuracy: accuracy, isSlow: true)] == nil {
        let motion = measured[slowBest] == nil ? nil : fitted.slow[.best]?.motion
        fitted.slow[accuracy]?.motion = motion ?? none
      }
    }
  }
}
