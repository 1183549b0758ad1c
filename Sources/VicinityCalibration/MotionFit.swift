internal import VicinitySimulation

/// Fits what motion adds to a tier's power, in the simulator: with what each fix costs and how components overlap, the drain on
/// the move is then the measured one.
struct MotionFit {
  /// Per cent an hour on the move.
  struct Target {
    var rate: Double
    var low: Double
    var high: Double
  }

  let seed: UInt64

  func fit(_ fitted: inout FittedProfile, _ targets: [TierKey: Target]) {
    for accuracy in DesiredAccuracy.allCases {
      for isSlow in [false, true] {
        let key = TierKey(accuracy: accuracy, isSlow: isSlow)
        guard let target = targets[key],
          isSlow ? fitted.slow[accuracy] != nil : fitted.profile.tiers[accuracy] != nil
        else { continue }
        let value = motion(fitted.profile(for: key), accuracy, target.rate)
        let low = motion(fitted.profile(for: key), accuracy, target.low)
        let high = motion(fitted.profile(for: key), accuracy, target.high)
        let figure = Figure(
          value, low: min(value, low), high: max(value, high), basis: .measured, source: ProfileFit.source)
        if isSlow {
          fitted.slow[accuracy]?.motion = figure
        } else {
          fitted.profile.tiers[accuracy]?.motion = figure
        }
      }
    }
  }

  /// The milliwatts with which the simulator drains so much: by bisection, as more power drains more.
  private func motion(_ profile: DeviceProfile, _ accuracy: DesiredAccuracy, _ target: Double) -> Double {
    func rate(_ motion: Double) -> Double {
      var profile = profile
      guard var tier = profile.tier(accuracy) else { return 0 }
      tier.motion = Figure(motion, low: motion, high: motion, basis: .assumed, source: tier.motion.source)
      profile.tiers[accuracy] = tier
      let replay = StandardReplay(profile: profile, accuracy: accuracy, distanceFilter: 1)
      return (try? replay.movingRate(seed: seed)) ?? 0
    }
    var low = 0.0
    var high = max(100, 2 * target * profile.milliwattsPerPercentAnHour)
    guard rate(low) < target else { return 0 }
    for _ in 0..<14 {
      let middle = (low + high) / 2
      if rate(middle) < target { low = middle } else { high = middle }
    }
    return Sample.rounded((low + high) / 2)
  }
}
