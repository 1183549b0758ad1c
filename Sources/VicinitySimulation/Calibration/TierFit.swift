internal import VicinityGeodesy

/// Fits a tier of one kind of phone.
struct TierFit {
  /// From this reported accuracy on a fix rests on cells.
  static let cellAccuracy: Meters = 500
  /// Fixes later than this many seconds were cached, not on their way.
  private static let longestDelay = 300.0
  /// Milliwatts that a tier takes at the least.
  private static let leastPower = 1.0
  /// Fixes further apart than this many seconds are not of one run.
  private static let longestInterval = 60.0

  let key: TierKey
  /// The ranges of the kind of phone, of the days that are fitted.
  let ranges: [MeasuredRange]
  let truths: [String: ReplayTruth]
  let positions: PositionFit
  let site: PositionFit
  /// Positions by cells, where too few of them were measured.
  let cells: PositionModel
  /// What it takes where phones lay for long, per cent an hour, idle power included; nil where that was not measured.
  let rate: EnergyFit.Rate?
  let places: Places
  let idle: Double
  let milliwattsPerPercent: Double
  let source: String

  private var mine: [MeasuredRange] { ranges.filter { $0.tierKey == key } }

  /// A tier, and what was found in words.
  struct Result {
    var tier: TierProfile
    var note: String?
  }

  /// The tier; what stays assumed is the pattern's. nil where nothing was measured of it.
  func fit(_ pattern: TierProfile) -> Result? {
    guard !mine.isEmpty else { return nil }
    var result = Result(tier: pattern)
    let hasPositions = fitPositions(&result.tier)
    fitCadence(&result.tier)
    let hasPower = fitPower(&result)
    return hasPositions || hasPower ? result : nil
  }

  // MARK: Positions

  private func series(_ truth: MeasuredError.Truth, _ isIn: (MeasuredError) -> Bool) -> [[MeasuredError]] {
    // What a wide filter lets through at rest are the largest errors: the simulated filter chooses them itself.
    mine.filter { !$0.isControl && (!$0.isStationary || ($0.distanceFilter ?? 0) <= 1) }.map { range in
      range.errors.filter { $0.truth == truth && isIn($0) }
    }
    .filter { !$0.isEmpty }
  }

  /// Whether anything was fitted.
  private func fitPositions(_ tier: inout TierProfile) -> Bool {
    let hasSpells = tier.fallback != nil
    let moving = series(.reference, \.isMoving)
    let still = series(.reference) { !$0.isMoving }
    func good(_ series: [[MeasuredError]]) -> [[MeasuredError]] {
      hasSpells ? series.map { $0.filter { $0.accuracy < Self.cellAccuracy } } : series
    }
    let fittedMoving = positions.model(good(moving), fallbackTime: tier.moving.correlationTime)
    if let fittedMoving { tier.moving = fittedMoving }
    if let pattern = tier.still ?? fittedMoving {
      tier.still =
        positions.model(good(still), fallbackTime: tier.moving.correlationTime)
        ?? (fittedMoving == nil ? pattern : nil)
    }
    if hasSpells,
      let spells = PositionFit.spells(moving, accuracy: Self.cellAccuracy)
    {
      let bad = moving.map { $0.filter { $0.accuracy >= Self.cellAccuracy } }.filter { !$0.isEmpty }
      tier.fallback = FallbackModel(
        share: figure(spells.share, spells.share / 2, min(0.9, spells.share * 2)),
        duration: figure(spells.duration, spells.duration / 2, spells.duration * 2),
        positions: positions.model(bad, fallbackTime: cells.correlationTime)
          ?? cells)
    } else if hasSpells, fittedMoving != nil {
      tier.fallback = nil
    }
    let lying = mine.filter { ($0.distanceFilter ?? 0) <= 1 }.map(SettlingFit.settled).filter { !$0.isEmpty }
    // Positions settle alike in all tiers that listen to satellites; in others they have with the second.
    if tier.usesSatellites {
      let settling = ranges.filter { ($0.accuracy?.constant ?? 100) < 100 }
      tier.settling = SettlingFit(positions: site, source: source).model(settling)
    }
    var indoors = site.model(lying, fallbackTime: tier.moving.correlationTime)
    if let (time, jitter) = PositionFit.wandering(mine.filter { ($0.distanceFilter ?? 0) <= 1 }) {
      indoors?.correlationTime = figure(time, time / 3, time * 3)
      indoors?.jitter = figure(jitter, jitter / 2, min(1, jitter * 2))
    }
    if let indoors { tier.indoors = indoors }
    return fittedMoving != nil || indoors != nil
  }

