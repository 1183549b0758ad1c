internal import VicinityGeodesy
package import VicinitySimulation

/// Fits a device profile to measurements.
package struct ProfileFit: Sendable {
  /// The key of fitted figures' source, and of figures taken over from another tier.
  static let source = "mobilitynet"
  static let otherSource = "mobilitynet-other-tier"
  /// What they stand for, where the pattern does not say.
  private static let sourceTexts = [
    source: "Fitted by `vicinity calibrate`.",
    otherSource: "Measured under another tier or condition of the same phone, and taken to hold here too.",
  ]

  /// All that was measured; of days that are not fitted only the truth, and the truth's noise, are looked at.
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

  /// The length of the reference's own error: half of what the control phones of either kind disagree by while moving. The
  /// reference lies midway between them; half the sum of two independent errors without preferred direction is distributed
  /// as half their difference.
  static func truthNoise(_ measurements: Measurements) -> Sample {
    Sample(
      measurements.ranges.filter { $0.isControl && $0.platform == .ios }.flatMap(\.errors)
        .filter { $0.truth == .androidControl && $0.isMoving }.map { $0.error / 2 })
  }

  /// Where an iPhone's idle power comes from.
  enum IdlePower {
    /// From the pattern, which has what was published: the median over more days than were measured here.
    case published
    /// From the days of the fit. Judging needs this, as what was published rests on the judged days too.
    case fitted
  }

  /// Fits a kind of phone to some days.
  ///
  /// - Parameters:
  ///   - pattern: Says what the phone has, and gives all that is not measured.
  ///   - idlePower: Where an iPhone's idle power comes from. That of other phones is always fitted.
  ///   - isIn: Which ranges are fitted.
  func fit(
    _ pattern: DeviceProfile, idlePower: IdlePower = .published, _ isIn: (MeasuredRange) -> Bool
  ) -> FittedProfile {
    let ranges = measurements.ranges.filter { $0.platform == pattern.platform && isIn($0) }
    var profile = pattern
    profile.sources.merge(Self.sourceTexts) { text, _ in text }
    var notes: [String] = []
    let factors = PhoneFactors(ranges)
    let perPercent = pattern.milliwattsPerPercentAnHour
    let gauge = BatteryGauge(ranges)
    let idleFit = IdleFit(ranges, pattern.platform, gauge, factors, seed: seed).rate
    var isIdleFitted = false
    // An iPhone with tracking off shows 100 % nearly all day, which says little of its idle power: published profiles take it
    // from more days than these.
    if pattern.platform != .ios || idlePower == .fitted, let idle = idleFit {
      isIdleFitted = true
      profile.idle = Figure(
        Sample.rounded(idle.value * perPercent), low: Sample.rounded(idle.low * perPercent),
        high: Sample.rounded(idle.high * perPercent), basis: .measured, source: Self.source)
    }
    let idle = profile.idle.value / perPercent
    let rates = restingRates(ranges)
    let places = Places(ranges, truths, rates: rates, idle: idle, factors)
    var slow: [DesiredAccuracy: TierProfile] = [:]
    let deconvolution = NoiseDeconvolution(noise)
    for accuracy in DesiredAccuracy.allCases {
      guard let tier = pattern.tiers[accuracy],
        measurements.ranges.contains(where: { $0.platform == pattern.platform && $0.accuracy == accuracy })
      else { continue }
      func fit(isSlow: Bool) -> TierProfile? {
        let key = TierKey(accuracy: accuracy, isSlow: isSlow)
        let result = TierFit(
          key: key, ranges: ranges, truths: truths,
          positions: PositionFit(noise: deconvolution, source: Self.source),
          site: PositionFit(noise: NoiseDeconvolution(Sample([])), source: Self.source),
          cells: pattern.significantChange.positions, rate: rates[key], places: places, idle: idle,
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
      profile.tiers[accuracy] = slow[accuracy] ?? profile.tiers[.best] ?? pattern.tiers[accuracy]
    }
    let borrowing = completeTiers(
      &profile, slow: &slow, ranges: ranges, PositionFit(noise: deconvolution, source: Self.source))
    if let hundred = profile.tiers[.hundredMeters] { profile.regions.positions = hundred.moving }
    var fitted = FittedProfile(
      profile: profile, slow: slow, gauge: gauge, factors: factors, places: places,
      isIdleFitted: isIdleFitted, noise: noise, notes: notes)
    let moving = fitMoving(&fitted, ranges, rates, idle: idle)
    MotionFit(seed: seed).fit(&fitted, moving)
    assumeMotion(&fitted, moving, borrowing: borrowing)
    return RegionFit(measurements: measurements, truths: truths, seed: seed).fit(fitted, ranges)
  }

  /// The positions on the move of slow requests for a tier that does without satellites, from those of slow requests for the
  /// best that rest on none: that report no less than the tier does where phones lie, but for one in twenty. A fix a second keeps
  /// satellites tracked whatever the tier, as the power of such phones shows; one in 30 s does not. nil where too few are known.
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

  /// Takes what a tier was not measured in from one that was: positions on the move from the next better tier, positions
  /// at rest from the same tier's other interval. Says which tiers have taken theirs from best.
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
          tier.indoors = slow[accuracy]?.indoors?.taken(from: Self.otherSource)
        }
        if tier.settling == nil, accuracy == .nearestTenMeters {
          tier.settling = profile.tiers[.best]?.settling?.taken(from: Self.otherSource)
        }
        if !isMeasured(fast, .reference), accuracy != .best, accuracy != .kilometer,
          let best = profile.tiers[.best]
        {
          tier.moving = best.moving.taken(from: Self.otherSource)
          tier.still = best.still?.taken(from: Self.otherSource)
          tier.interval = best.interval.taken(from: Self.otherSource)
          borrowing.insert(accuracy)
        }
        profile.tiers[accuracy] = tier
      }
      if var tier = slow[accuracy] {
        if !isMeasured(slowKey, .site) { tier.indoors = profile.tiers[accuracy]?.indoors }
        if !isMeasured(slowKey, .reference), accuracy != .best, let best = slow[.best] {
          (tier.moving, tier.still, tier.interval) = (best.moving, best.still, best.interval)
          if let networks = networkPositions(ranges, accuracy, positions, best.moving) {
            (tier.moving, tier.still) = (networks, nil)
          }
        }
        slow[accuracy] = tier
      }
    }
    if let best = profile.tiers[.best], var navigation = profile.tiers[.bestForNavigation] {
      navigation.moving = best.moving.taken(from: Self.otherSource)
      navigation.still = best.still?.taken(from: Self.otherSource)
      navigation.indoors = best.indoors?.taken(from: Self.otherSource)
      navigation.settling = best.settling?.taken(from: Self.otherSource)
      navigation.interval = best.interval.taken(from: Self.otherSource)
      navigation.delay = best.delay.taken(from: Self.otherSource)
      profile.tiers[.bestForNavigation] = navigation
      borrowing.insert(.bestForNavigation)
    }
    return borrowing
  }
}
