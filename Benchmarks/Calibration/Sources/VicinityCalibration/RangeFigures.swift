internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinitySimulation

/// The quantities that are compared for a range, measured or simulated.
struct RangeFigures {
  /// Errors in metres, of fixes in motion, or of all fixes of a phone that lay still; the accuracies they
  /// reported; the seconds between fixes.
  var errors: [Double] = []
  var reported: [Double] = []
  var intervals: [Double] = []
  /// Per cent an hour as the battery's level shows it; nil for short ranges.
  var drain: Double?
  /// Per cent an hour that was drawn, simulated figures only; nil for short ranges.
  var drawn: Double?

  init(_ range: MeasuredRange, _ truth: ReplayTruth?) {
    let errors = range.errors.filter {
      range.isStationary ? $0.truth == .site : $0.truth == .reference && $0.isMoving && !range.isControl
    }
    self.errors = errors.map(\.error)
    reported = errors.map(\.accuracy)
    if range.isStationary {
      intervals = zip(range.fixes, range.fixes.dropFirst()).map { $1.time - $0.time }
    } else if let truth {
      intervals = TierFit.intervals(range, truth)
    }
    if range.isStationary {
      drain = EnergyFit.stationaryRate(range)
    } else if range.hours >= EnergyFit.leastHours {
      drain = range.endpointDrain
    }
  }

  /// The simulated figures: the service is on when the phone's was, and the reference's error is added.
  init(
    predicting range: MeasuredRange, _ truth: ReplayTruth, on sections: [MeasuredSection] = [],
    by fitted: FittedProfile, seed: UInt64
  ) throws(SimulationError) {
    var random = RandomStream(seed: seed, "calibration/noise")
    let perPercent = fitted.profile.milliwattsPerPercentAnHour
    var drawn = 0.0
    var tracked = 0.0
    if let key = range.tierKey {
      let replay = StandardReplay(
        profile: fitted.profile(for: range, key), accuracy: key.accuracy,
        distanceFilter: range.replayedFilter, isAtMeasuredSite: range.isStationary, sections: sections)
      for (index, interval) in range.tracking.enumerated() where interval.upperBound - interval.lowerBound > 1
      {
        let track = try truth.part(from: interval.lowerBound, to: interval.upperBound)
        let outcome = try replay.run(track, seed: seed &+ UInt64(index) &* 104_729)
        let work = Double(outcome.fixes.count) * fitted.work.millijoules(range) / 1000
        drawn += (outcome.joules + work) / 3.6 / perPercent
        tracked += (interval.upperBound - interval.lowerBound) / 3600
        compare(outcome.fixes, with: track, truth, range, fitted.noise, &random)
      }
    }
    drawn += max(0, range.hours - tracked) * fitted.profile.idle.value / perPercent
    drawn *= fitted.factors[range.phone]
    guard range.hours >= EnergyFit.leastHours else { return }
    self.drawn = drawn / range.hours
    if range.isStationary {
      drain = drawn / range.hours
    } else {
      // Levels are whole per cent.
      drain = fitted.gauge.shown(drawn, from: range.battery.first?.level ?? 100).rounded() / range.hours
    }
  }

  private mutating func compare(
    _ fixes: [Fix], with track: TrueTrack, _ truth: ReplayTruth, _ range: MeasuredRange, _ noise: Sample,
    _ random: inout RandomStream
  ) {
    var cursor = TruthCursor(track)
    var behind = TruthCursor(track)
    var ahead = TruthCursor(track)
    var last: Timestamp?
    for fix in fixes where fix.time >= track.start {
      // A cached position comes first, with the time of its measurement.
      if let last, fix.time <= last { continue }
      let isKnown = range.isStationary || truth.isKnown(at: fix.time.seconds)
      if let last, isKnown, range.isStationary || truth.isKnown(at: last.seconds) {
        intervals.append(fix.time.seconds(since: last))
      }
      last = fix.time
      let position = cursor.position(at: fix.time)
      // The speed over ten seconds, as for the measured errors.
      let from = behind.position(at: max(track.start, fix.time.advanced(bySeconds: -5)))
      let to = ahead.position(at: min(track.end, fix.time.advanced(bySeconds: 5)))
      let speed = Geodesic.uncheckedDistance(from, to) / 10
      guard isKnown, range.isStationary || speed > MeasuredError.movingSpeed else { continue }
      var error = Geodesic.uncheckedDistance(fix.coordinate, position)
      if !range.isStationary, let length = noise.quantile(random.unit()) {
        let cosine = cos(random.unit() * 2 * .pi)
        let square = error * error + length * length + 2 * error * length * cosine
        error = max(0, square).squareRoot()
      }
      errors.append(error)
      reported.append(fix.horizontalAccuracy)
    }
  }
}