  // MARK: Cadence

  private func fitCadence(_ tier: inout TierProfile) {
    var intervals: [Double] = []
    var delays: [Double] = []
    var stray = 0
    var hours = 0.0
    for range in mine {
      delays += range.fixes.compactMap(\.delay).filter { $0 < Self.longestDelay }.map { max(0, $0) }
      if range.isStationary {
        if (range.distanceFilter ?? 0) <= 1, !range.fixes.isEmpty {
          stray += range.fixes.count { $0.time - range.start >= SettlingFit.ends[SettlingFit.ends.count - 1] }
          hours += range.hours
        }
      } else if range.isDutyCycled, (range.distanceFilter ?? 0) <= 1, let truth = truths[range.run] {
        intervals += Self.intervals(range, truth)
      }
    }
    // No interval is so short that work would not end; the longest are of phones that stood at a light.
    let times = Sample(intervals.filter { $0 <= Self.longestInterval }.map { max(0.1, $0) })
    if times.count >= PositionFit.leastCount, let fitted = Sample.quantiles(times.profile, source: source) {
      tier.interval = fitted
    }
    let lags = Sample(delays)
    if lags.count >= PositionFit.leastCount, let fitted = Sample.quantiles(lags.profile, source: source) {
      tier.delay = fitted
    }
    if hours > 0 {
      let rate = Double(stray) / hours
      tier.strayFixes = figure(rate, rate / 2, rate * 2)
    }
  }

  /// Seconds between fixes while the service was on and the phone on its way.
  static func intervals(_ range: MeasuredRange, _ truth: ReplayTruth) -> [Double] {
    var intervals: [Double] = []
    for (a, b) in zip(range.fixes, range.fixes.dropFirst()) {
      guard range.tracking.contains(where: { $0.contains(a.time) && $0.contains(b.time) }),
        truth.isKnown(at: a.time), truth.isKnown(at: b.time)
      else { continue }
      intervals.append(b.time - a.time)
    }
    return intervals
  }

  // MARK: Power

  /// Whether anything was fitted.
  private func fitPower(_ result: inout Result) -> Bool {
    guard let rate else { return false }
    let tier = result.tier
    let net = max(0, rate.value - idle)
    let ends = [rate.low - idle, rate.high - idle, net * places.ratio]
    // Two places, each as good as the other: where phones lay for long, and where they were left on days out. What a tier
    // listens to stays known where it takes nothing that can be measured.
    let mean = max(Self.leastPower / milliwattsPerPercent, net / places.home)
    let parts = [tier.gnss, tier.wifi, tier.cell, tier.processor]
    let sum = parts.reduce(0) { $0 + $1.value }
    // How it is divided is the pattern's; the sum is measured.
    let scaled = parts.enumerated().map { index, part in
      let exact = sum > 0 ? part.value / sum : index == 3 ? 1 : 0
      // To whole per mille, so that fitting a fitted profile again changes nothing.
      let share = (exact * 1000).rounded() / 1000 * milliwattsPerPercent
      return figure(
        mean * share, max(0, ends.min() ?? mean) * share, max(mean, ends.max() ?? mean) * share)
    }
    (result.tier.gnss, result.tier.wifi, result.tier.cell) = (scaled[0], scaled[1], scaled[2])
    result.tier.processor = scaled[3]
    result.note = "\(key.name): lying \(Sample.rounded(rate.value)) %/h"
    return true
  }

  private func figure(_ value: Double, _ low: Double, _ high: Double) -> Figure {
    let (a, b, c) = (Sample.rounded(value), Sample.rounded(low), Sample.rounded(high))
    return Figure(a, low: min(a, b), high: max(a, c), basis: .measured, source: source)
  }
}
