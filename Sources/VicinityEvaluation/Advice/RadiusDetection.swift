public import VicinityCrossings
public import VicinityGeodesy
public import VicinitySimulation

/// What it takes for a phone to notice that it is in a region, in numbers.
///
/// The phone looks where it is again and again. A region is entered when the phone has been seen beyond the cushion within it,
/// and is still seen there when the time to remain is over. So it must keep, without a break, within
/// ``RadiusDetection/reach(of:)`` of the middle for the time to remain, and for as long before as the next look takes to
/// come.
public struct RadiusDetection: Hashable, Sendable {
  /// What notices.
  public enum Means: Hashable, Sendable {
    /// The system, for a region in one of its slots.
    case regionMonitoring
    /// The app, from the positions of a tier that it is sent in the background.
    case following(DesiredAccuracy)
  }

  /// What notices.
  public let means: Means
  /// How far within the boundary the phone must be seen, metres, where the region is large enough.
  public let cushion: Meters
  /// The share of the radius that the cushion may take, 0...1.
  public let inwardShare: Double
  /// How far off positions are, metres: 68 % are better.
  public let accuracy: Meters
  /// How long the phone must remain there, seconds.
  public let timeToRemain: Double
  /// Seconds from one look to the next.
  public let interval: Quantiles
  /// The largest radius that there is, metres.
  public let maximumRadius: Meters

  /// What it takes on a phone: the figures of its profile.
  ///
  /// Region monitoring: cushion, time to remain, looks and positions of `DeviceProfile.regions`. A tier:
  /// its interval and positions on the move; a region is entered at the first position in it.
  public init(_ means: Means, on profile: DeviceProfile) {
    self.means = means
    maximumRadius = profile.regions.maximumRadius.value
    let tier: TierProfile? =
      if case .following(let accuracy) = means { profile.tier(accuracy) } else { nil }
    if let tier {
      (cushion, inwardShare, timeToRemain) = (0, 0, 0)
      accuracy = tier.moving.error.value(at: 0.68)
      interval = tier.interval
    } else {
      let regions = profile.regions
      (cushion, inwardShare) = (regions.cushion.value, regions.inwardShare.value)
      timeToRemain = regions.timeToRemain.value
      accuracy = regions.positions.error.value(at: 0.68)
      interval = regions.interval
    }
  }

  /// How far from the middle of a region of some radius the phone may be and still be seen within it, metres, allowing for
  /// the accuracy; negative where a region is too small for any.
  public func reach(of radius: Meters) -> Meters {
    radius - min(cushion, inwardShare * radius) - accuracy
  }

  /// The inverse of ``reach(of:)``: the radius of the region that has a reach.
  public func radius(reaching reach: Meters) -> Meters {
    let inner = max(0, reach + accuracy)
    let shared = inwardShare < 1 ? inner / (1 - inwardShare) : .infinity
    return inwardShare * shared <= cushion ? shared : inner + cushion
  }

  /// The least radius of a region that is reported at all when it is passed straight through its middle, metres:
  /// half the way in the time to remain, cushion and accuracy; r >= 10 s × v + cushion + accuracy for Core Location's 20 s.
  public func leastRadius(atSpeed speed: MetersPerSecond) -> Meters {
    radius(reaching: max(0, speed) * timeToRemain / 2)
  }

  /// The share of passes that are noticed, of those that keep within reach for so many seconds.
  ///
  /// When a pass begins is no concern of the looks', so the time until the next has the density (1 - F)/mean of
  /// a renewal process in equilibrium (D. R. Cox, *Renewal Theory*, 1962, section 5.2): the share is E[min(I, x)]/E[I] of the
  /// interval I, x the time beyond the time to remain.
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

  /// The lengths of time at which passes are measured: from what is needed at least to what is certainly enough.
  ///
  /// Steps grow, as the first seconds matter most.
  var lengths: [Double] {
    let longest = max(1, interval.value(at: 1))
    return (0...12).map { timeToRemain + longest * Double($0 * $0) / 144 }
  }
}
