public import VicinityGeodesy
public import VicinityIndex
public import VicinityPolygon

/// What a ``Monitor`` watches.
public enum Condition: Hashable, Sendable {
  /// Being within `radius` metres of `center`, boundary included.
  case circle(center: Coordinate, radius: Meters)
  /// Being in a polygon, boundary included.
  case polygon(Polygon)
  /// Being in range of a beacon that matches an identity.
  case beacon(BeaconIdentity)

  /// The condition of being in a region.
  public init(_ shape: Region.Shape) {
    switch shape {
    case .circle(let center, let radius): self = .circle(center: center, radius: radius)
    case .polygon(let polygon): self = .polygon(polygon)
    }
  }

  /// The region that a geographic condition is about, under an identifier; nil for a beacon.
  public func region(identifier: String) -> Region? {
    switch self {
    case .circle(let center, let radius):
      Region(identifier: identifier, center: center, radius: radius)
    case .polygon(let polygon): Region(identifier: identifier, polygon: polygon)
    case .beacon: nil
    }
  }

  /// The beacons that a beacon condition is about; nil for a geographic one.
  public var beacon: BeaconIdentity? {
    if case .beacon(let identity) = self { identity } else { nil }
  }

  /// The kind of a condition, as limits and diagnostics tell kinds apart.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A circle or a polygon.
    case geographic
    case beacon
  }

  public var kind: Kind { beacon == nil ? .geographic : .beacon }
}

/// How a condition is treated among others.
public struct ConditionOptions: Hashable, Sendable {
  /// Whether a geographic condition must always hold a slot, wherever the device is; false by default.
  public var isPinned: Bool
  /// Which geographic conditions are left without a slot first where there are too many: those of lower
  /// priority; zero by default.
  public var priority: Int
  /// Whether the classic surface reports entries; true by default. Otherwise, with ``Strategy/slots``, a
  /// phone that watches the whole condition does not wake the app for an entry, and the entry is known when
  /// the phone tells the exit.
  public var notifyOnEntry: Bool
  /// Whether the classic surface reports exits; true by default. Otherwise as for entries.
  public var notifyOnExit: Bool
  /// Whether the classic surface reports the state of a beacon region when the display is turned on; false by
  /// default.
  public var notifyEntryStateOnDisplay: Bool

  /// How late a crossing of a geographic condition may be noticed, where that is less than the strategy's own
  /// latency; nil, the default, for the strategy's. From ten seconds to ten minutes, in steps;
  /// ``Strategy/slots`` has no use for it.
  public var latency: Duration?
  /// How far beyond its boundary the device must be for an exit from a geographic condition, metres; zero by
  /// default. For decisions by evidence, that is, without ``MonitorOptions/crossings``.
  public var hysteresis: Meters
  /// How long the device must stay for an entry: the event comes when it has, and none where it leaves
  /// before; zero by default. Its date is that of entry and this time. A stay that a process has not seen to
  /// its event begins anew for the next one.
  public var dwell: Duration

  @inlinable
  public init(
    isPinned: Bool = false, priority: Int = 0, notifyOnEntry: Bool = true, notifyOnExit: Bool = true,
    notifyEntryStateOnDisplay: Bool = false, latency: Duration? = nil, hysteresis: Meters = 0,
    dwell: Duration = .zero
  ) {
    self.isPinned = isPinned
    self.priority = priority
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
    self.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    self.latency = latency
    self.hysteresis = hysteresis
    self.dwell = dwell
  }
}

extension ConditionOptions {
  /// Dwell times, which are stored in microseconds, and hysteresis, up to a day and to half the earth's
  /// circumference.
  private static let longestDwell = Duration.seconds(86_400)
  private static let largestHysteresis: Meters = 20_000_000

  /// Throws the error that names what is out of its range, if anything.
  func check(_ identifier: String) throws(MonitorError) {
    func fail(_ option: String, _ reason: String) -> MonitorError {
      .conditionOption(identifier: identifier, option: option, reason: reason)
    }
    if let latency, !AdaptiveStrategy.latencies.contains(latency) {
      throw fail("latency", "\(latency) is not from ten seconds to ten minutes")
    }
    guard hysteresis >= 0, hysteresis <= Self.largestHysteresis else {
      throw fail("hysteresis", "\(hysteresis) m is not from 0 to \(Self.largestHysteresis) m")
    }
    guard dwell >= .zero, dwell <= Self.longestDwell else {
      throw fail("dwell", "\(dwell) is not from zero to a day")
    }
  }
}

extension Condition {
  /// Throws the error that names what is wrong with the condition, if anything.
  func check(_ identifier: String) throws(MonitorError) {
    guard let region = region(identifier: identifier) else { return }
    do {
      var set = RegionSet()
      try set.append(region)
    } catch {
      throw .condition(identifier: identifier, error)
    }
  }
}
