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
  /// Of circles that are less than three times as wide as Wi-Fi positions may be wrong (65 m), metres, several positions in a row may tell
  /// nothing.
  private static let doubtfulRadius: Meters = 195
  /// What is told at all of a sleeping app, among regions that are large enough and among smaller ones: what <doc:ThePromise> found unseen.
  private static let (asleepRecall, doubtfulAsleepRecall) = (0.94, 0.9)

  /// What can be promised, whatever ``latency`` is.
  ///
  /// - An app that can stay awake at little cost needs two positions to tell a crossing, each with the time that it takes before the next: four
  ///   times ``PhoneTimes/position``, and twice as much among regions so small that positions often tell nothing.
  /// - One that cannot sleeps whenever the device rests. A departure is then told when the system says that a slot was left:
  ///   ``PhoneTimes/lateExit`` and a position.
  ///
  /// - Parameters:
  ///   - radius: The median radius of the regions around, metres.
  ///   - wakefulness: What it takes to stay awake.
  public func forecast(radius: Meters, wakefulness: Wakefulness) -> LatencyForecast? {
    let isDoubtful = radius < Self.doubtfulRadius
    guard wakefulness == .cheap else {
      return LatencyForecast(
        latency: .seconds(phone.lateExit + phone.position),
        recall: isDoubtful ? Self.doubtfulAsleepRecall : Self.asleepRecall)
    }
    return LatencyForecast(
      latency: .seconds((isDoubtful ? 8 : 4) * phone.position), recall: 1 - Self.lateShare)
  }
}
