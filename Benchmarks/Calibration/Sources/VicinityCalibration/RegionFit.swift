internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// Fits region monitoring: regions are left in the simulator as the measured phones left them.
struct RegionFit {
  /// The radius of the regions, metres; `latency` counts from there.
  static let radius: Meters = 100
  /// The replay starts and ends this long before and after the beginning of a trip, seconds.
  private static let before = 900.0
  private static let after = 1800.0
  /// The fewest exits that are fitted.
  private static let leastCount = 4
  /// How many times each trip is replayed for a candidate.
  private static let replays = 6
  /// Latencies are compared by their ratios, because they spread over two decades. Below this many seconds
  /// they count as equal: the truth is not known better.
  static let leastLatency = 5.0
  static let cushions: [Meters] = [0, 25, 50, 75, 100, 150]
  static let wakeDelays: [Double] = [5, 15, 30, 50, 75, 100, 130]
  static let intervals: [Double] = [20, 40, 60, 90]
  /// The quantiles that judge candidates, the median twice.
  private static let probabilities = [0.1, 0.25, 0.5, 0.5, 0.75, 0.9]

  let measurements: Measurements
  let truths: [String: ReplayTruth]
  let seed: UInt64

  /// An exit to replay.
  struct Trip: Sendable {
    var track: TrueTrack
    var center: Coordinate
    /// When the phone was 100 m away.
    var crossing: Timestamp
  }

  /// Fits the regions of a profile; leaves it unchanged when too few exits were measured.
  func fit(_ fitted: FittedProfile, _ ranges: [MeasuredRange]) -> FittedProfile {
    var fitted = fitted
    let measured = Sample(ranges.flatMap(\.exits).map(\.latency))
    let trips = ranges.flatMap { range in range.exits.compactMap { trip(range, $0) } }
    guard measured.count >= Self.leastCount, !trips.isEmpty else {
      fitted.notes.append("regions: too few exits measured on these days")
      return fitted
    }
    var candidates: [Candidate] = []
    for cushion in Self.cushions {
      for wake in Self.wakeDelays {
        for interval in Self.intervals {
          let profile = Self.profile(fitted.profile, cushion: cushion, wake: wake, interval: interval)
          let latencies = predictEach(trips, profile, replays: 0..<Self.replays)
          candidates.append(
            Candidate(
              misfit: Self.misfit(Sample(latencies.joined()), measured), cushion: cushion, wake: wake,
              interval: interval, latencies: latencies))
        }
      }
    }
    guard let best = candidates.min(by: { $0.misfit < $1.misfit }) else { return fitted }
    fitted.profile = Self.profile(
      fitted.profile, cushion: best.cushion, wake: best.wake, interval: best.interval)
    // The range covers the candidates that fit nearly as well, and the neighbours of the best.
    let near = candidates.filter { $0.misfit <= best.misfit * 1.25 }.map(\.cushion)
    let below = Self.cushions.last { $0 < best.cushion } ?? best.cushion
    let above = Self.cushions.first { $0 > best.cushion } ?? best.cushion
    fitted.profile.regions.cushion.low = near.reduce(below, min)
    fitted.profile.regions.cushion.high = near.reduce(above, max)
    let scale = scale(candidates, ranges)
    fitted.profile.regions.wakeDelay.scale = scale
    fitted.profile.regions.interval.scale = scale
    fitted.notes.append(
      "regions: of the delay and the interval the medians are fitted; how the single ones spread is assumed")
    return fitted
  }

  /// What one choice of the three numbers predicts.
  private struct Candidate {
    var misfit: Double
    var cushion: Double
    var wake: Double
    var interval: Double
    /// The latencies by trip.
    var latencies: [[Double]]
  }

  private static func misfit(_ predicted: Sample, _ measured: Sample) -> Double {
    probabilities.reduce(0) { sum, probability in
      sum + abs(logarithm(predicted.quantile(probability)) - logarithm(measured.quantile(probability)))
    }
  }

  /// The 95 % interval of the factor on delay and interval by which outings differ (``Quantiles/scale``),
  /// from how far the exits of each outing are from what the choice for the others predicts; nil with fewer
  /// than two outings.
  private func scale(_ candidates: [Candidate], _ ranges: [MeasuredRange]) -> ClosedRange<Double>? {
    // In the order of the candidates' trips.
    let outings = ranges.flatMap { range in
      range.exits.compactMap { trip(range, $0) == nil ? nil : range.outing }
    }
    let exits = ranges.filter { !$0.exits.isEmpty }
    let days = DayEffectsFit.between(DayEffectsFit.exitDays(ranges)).value
    func count(_ ranges: [MeasuredRange]) -> Double { Double(Set(ranges.map(\.day)).count) }
    var residuals: [Double] = []
    for outing in Set(outings).sorted() {
      let (own, others) = (exits.filter { $0.outing == outing }, exits.filter { $0.outing != outing })
      let rest = Sample(others.flatMap(\.exits).map(\.latency))
      func latencies(_ candidate: Candidate, _ isIn: (String) -> Bool) -> Sample {
        Sample(zip(outings, candidate.latencies).flatMap { isIn($0) ? $1 : [] })
      }
      func misfit(_ candidate: Candidate) -> Double {
        Self.misfit(latencies(candidate) { $0 != outing }, rest)
      }
      guard rest.count >= Self.leastCount, outings.contains(where: { $0 != outing }),
        let best = candidates.map({ (misfit($0), $0) }).min(by: { $0.0 < $1.0 })?.1
      else { continue }
      let measured = Sample(own.flatMap(\.exits).map(\.latency)).median
      let residual =
        Self.logarithm(measured) - Self.logarithm(latencies(best) { $0 == outing }.median)
      // What days differ by is drawn for each day, and not here again.
      let chance = days * days * (1 / count(own) + 1 / count(others))
      residuals.append(max(0, residual * residual - chance).squareRoot())
    }
    return Self.scale(residuals)
  }

