public import VicinityGeodesy

/// What can be promised of a strategy on a phone, among the regions around.
public struct LatencyForecast: Hashable, Sendable {
  /// The least latency that can be promised: within it 95 % of the crossings that are told are told.
  public var latency: Duration
  /// The share that can be promised to be told at all, of the crossings of visits that count.
  public var recall: Double

  public init(latency: Duration, recall: Double) {
    self.latency = latency
    self.recall = recall
  }

  /// Whether this much can be promised.
  public func allows(latency: Duration, recall: Double = 0.95) -> Bool {
    self.latency <= latency && self.recall >= recall
  }
}

extension AdaptiveStrategy {
  /// Of smaller regions nothing is promised, metres: <doc:ThePromise> has none.
  private static let leastRadius: Meters = 100
  /// Of circles that are less than three times as wide as Wi-Fi positions may be wrong (65 m), metres,
  /// several positions in a row may tell nothing.
  private static let doubtfulRadius: Meters = 195
  /// The least latency of an app that stays awake, seconds, for regions that are large enough, and for
  /// smaller ones. <doc:TheForecast> says how often this and what follows held.
  private static let keptLatencies = (large: 60.0, small: 120.0)
  /// The share that is told where an app that could stay awake sleeps at rest.
  private static let restingRecalls = (large: 0.9, small: 0.82)
  /// The least latency of one that has to sleep whenever the device rests, and the share that is told.
  private static let asleepLatencies = (large: 360.0, small: 1800.0)
  private static let asleepRecalls = (large: 0.7, small: 0.35)

  /// What can be promised.
  ///
  /// An app that can stay awake at little cost keeps what <doc:ThePromise> found. Where ``latency`` lets it
  /// sleep as soon as the device rests, a departure is told when the system says that a slot was left and a
  /// position has come (``PhoneTimes/lateExit``), and some visits right after one are missed. One that cannot
  /// stay awake sleeps whenever the device rests, and misses more.
  ///
  /// - Parameters:
  ///   - radius: The median radius of the regions around, metres.
  ///   - wakefulness: What it takes to stay awake.
  /// - Returns: Nil for a radius of less than 100 m.
  public func forecast(radius: Meters, wakefulness: Wakefulness) -> LatencyForecast? {
    guard radius >= Self.leastRadius else { return nil }
    let isSmall = radius < Self.doubtfulRadius
    let exit = phone.lateExit + phone.position
    guard wakefulness == .cheap else {
      return LatencyForecast(
        latency: .seconds(max(isSmall ? Self.asleepLatencies.small : Self.asleepLatencies.large, exit)),
        recall: isSmall ? Self.asleepRecalls.small : Self.asleepRecalls.large)
    }
    let kept = isSmall ? Self.keptLatencies.small : Self.keptLatencies.large
    guard sleepsAtOnce else {
      return LatencyForecast(latency: .seconds(kept), recall: 1 - Assumptions.lateShare)
    }
    return LatencyForecast(
      latency: .seconds(max(kept, exit)),
      recall: isSmall ? Self.restingRecalls.small : Self.restingRecalls.large)
  }

  /// Whether the app sleeps as soon as the device rests, also near a boundary and though nothing is known of
  /// its user.
  private var sleepsAtOnce: Bool {
    let nothing = CrossingHistory()
    return maySleep(Self.departureShare(after: 0, nothing), clearance: 0, history: nothing, delays: [])
  }
}
