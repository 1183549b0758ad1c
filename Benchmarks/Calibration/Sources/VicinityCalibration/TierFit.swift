internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

struct TierFit {
  /// From this reported accuracy on, a fix counts as a cell position.
  static let cellAccuracy: Meters = 500
  /// A fix with a longer delay than this many seconds was cached.
  private static let longestDelay = 300.0
  /// The least power of a tier, milliwatts.
  private static let leastPower = 1.0
  /// Fixes further apart than this many seconds belong to different runs.
  private static let longestInterval = 60.0
  /// The least number of errors for a way to have positions of its own: its tail has to be known.
  static let leastWayCount = 100

  let key: TierKey
  /// The ranges of this kind of phone that are fitted.
  let ranges: [MeasuredRange]
  let truths: [String: ReplayTruth]
  /// The sections of each run whose way is known.
  let sections: [String: [MeasuredSection]]
  let positions: PositionFit
  let site: PositionFit
  /// The positions by cells, for too few measured ones.
  let cells: PositionModel
  /// The drain where phones lay for long, per cent an hour, including idle power; nil if it was not measured.
  let rate: EnergyFit.Rate?
  let sites: SitePower
  let idle: Double
  let milliwattsPerPercent: Double
  let source: String

  private var ownRanges: [MeasuredRange] { ranges.filter { $0.tierKey == key } }

  struct Result {
    var tier: TierProfile
    var note: String?
  }

  /// Fits the tier. What was not measured stays as in the template; nil if nothing was measured.
  func fit(_ template: TierProfile) -> Result? {
    guard !ownRanges.isEmpty else { return nil }
    var result = Result(tier: template)
    let hasPositions = fitPositions(&result.tier)
    fitCadence(&result.tier)
    let hasPower = fitPower(&result)
    return hasPositions || hasPower ? result : nil
  }

  // MARK: Positions

  private func series(_ truth: MeasuredError.Truth, _ isIn: (MeasuredError) -> Bool) -> [[MeasuredError]] {
    // A wide filter lets the largest errors through at rest; the simulated filter selects them itself.
    ownRanges.filter { !$0.isControl && (!$0.isStationary || ($0.distanceFilter ?? 0) <= 1) }.map { range in
      range.errors.filter { $0.truth == truth && isIn($0) }
    }
    .filter { !$0.isEmpty }
  }

  /// Returns false when nothing was fitted.
  private func fitPositions(_ tier: inout TierProfile) -> Bool {
    let hasSpells = tier.fallback != nil
    let moving = series(.reference, \.isMoving)
    let still = series(.reference) { !$0.isMoving }
    func good(_ series: [[MeasuredError]]) -> [[MeasuredError]] {
      hasSpells ? series.map { $0.filter { $0.accuracy < Self.cellAccuracy } } : series
    }
    let fittedMoving = positions.model(good(moving), fallbackTime: tier.moving.correlationTime)
    if let fittedMoving { tier.moving = fittedMoving }
    if let template = tier.still ?? fittedMoving {
      tier.still =
        positions.model(good(still), fallbackTime: tier.moving.correlationTime)
        ?? (fittedMoving == nil ? template : nil)
    }
    let template = tier.fallback
    if hasSpells, let fallback = fallback(moving, positions: nil) {
      tier.fallback = fallback
    } else if hasSpells, fittedMoving != nil {
      tier.fallback = nil
    }
    if fittedMoving != nil {
      var ways: [TravelMode: WayModel] = [:]
      for way in TravelMode.allCases {
        let own = series(on: way)
        guard
          let model = positions.model(
            good(own), fallbackTime: tier.moving.correlationTime, leastCount: Self.leastWayCount)
        else { continue }
        ways[way] = WayModel(
          positions: model,
          fallback: template == nil ? nil : fallback(own, positions: tier.fallback?.positions))
      }
      tier.ways = ways.isEmpty ? nil : ways
    }
    let lying = ownRanges.filter { ($0.distanceFilter ?? 0) <= 1 }.map(SettlingFit.settled).filter {
      !$0.isEmpty
    }
    // All tiers with satellites settle alike; other tiers have settled after a second.
    if tier.usesSatellites {
      let fine: [DesiredAccuracy?] = [.bestForNavigation, .best, .nearestTenMeters]
      let settling = ranges.filter { fine.contains($0.accuracy) }
      tier.settling = SettlingFit(positions: site, source: source).model(settling)
    }
    let indoors = site.model(lying, fallbackTime: tier.moving.correlationTime)
    if let indoors { tier.indoors = wandering(indoors, errors: lying) }
    return fittedMoving != nil || indoors != nil
  }

  /// The errors in motion on one way, as far as it was noted.
  private func series(on way: TravelMode) -> [[MeasuredError]] {
    ownRanges.filter { !$0.isControl && !$0.isStationary }.map { range in
      let times = (sections[range.run] ?? []).filter { $0.way == way }.map(\.time)
      return range.errors.filter { error in
        error.truth == .reference && error.isMoving && times.contains { $0.contains(error.time) }
      }
    }
    .filter { !$0.isEmpty }
  }

