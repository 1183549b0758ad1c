public import VicinityMonitor

/// The figures of a phone, each with its source.
///
/// Read from a JSON file in `Data/devices`; its keys are the names of these properties.
public struct DeviceProfile: Hashable, Sendable, Codable {
  /// The platform, which decides the available services.
  public enum Platform: String, CaseIterable, Hashable, Sendable, Codable {
    case ios
    /// An Android phone: its priorities correspond to tiers.
    case android
    case macos
  }

  /// A short name for command lines: `iphone-6`.
  public var name: String
  /// The full name.
  public var title: String
  public var platform: Platform
  /// The version of the system that the phone runs, where a scenario does not say; nil for a profile that
  /// names none, which is simulated as ``Era/iOS13``.
  public var era: Era?
  /// What to know about the figures, in sentences.
  public var notes: [String]
  /// The sources behind the ``Figure/source`` keys.
  public var sources: [String: String]

  /// The battery's nominal energy, watt-hours.
  public var battery: Figure
  /// The power of the idle phone, milliwatts.
  public var idle: Figure
  /// The power of the display, milliwatts.
  public var screen: Figure
  /// The power of the processor while it is awake for an app, milliwatts above idle.
  public var awake: Figure
  /// How long it stays awake after the last work, seconds.
  public var awakeTail: Figure
  /// The power of an app's own work, milliwatts above ``awake``.
  public var work: Figure

  /// The tiers; `DesiredAccuracy.best` and `DesiredAccuracy.hundredMeters` are required.
  public var tiers: [DesiredAccuracy: TierProfile]
  public var firstFix: FirstFixProfile
  public var regions: RegionMonitoringProfile
  public var significantChange: SignificantChangeProfile
  public var beacons: BeaconProfile
  public var heading: HeadingProfile
  /// How much days differ; nil for a phone whose days are all alike.
  public var days: DayEffects?

  /// The figures of a tier. Where the phone has none for it, those of the next better tier that it has; for
  /// `DesiredAccuracy.bestForNavigation`, those of `DesiredAccuracy.best`.
  public func tier(_ accuracy: DesiredAccuracy) -> TierProfile? { tiers[knownTier(for: accuracy)] }

  /// The tier whose figures are used for another one: itself or the next better one, or best for navigation.
  package func knownTier(for accuracy: DesiredAccuracy) -> DesiredAccuracy {
    let order = DesiredAccuracy.allCases
    guard let index = order.firstIndex(of: accuracy) else { return .best }
    return order[...index].last { tiers[$0] != nil } ?? .best
  }

  /// The power that drains the battery by one per cent an hour, milliwatts.
  public var milliwattsPerPercentAnHour: Double { battery.value * 10 }
  /// The share of the battery that is a joule, per cent.
  package var percentPerJoule: Double { 1 / (3.6 * milliwattsPerPercentAnHour) }
}

/// The time to first fix.
///
/// A start is hot when satellites were tracked shortly before, warm when the almanac and a rough position are
/// known or the network helps, and cold otherwise.
public struct FirstFixProfile: Hashable, Sendable, Codable {
  /// Seconds to the first fix of a hot start.
  public var hot: Quantiles
  /// Seconds to the first fix of a warm start.
  public var warm: Quantiles
  /// Seconds to the first fix of a cold start.
  public var cold: Quantiles
  /// How many seconds after satellites were tracked a start is hot.
  public var hotFor: Figure
  /// How many seconds after that, without a network, a start is warm.
  public var warmFor: Figure
}

/// How the system monitors regions.
public struct RegionMonitoringProfile: Hashable, Sendable, Codable {
  /// How many regions an app may register.
  public var slots: Int
  /// The largest radius, metres. An app must clamp a larger one itself: its region is refused.
  public var maximumRadius: Figure
  /// How far beyond the boundary a position must be, metres.
  public var cushion: Figure
  /// The greatest inward cushion as a share of the region's radius, 0...1.
  public var inwardShare: Figure
  /// How long the phone must remain beyond the cushion, seconds.
  public var timeToRemain: Figure
  /// The time from the beginning of motion to the first check, seconds.
  public var wakeDelay: Quantiles
  /// The time between two checks while the phone moves, seconds.
  public var interval: Quantiles
  /// The time between two checks while the phone is at rest, seconds.
  public var restInterval: Quantiles
  /// The errors of the positions that are checked while the phone moves. At rest they are those of
  /// `DesiredAccuracy.hundredMeters`.
  public var positions: PositionModel
  /// The same where they differ by the way; nil, or a way that is missing, for ``positions``.
  public var ways: [TravelMode: WayModel]?
  /// The delay from the decision to the app, seconds.
  public var delivery: Quantiles
  /// The energy of a check, millijoules: Wi-Fi and cells.
  public var look: Figure
  /// The power of monitoring while the phone moves, without the checks, milliwatts.
  public var watching: Figure
}

/// The significant-change service and the visit service.
public struct SignificantChangeProfile: Hashable, Sendable, Codable {
  /// The least distance between two reports, metres: 500 in Apple's guide.
  public var distance: Figure
  /// The least time between two reports, seconds: 300 in Apple's guide.
  public var interval: Figure
  /// How far the phone travels until a change of cell is noticed, metres.
  public var cellChange: Quantiles
  public var positions: PositionModel
  /// The energy of a report, millijoules.
  public var report: Figure
  /// The power of listening while the phone moves, milliwatts.
  public var listening: Figure
  /// The time from an arrival to its report, seconds.
  public var arrival: Quantiles
  /// The time from a departure to its report, seconds.
  public var departure: Quantiles
}

/// Bluetooth beacons.
public struct BeaconProfile: Hashable, Sendable, Codable {
  /// The time between two scans while a beacon region is monitored, seconds.
  public var scanInterval: Figure
  /// The energy of a scan, millijoules.
  public var scan: Figure
  /// The power of ranging, milliwatts.
  public var ranging: Figure
  /// The power of advertising, milliwatts.
  public var advertising: Figure
  /// The standard deviation of a received level, decibels.
  public var noise: Figure
  /// How long without a sighting until a beacon region counts as left, seconds.
  public var exitAfter: Figure
}

/// The compass.
public struct HeadingProfile: Hashable, Sendable, Codable {
  /// The standard deviation of the error, degrees.
  public var error: Figure
  /// The time after which the correlation of the error is 1/e, seconds.
  public var correlationTime: Figure
  /// Readings a second.
  public var rate: Figure
  /// The power, milliwatts.
  public var power: Figure
}
