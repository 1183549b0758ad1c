package import VicinityMonitor
package import VicinitySimulation

/// The power and error of a tier with all its figures at their low ends, at their values and at their high
/// ends. Shows how much the assumptions matter.
package struct Sensitivity: Sendable {
  /// A number with its two ends.
  package struct Spread: Hashable, Sendable {
    package var low: Double
    package var value: Double
    package var high: Double
  }

  package var tier: DesiredAccuracy
  /// The origin of its positions in motion, and of its power at rest.
  package var positions: Figure.Basis
  package var power: Figure.Basis
  /// Per cent of the nominal battery an hour, including idle power.
  package var still: Spread
  package var moving: Spread
  /// The median error in motion, metres, with the 5 % and 95 % points.
  package var error: Spread

  /// All tiers of a profile, the finest first.
  package static func tiers(of profile: DeviceProfile) -> [Sensitivity] {
    DesiredAccuracy.allCases.compactMap { accuracy in
      guard let tier = profile.tiers[accuracy] else { return nil }
      let held = [tier.gnss, tier.wifi, tier.cell, tier.processor]
      let interval = max(0.1, tier.interval.value(at: 0.5))
      func spread(_ isMoving: Bool) -> Spread {
        func sum(_ end: (Figure) -> Double) -> Double {
          var milliwatts = end(profile.idle) + held.reduce(0) { $0 + end($1) }
          if isMoving { milliwatts += end(tier.motion) + end(tier.fix) / interval }
          return milliwatts / profile.milliwattsPerPercentAnHour
        }
        return Spread(low: sum(\.low), value: sum(\.value), high: sum(\.high))
      }
      let isMeasured = held.contains { $0.basis == .measured }
      return Sensitivity(
        tier: accuracy, positions: tier.moving.error.basis,
        power: isMeasured ? .measured : held.first { $0.value > 0 }?.basis ?? .assumed, still: spread(false),
        moving: spread(true),
        error: Spread(
          low: tier.moving.error.value(at: 0.05), value: tier.moving.error.value(at: 0.5),
          high: tier.moving.error.value(at: 0.95)))
    }
  }
}
