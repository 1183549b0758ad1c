internal import VicinitySimulation

/// Milliwatts that motion may add where nothing is known.
private let greatestMotion = 1000.0

extension ProfileFit {
  /// What tiers took where phones lay for long, per cent an hour. One that was not measured there takes what it does at other
  /// intervals, else what the next better one does.
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

  /// What days out took on the move, by tier, for ``MotionFit``; and what the app's own work is of that.
  func fitMoving(
    _ fitted: inout FittedProfile, _ ranges: [MeasuredRange], _ rates: [TierKey: EnergyFit.Rate], idle: Double
  ) -> [TierKey: MotionFit.Target] {
    var found: [TierKey: [AppWork.Day]] = [:]
    for range in ranges {
      guard let key = range.tierKey, let truth = truths[range.run], let home = rates[key]?.value else {
        continue
      }
      let factor = fitted.factors[range.phone]
      // What it took at rest that day, or on others.
      let still =
        EnergyFit.restingRate(range, truth).map { $0 / factor }
        ?? idle + max(0, home - idle) * fitted.places.ratio
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
      // The iPhone that was always on is the one in which trips were noted by hand, its display lit.
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

  /// How many fixes a phone is told of in each hour on the move, by the simulator.
  private func fixesAnHour(
    _ range: MeasuredRange, _ truth: ReplayTruth, _ profile: DeviceProfile, _ accuracy: DesiredAccuracy
  ) -> Double {
    let replay = StandardReplay(
      profile: profile, accuracy: accuracy, distanceFilter: range.replayedFilter)
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

  /// What motion adds where it was not measured: as much as to best where positions are best's too, else nothing, and perhaps as
  /// much. Never what the pattern says, which may have been fitted to days that are to be judged.
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
          borrowing.contains(accuracy) ? best.taken(from: Self.otherSource) : none
      }
      if measured[TierKey(accuracy: accuracy, isSlow: true)] == nil {
        let motion = measured[slowBest] == nil ? nil : fitted.slow[.best]?.motion
        fitted.slow[accuracy]?.motion = motion ?? none
      }
    }
  }
}
