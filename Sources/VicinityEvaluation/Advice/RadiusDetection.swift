public import VicinityCrossings
public import VicinityGeodesy
public import VicinityMonitor
public import VicinitySimulation

/// How entries are detected.
public enum DetectionMethod: Hashable, Sendable {
  /// The system monitors the region in one of its slots.
  case regionMonitoring
  /// The app receives positions of a tier in the background, and decides from them.
  case continuousTracking(DesiredAccuracy)
}

/// What it takes for a phone to notice that it is in a region.
///
/// The phone checks its position again and again. It enters a region when a check finds it inside by at least
/// the cushion, and it is still there when the time to remain is over. So it must stay within ``reach(of:)``
/// of the centre, without a break, for the time to remain and for the time that the next check takes to come.
public struct RadiusDetection: Hashable, Sendable {
  public let method: DetectionMethod
  /// The rule that sets the cushion; continuous tracking has none.
  private let rule: CushionRule
  /// The position error that 68 % of positions stay below, metres.
  public let accuracy: Meters
  /// How long the phone must remain inside, seconds.
  public let timeToRemain: Double
  /// Seconds from one check to the next.
  public let interval: Quantiles
  /// The largest radius that the phone can monitor, metres.
  public let maximumRadius: Meters

  /// Takes the figures from a phone's profile.
  ///
  /// Region monitoring has the cushion, time to remain, checks and positions of `DeviceProfile.regions`.
  /// Continuous tracking has the interval and the positions of its tier on the move, and enters a region at
  /// the first position in it.
  public init(_ method: DetectionMethod, on profile: DeviceProfile) {
    self.method = method
    maximumRadius = profile.regions.maximumRadius.value
    let tier: TierProfile? =
      if case .continuousTracking(let accuracy) = method { profile.tier(accuracy) } else { nil }
    if let tier {
      rule = CushionRule(cushion: 0, inwardShare: 0, timeToRemain: 0)
      timeToRemain = 0
      accuracy = tier.moving.error.value(at: 0.68)
      interval = tier.interval
    } else {
      let regions = profile.regions
      timeToRemain = regions.timeToRemain.value
      rule = CushionRule(
        cushion: regions.cushion.value, inwardShare: regions.inwardShare.value, timeToRemain: 0)
      accuracy = regions.positions.error.value(at: 0.68)
      interval = regions.interval
    }
  }

  /// How far from the centre of a region of some radius the phone may be and still be found inside, metres,
  /// allowing for the accuracy; negative where the region is too small.
  public func reach(of radius: Meters) -> Meters {
    radius - rule.inwardCushion(room: radius) - accuracy
  }

  /// The inverse of ``reach(of:)``.
  public func radius(reaching reach: Meters) -> Meters {
    rule.room(leaving: max(0, reach + accuracy))
  }

  /// The least radius at which a pass straight through the centre can be reported, metres: half the distance
  /// covered in the time to remain, plus cushion and accuracy. For Core Location's 20 s, r >= 10 s × v +
  /// cushion + accuracy.
  public func leastRadius(atSpeed speed: MetersPerSecond) -> Meters {
    radius(reaching: max(0, speed) * timeToRemain / 2)
  }

  /// The share of passes that are noticed, among those that stay within reach for `seconds`.
  ///
  /// Passes begin independently of the checks. So the time to the next check has the density (1 - F)/mean of
  /// a renewal process in equilibrium (D. R. Cox, *Renewal Theory*, 1962, section 5.2), and the share is
  /// E[min(I, x)]/E[I], where I is the interval between checks and x the time beyond the time to remain.
  func share(noticedWithin seconds: Double) -> Double {
    let x = seconds - timeToRemain
    guard x >= 0 else { return 0 }
    var reached = 0.0
    var whole = 0.0
    for k in 0..<Self.samples {
      let length = interval.value(at: (Double(k) + 0.5) / Double(Self.samples))
      reached += min(length, x)
      whole += length
    }
    return whole > 0 ? reached / whole : 1
  }

  private static let samples = 64

  /// The durations at which passes are measured, seconds: from the least that can be enough to one that is
  /// always enough. Steps grow, because the first seconds matter most.
  var lengths: [Double] {
    let longest = max(1, interval.value(at: 1))
    return (0...12).map { timeToRemain + longest * Double($0 * $0) / 144 }
  }
}
