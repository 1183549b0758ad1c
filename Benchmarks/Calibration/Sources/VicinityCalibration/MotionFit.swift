internal import VicinityMonitor
internal import VicinitySimulation

/// Fits the additional power of a tier in motion. With the fitted power, the simulated drain in motion,
/// including the energy of fixes and the overlap of components, equals the measured one.
struct MotionFit {
  /// The measured drain in motion, per cent an hour.
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

  /// The power with which the simulator reaches a drain, milliwatts. By bisection, because more power drains
  /// more.
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
