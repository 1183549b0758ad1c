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
  /// How many times each trip is replayed for a candidate.
  private static let replays = 6
  /// Latencies are compared by their ratios, because they spread over two decades. Below this many seconds they count as equal:
  /// the truth is not known better.
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
    guard measured.count >= 4, !trips.isEmpty else {
      fitted.notes.append("regions: too few exits measured on these days")
      return fitted
    }
    var candidates: [(misfit: Double, cushion: Double, wake: Double, interval: Double)] = []
    for cushion in Self.cushions {
      for wake in Self.wakeDelays {
        for interval in Self.intervals {
          let profile = Self.profile(fitted.profile, cushion: cushion, wake: wake, interval: interval)
          let latencies = Sample(predict(trips, profile, replays: 0..<Self.replays))
          let misfit = Self.probabilities.reduce(0) { sum, probability in
            sum
              + abs(
                Self.logarithm(latencies.quantile(probability))
                  - Self.logarithm(measured.quantile(probability)))
          }
          candidates.append((misfit, cushion, wake, interval))
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
    return fitted
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

  /// The simulated latencies of the exits, seconds from being 100 m away. An exit that is not reported until the replay ends counts
  /// as reported then.
  func predict(_ trips: [Trip], _ profile: DeviceProfile, replays: Range<Int>) -> [Double] {
    var latencies: [Double] = []
    for (index, trip) in trips.enumerated() {
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
    }
    return latencies
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
