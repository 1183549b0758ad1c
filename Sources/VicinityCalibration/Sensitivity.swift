package import VicinitySimulation

/// What a tier takes and gives when all its figures are at their low ends, as they are, and at their high ends: how much what is
/// only assumed matters.
package struct Sensitivity: Sendable {
  /// A number and the two ends.
  package struct Spread: Hashable, Sendable {
    package var low: Double
    package var value: Double
    package var high: Double
  }

  package var tier: DesiredAccuracy
  /// Whether its positions on the move, and its power at rest, were measured.
  package var positions: Figure.Basis
  package var power: Figure.Basis
  /// Per cent an hour of the nominal battery, idle power included.
  package var still: Spread
  package var moving: Spread
  /// The median error on the move, metres, with what 90 % of the errors lie between.
  package var error: Spread

  /// The tiers of a profile, the finest first.
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
