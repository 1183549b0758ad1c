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
  /// Of circles that are less than three times as wide as Wi-Fi positions may be wrong (65 m), metres,
  /// several positions in a row may tell nothing.
  private static let doubtfulRadius: Meters = 195
  /// The least latency of an app that stays awake, seconds, which all 36 cells of <doc:ThePromise> kept at
  /// 60 s. For regions that are large enough, and for smaller ones.
  private static let keptLatencies = (large: 60.0, small: 120.0)
  /// The least latency of one that sleeps whenever the device rests, and the share that is told: a little
  /// less than the worst cells of an earlier study kept. All 144 cells of <doc:ThePromise> keep it.
  private static let asleepLatencies = (large: 360.0, small: 1800.0)
  private static let asleepRecalls = (large: 0.75, small: 0.4)

  /// What can be promised.
  ///
  /// An app that can stay awake at little cost, and does so where ``latency`` asks for it, keeps what
  /// <doc:ThePromise> found. One that cannot, or need not for so long a latency, sleeps whenever the device
  /// rests: a departure is then told when the system says that a slot was left (``PhoneTimes/lateExit``), and
  /// a visit right after it may be missed.
  ///
  /// - Parameters:
  ///   - radius: The median radius of the regions around, metres.
  ///   - wakefulness: What it takes to stay awake.
  public func forecast(radius: Meters, wakefulness: Wakefulness) -> LatencyForecast? {
    let isSmall = radius < Self.doubtfulRadius
    guard wakefulness == .cheap, !sleepsAtOnce else {
      return LatencyForecast(
        latency: .seconds(
          max(
            isSmall ? Self.asleepLatencies.small : Self.asleepLatencies.large, phone.lateExit + phone.position
          )),
        recall: isSmall ? Self.asleepRecalls.small : Self.asleepRecalls.large)
    }
    return LatencyForecast(
      latency: .seconds(isSmall ? Self.keptLatencies.small : Self.keptLatencies.large),
      recall: 1 - Assumptions.lateShare)
  }

  /// Whether the app sleeps as soon as the device rests, though nothing is known of its user.
  private var sleepsAtOnce: Bool {
    maySleep(Self.departureShare(after: 0, CrossingHistory()), clearance: restRadius, delays: [])
  }
}
