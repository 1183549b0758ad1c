internal import CMath
package import VicinityCrossings
package import VicinityGeodesy

/// How much one day of a phone differs from another: other streets, weather and networks, another phone of
/// the same kind.
///
/// Each figure is the standard deviation, 0...2, of the natural logarithm of a factor whose median is 1. A
/// simulated day draws its factors once, from its seed and from where and when it begins, so that all
/// policies have the same day.
public struct DayEffects: Hashable, Sendable, Codable {
  /// Of the errors of positions outdoors. Under a roof an error lasts for hours, so its distribution contains
  /// the difference.
  public var errors: Figure
  /// Of all power and energy but the display's.
  public var power: Figure
  /// Of the times between the checks of monitored regions, the first one's after rest included.
  public var regionTimes: Figure

  public init(errors: Figure, power: Figure, regionTimes: Figure) {
    (self.errors, self.power, self.regionTimes) = (errors, power, regionTimes)
  }
}

/// The normal scores of one day: how many standard deviations its effects are above the median.
package struct DayScores: Hashable, Sendable {
  package var errors: Double
  package var power: Double
  package var regionTimes: Double

  package init(errors: Double, power: Double, regionTimes: Double) {
    (self.errors, self.power, self.regionTimes) = (errors, power, regionTimes)
  }

  /// Those of a day that begins at a place and a time.
  package init(from place: Coordinate, at start: Timestamp, seed: UInt64) {
    var seed = seed
    for part in [
      UInt64(bitPattern: start.microseconds), place.latitude.bitPattern, place.longitude.bitPattern,
    ] {
      seed = (seed ^ part) &* 0x9E37_79B9_7F4A_7C15
      seed ^= seed >> 29
    }
    var random = RandomStream(seed: seed, "day")
    self.init(errors: random.normal(), power: random.normal(), regionTimes: random.normal())
  }

  /// The scores of many days that together have the distribution of all days: the middles of as many equally
  /// probable parts, each effect in an order of its own.
  package static func stratified(_ count: Int, seed: UInt64) -> [DayScores] {
    var random = RandomStream(seed: seed, "days")
    func scores() -> [Double] {
      var scores = (0..<count).map { NormalDistribution.score(at: (Double($0) + 0.5) / Double(count)) }
      for last in stride(from: count - 1, to: 0, by: -1) {
        let other = Int(random.next().multipliedFullWidth(by: UInt64(last + 1)).high)
        scores.swapAt(last, other)
      }
      return scores
    }
    let (errors, power, regionTimes) = (scores(), scores(), scores())
    return (0..<count).map {
      DayScores(errors: errors[$0], power: power[$0], regionTimes: regionTimes[$0])
    }
  }
}

extension DeviceProfile {
  /// The phone as it is on one day; unchanged without ``days``.
  package func day(_ scores: DayScores) -> DeviceProfile {
    guard let days else { return self }
    let errors = days.errors.factor(scores.errors)
    let power = days.power.factor(scores.power)
    let times = days.regionTimes.factor(scores.regionTimes)
    var profile = self
    profile.days = nil
    for (accuracy, tier) in tiers { profile.tiers[accuracy] = tier.day(errors: errors, power: power) }
    profile.idle.scale(by: power)
    profile.awake.scale(by: power)
    profile.work.scale(by: power)
    profile.regions.positions.error = regions.positions.error.scaled(by: errors)
    profile.regions.ways = regions.ways?.mapValues { $0.day(errors: errors) }
    profile.regions.restInterval = regions.restInterval.scaled(by: times, within: ProfileCheck.interval)
    profile.regions.wakeDelay = regions.wakeDelay.scaled(by: times)
    profile.regions.interval = regions.interval.scaled(by: times, within: ProfileCheck.interval)
    profile.regions.look.scale(by: power)
    profile.regions.watching.scale(by: power)
    profile.significantChange.positions.error = significantChange.positions.error.scaled(by: errors)
    profile.significantChange.report.scale(by: power)
    profile.significantChange.listening.scale(by: power)
    profile.beacons.scan.scale(by: power)
    profile.beacons.ranging.scale(by: power)
    profile.beacons.advertising.scale(by: power)
    profile.heading.power.scale(by: power)
    return profile
  }
}

extension TierProfile {
  /// The tier on a day whose errors outdoors and whose power differ by these factors.
  package func day(errors: Double, power: Double) -> TierProfile {
    var tier = self
    tier.moving.error = moving.error.scaled(by: errors)
    tier.still?.error = (still ?? moving).error.scaled(by: errors)
    if let fallback { tier.fallback?.positions.error = fallback.positions.error.scaled(by: errors) }
    tier.ways = ways?.mapValues { $0.day(errors: errors) }
    tier.gnss.scale(by: power)
    tier.wifi.scale(by: power)
    tier.cell.scale(by: power)
    tier.processor.scale(by: power)
    tier.motion.scale(by: power)
    tier.fix.scale(by: power)
    return tier
  }
}

extension WayModel {
  fileprivate func day(errors: Double) -> WayModel {
    var model = self
    model.positions.error = positions.error.scaled(by: errors)
    if let fallback { model.fallback?.positions.error = fallback.positions.error.scaled(by: errors) }
    return model
  }
}

extension Figure {
  /// The most that a day's effect counts, standard deviations.
  private static let mostDeviations = 4.0

  /// The factor of a day with a normal score, where this is the standard deviation of its logarithm.
  package func factor(_ score: Double) -> Double {
    exp(value * min(Self.mostDeviations, max(-Self.mostDeviations, score)))
  }

  fileprivate mutating func scale(by factor: Double) { self = scaled(by: factor) }
}

extension Quantiles {
  /// The distribution with its values multiplied by a factor, each moved into a range.
  func scaled(
    by factor: Double, within range: ClosedRange<Double> = ProfileCheck.distance
  ) -> Quantiles {
    let points = points.map { point in
      Point(point.probability, min(range.upperBound, max(range.lowerBound, point.value * factor)))
    }
    return Quantiles(points, basis: basis, source: source, scale: scale) ?? self
  }
}