  /// Fits spells of cell positions; nil for none.
  ///
  /// - Parameter other: The positions where too few were measured; nil for those of the significant-change
  ///   service.
  private func fallback(_ series: [[MeasuredError]], positions other: PositionModel?) -> FallbackModel? {
    guard let spells = PositionFit.spells(series, accuracy: Self.cellAccuracy) else { return nil }
    let bad = series.map { $0.filter { $0.accuracy >= Self.cellAccuracy } }.filter { !$0.isEmpty }
    return FallbackModel(
      share: figure(spells.share, spells.share / 2, min(0.9, spells.share * 2)),
      duration: figure(spells.duration, spells.duration / 2, spells.duration * 2),
      positions: positions.model(bad, fallbackTime: cells.correlationTime) ?? other ?? cells)
  }

  /// Fits how the errors of phones that lie still persist.
  ///
  /// The fast part of the error becomes scatter if pairs determine its correlation time, if it is the smaller
  /// part, and if it is hardly ever larger than the whole; the persistent part is then what is left without
  /// it (``NoiseDeconvolution``). Otherwise a share of the error is new with each fix (jitter).
  private func wandering(_ model: PositionModel, errors: [[MeasuredError]]) -> PositionModel {
    let lying = ownRanges.filter { ($0.distanceFilter ?? 0) <= 1 }
    var model = model
    if let found = WanderingFit(lying, isTimed: true), let time = found.jitterTime,
      found.jitter > 0, found.jitter < 0.5
    {
      let mean = (found.jitter * found.meanSquare / 2).squareRoot()
      let deviations = Sample((found.shares.isEmpty ? [1] : found.shares).map { mean * $0.squareRoot() })
      let scatter = Sample(deviations.sorted.flatMap { Sample.rayleigh($0).sorted })
      let profile = Sample(errors.joined().map(\.error)).profile
      if let median = scatter.median, median <= model.error.value(at: 0.5) / 2,
        let tail = scatter.quantile(0.95), tail <= model.error.value(at: 0.95),
        let lasting = Sample.quantiles(NoiseDeconvolution(scatter).deconvolved(profile), source: source),
        let deviation = Sample.quantiles(deviations.profile, source: source)
      {
        model.error = lasting
        model.correlationTime = figure(found.time, found.time / 3, found.time * 3)
        model.scatter = ScatterModel(
          deviation: deviation, correlationTime: figure(time, time / 3, time * 3))
        return model
      }
    }
    if let found = WanderingFit(lying, isTimed: false) {
      model.correlationTime = figure(found.time, found.time / 3, found.time * 3)
      model.jitter = figure(found.jitter, found.jitter / 2, min(1, found.jitter * 2))
    }
    return model
  }

  // MARK: Cadence

  private func fitCadence(_ tier: inout TierProfile) {
    var intervals: [Double] = []
    var delays: [Double] = []
    for range in ownRanges {
      delays += range.fixes.compactMap(\.delay).filter { $0 < Self.longestDelay }.map { max(0, $0) }
      if !range.isStationary, range.isDutyCycled, (range.distanceFilter ?? 0) <= 1,
        let truth = truths[range.run]
      {
        intervals += Self.intervals(range, truth)
      }
    }
    // The lower limit keeps the simulation finite; longer intervals are of phones that stood at a traffic
    // light.
    let times = Sample(intervals.filter { $0 <= Self.longestInterval }.map { max(0.1, $0) })
    if times.count >= PositionFit.leastCount, let fitted = Sample.quantiles(times.profile, source: source) {
      tier.interval = fitted
    }
    let lags = Sample(delays)
    if lags.count >= PositionFit.leastCount, let fitted = Sample.quantiles(lags.profile, source: source) {
      tier.delay = fitted
    }
    // Without a filter an iPhone delivers a fix a second at rest too, which says nothing of what strays
    // through one.
    let lying = ownRanges.filter {
      $0.isStationary && ($0.distanceFilter ?? 0) <= 1 && !$0.fixes.isEmpty
        && ($0.platform != .ios || ($0.distanceFilter ?? 0) > 0)
    }
    guard !lying.isEmpty else { return }
    let strays = StrayFit(lying)
    let rate = strays.rate
    tier.strayFixes = figure(rate, rate / 2, rate * 2)
    tier.strayGaps = strays.gaps(source: source)
  }

  /// The seconds between fixes in motion, while the service was on.
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

  /// Returns false when nothing was fitted.
  private func fitPower(_ result: inout Result) -> Bool {
    guard let rate else { return false }
    let tier = result.tier
    let net = max(0, rate.value - idle)
    let ends = [rate.low - idle, rate.high - idle, net * sites.ratio]
    // The mean of two sites: where phones lay for long, and where they were left on days out. At least the
    // least power, so that the division among components is not lost.
    let mean = max(Self.leastPower / milliwattsPerPercent, net / sites.home)
    let parts = [tier.gnss, tier.wifi, tier.cell, tier.processor]
    let sum = parts.reduce(0) { $0 + $1.value }
    // The template divides the power among components; the sum is measured.
    let scaled = parts.enumerated().map { index, part in
      let exact = sum > 0 ? part.value / sum : index == 3 ? 1 : 0
      // Whole per mille, so that fitting a fitted profile again changes nothing.
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
    .measured(value, low, high, source: source)
  }
}