  /// The 95 % interval of a factor, from residuals of logarithms about zero; nil for fewer than two.
  ///
  /// Normal residuals whose variance is not known: its prior is a scaled inverse χ² distribution, in which
  /// the assumed scale counts as two residuals more (A. Gelman et al., *Bayesian Data Analysis*, 3rd
  /// edition, 2.6), so that the interval is Student's.
  static func scale(_ residuals: [Double]) -> ClosedRange<Double>? {
    guard residuals.count >= 2 else { return nil }
    let prior = 2.0
    let assumed = log(DeviceProfile.assumedScale.upperBound) / 1.96
    let freedom = prior + Double(residuals.count)
    let squares = residuals.reduce(prior * assumed * assumed) { $0 + $1 * $1 }
    let factor = exp(Self.student(freedom) * (squares / freedom).squareRoot())
    let most = 100.0
    return Sample.rounded(1 / min(most, factor))...Sample.rounded(min(most, factor))
  }

  /// The 97.5 % quantile of Student's distribution, 0.3 % low for 4 degrees of freedom and nearer for more
  /// (M. Abramowitz, I. A. Stegun, *Handbook of Mathematical Functions*, 1964, 26.7.5).
  static func student(_ freedom: Double) -> Double {
    let x = 1.959964
    let (x3, x5) = (x * x * x, x * x * x * x * x)
    let first = (x3 + x) / 4
    let second = (5 * x5 + 16 * x3 + 3 * x) / 96
    let third = (3 * x5 * x * x + 19 * x5 + 17 * x3 - 15 * x) / 384
    return x + first / freedom + second / (freedom * freedom) + third / (freedom * freedom * freedom)
  }

  private static func logarithm(_ latency: Double?) -> Double {
    log(max(leastLatency, latency ?? 0))
  }

  /// The profile with another cushion, wake delay and interval.
  private static func profile(
    _ profile: DeviceProfile, cushion: Double, wake: Double, interval: Double
  ) -> DeviceProfile {
    var profile = profile
    profile.regions.cushion = Figure(
      cushion, low: cushion, high: cushion, basis: .measured, source: ProfileFit.source)
    // The spread is assumed: from a tenth of the median to five times it.
    func spread(_ median: Double, _ factors: [(Double, Double)]) -> Quantiles? {
      Quantiles(
        factors.map { Quantiles.Point($0.0, max(0.1, median * $0.1)) }, basis: .measured,
        source: ProfileFit.source)
    }
    if let quantiles = spread(wake, [(0, 0.1), (0.5, 1), (0.9, 2.5), (1, 5)]) {
      profile.regions.wakeDelay = quantiles
    }
    if let quantiles = spread(interval, [(0, 0.25), (0.5, 1), (0.9, 2), (1, 4)]) {
      profile.regions.interval = quantiles
    }
    return profile
  }

  /// The replay of an exit; nil when the truth does not leave the region.
  func trip(_ range: MeasuredRange, _ exit: MeasuredExit) -> Trip? {
    guard let truth = truths[range.run] else { return nil }
    guard
      let track = try? truth.part(
        from: max(range.start - Self.before, exit.tripStart - Self.before), to: exit.tripStart + Self.after)
    else { return nil }
    var cursor = TruthCursor(track)
    let start = Timestamp(microseconds: Int64(exit.tripStart * 1e6))
    let center = cursor.position(at: start)
    var second = 0.0
    while second < Self.after {
      let time = start.advanced(bySeconds: second)
      let position = cursor.position(at: time)
      if Geodesic.uncheckedDistance(position, center) > Self.radius {
        return Trip(track: track, center: center, crossing: time)
      }
      second += 1
    }
    return nil
  }

  /// The simulated latencies of the exits, seconds from being 100 m away. An exit that is not reported until
  /// the replay ends counts as reported then.
  func predict(_ trips: [Trip], _ profile: DeviceProfile, replays: Range<Int>) -> [Double] {
    Array(predictEach(trips, profile, replays: replays).joined())
  }

  /// The same by trip.
  private func predictEach(
    _ trips: [Trip], _ profile: DeviceProfile, replays: Range<Int>
  ) -> [[Double]] {
    trips.enumerated().map { index, trip in
      var latencies: [Double] = []
      for replay in replays {
        let scenario = Scenario(
          track: trip.track, profile: profile,
          seed: seed &+ UInt64(index) &* 1_000_003 &+ UInt64(replay) &* 7919)
        guard
          let result = try? Simulation.run(
            scenario, recording: .events, app: { FenceApp(center: trip.center) })
        else { continue }
        let told = result.timeline.first {
          if case .delivered(.exited) = $0.kind { return true }
          return false
        }
        latencies.append((told?.time ?? result.end).seconds(since: trip.crossing))
      }
      return latencies
    }
  }
}

/// An app that monitors one region of 100 m.
private struct FenceApp: PhoneApp {
  let center: Coordinate

  mutating func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    guard case .launched(.user) = event else { return }
    phone.startMonitoring(
      MonitoredRegion(identifier: "home", area: .circle(center: center, radius: RegionFit.radius)))
  }
}
