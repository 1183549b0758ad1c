/// A phone in numbers, each with its source.
///
/// Read from a JSON file of `Data/devices`, whose keys are these properties' names.
public struct DeviceProfile: Hashable, Sendable, Codable {
  /// Which services a phone has.
  public enum Platform: String, CaseIterable, Hashable, Sendable, Codable {
    /// A phone with Core Location.
    case ios
    /// An Android phone: its priorities stand for tiers.
    case android
    /// A computer.
    case macos
  }

  /// Short, for command lines: `iphone-6`.
  public var name: String
  /// In full.
  public var title: String
  /// Which services it has.
  public var platform: Platform
  /// What figures are to be thought of, in sentences.
  public var notes: [String]
  /// What the figures' ``Figure/source`` keys stand for.
  public var sources: [String: String]

  /// The battery's energy, watt-hours, nominal.
  public var battery: Figure
  /// What is drawn regardless, milliwatts.
  public var idle: Figure
  /// What the display draws, milliwatts.
  public var screen: Figure
  /// The processor woken for an app, milliwatts above idle.
  public var awake: Figure
  /// How long it stays awake after the last work, seconds.
  public var awakeTail: Figure
  /// What an app's own work draws, milliwatts above that.
  public var work: Figure

  /// The tiers; ``DesiredAccuracy/best`` and ``DesiredAccuracy/hundredMeters`` at least.
  public var tiers: [DesiredAccuracy: TierProfile]
  /// How long satellites take to be found.
  public var firstFix: FirstFixProfile
  /// How regions are monitored.
  public var regions: RegionMonitoringProfile
  /// How the significant-change and visit services work.
  public var significantChange: SignificantChangeProfile
  /// Beacons.
  public var beacons: BeaconProfile
  /// The compass.
  public var heading: HeadingProfile

  /// The tier that stands for another that the phone has no figures of its own for: the next better one that has.
  public func tier(_ accuracy: DesiredAccuracy) -> TierProfile? {
    let order = DesiredAccuracy.allCases
    guard let at = order.firstIndex(of: accuracy) else { return nil }
    for candidate in order[...at].reversed() {
      if let tier = tiers[candidate] { return tier }
    }
    return tiers[.best]
  }

  /// The power that drains the battery by a per cent in an hour, milliwatts.
  public var milliwattsPerPercentAnHour: Double { battery.value * 10 }
  /// The battery's share that a joule is, per cent.
  public var percentPerJoule: Double { 1 / (3.6 * milliwattsPerPercentAnHour) }
}

/// The time to first fix.
///
/// Hot: satellites were tracked shortly before. Warm: the almanac and a rough position are known, or the network helps.
/// Cold: nothing is known.
public struct FirstFixProfile: Hashable, Sendable, Codable {
  /// Seconds, with ephemerides at hand.
  public var hot: Quantiles
  /// Seconds, with the network's help or fresh almanacs.
  public var warm: Quantiles
  /// Seconds, with nothing.
  public var cold: Quantiles
  /// For how many seconds after satellites were tracked a start is hot.
  public var hotFor: Figure
  /// For how many seconds after that, without a network, a start is warm.
  public var warmFor: Figure
}

/// How the system watches circles.
public struct RegionMonitoringProfile: Hashable, Sendable, Codable {
  /// How many regions an app may register.
  public var slots: Int
  /// The largest radius, metres; larger ones are clamped.
  public var maximumRadius: Figure
  /// How far beyond the boundary the phone must be seen, metres.
  public var cushion: Figure
  /// The share of a region's radius that the cushion may take inwards, 0...1.
  public var inwardShare: Figure
  /// How long it must remain there, seconds.
  public var timeToRemain: Figure
  /// How long after motion begins the system looks for the first time, seconds.
  public var wakeDelay: Quantiles
  /// Seconds between two looks of a phone that moves.
  public var interval: Quantiles
  /// How far off the looks are.
  public var positions: PositionModel
  /// What is added by the way from the decision to the app, seconds.
  public var delivery: Quantiles
  /// What a look costs, millijoules: Wi-Fi and cells.
  public var look: Figure
  /// What watching costs while the phone moves, milliwatts, looks apart.
  public var watching: Figure
}

/// The significant-change service, and visits.
public struct SignificantChangeProfile: Hashable, Sendable, Codable {
  /// The least distance, metres: 500 by Apple's guide.
  public var distance: Figure
  /// The least time between two, seconds: 300 by Apple's guide.
  public var interval: Figure
  /// How far the phone goes until it is noticed that its cell has changed, metres.
  public var cellChange: Quantiles
  /// Its positions.
  public var positions: PositionModel
  /// What a report costs, millijoules.
  public var report: Figure
  /// What listening costs while the phone moves, milliwatts.
  public var listening: Figure
  /// Seconds from arriving to the visit being reported.
  public var arrival: Quantiles
  /// Seconds from leaving to the departure being reported.
  public var departure: Quantiles
}

/// Bluetooth beacons.
public struct BeaconProfile: Hashable, Sendable, Codable {
  /// Monitoring: the share of the time that is listened, as seconds between two scans.
  public var scanInterval: Figure
  /// What a scan costs, millijoules.
  public var scan: Figure
  /// What ranging draws, milliwatts.
  public var ranging: Figure
  /// What advertising draws, milliwatts.
  public var advertising: Figure
  /// The standard deviation of what is heard, decibels.
  public var noise: Figure
  /// Seconds without a sighting until a beacon region is left.
  public var exitAfter: Figure
}

/// The compass.
public struct HeadingProfile: Hashable, Sendable, Codable {
  /// How far off it is, degrees, one standard deviation.
  public var error: Figure
  /// After how many seconds its error is correlated to 1/e.
  public var correlationTime: Figure
  /// How often it is read, times a second.
  public var rate: Figure
  /// What it draws, milliwatts.
  public var power: Figure
}
