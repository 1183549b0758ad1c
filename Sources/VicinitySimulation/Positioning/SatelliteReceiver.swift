internal import VicinityCrossings
internal import VicinityGeodesy

/// The satellite receiver, and the time at which it has found its satellites.
///
/// All services share one receiver. Shortly after satellites were tracked a start is hot. Later a start is
/// warm with the help of a network. Without a network it is warm while the almanac is valid, and cold after
/// that or when nothing has been tracked since the run began. Under a roof the receiver finds nothing; it
/// searches again outdoors.
struct SatelliteReceiver {
  private var random: RandomStream
  /// When satellites were last tracked; set when tracking ends.
  private var lastTracked: Timestamp?
  /// When satellites are or were found; nil while the receiver does not search or cannot hear them.
  private(set) var found: Timestamp?

  init(seed: UInt64) { random = RandomStream(seed: seed, "satellites") }

  func isTracking(at time: Timestamp) -> Bool { found.map { $0 <= time } ?? false }

  /// Starts a search outdoors; no effect while one is running or has succeeded.
  mutating func search(at now: Timestamp, in surroundings: PhoneSurroundings, _ profile: FirstFixProfile) {
    guard found == nil else { return }
    let quantiles = start(at: now, in: surroundings, profile)
    found = now.advanced(bySeconds: quantiles.value(at: random.unit()))
  }

  /// Stops: the receiver is switched off, or under a roof.
  mutating func lose(at now: Timestamp) {
    if isTracking(at: now) { lastTracked = now }
    found = nil
  }

  private func start(at now: Timestamp, in surroundings: PhoneSurroundings, _ profile: FirstFixProfile)
    -> Quantiles
  {
    let age = lastTracked.map { now.seconds(since: $0) } ?? .infinity
    if age <= profile.hotFor.value { return profile.hot }
    if surroundings.hasCells || surroundings.hasWiFi { return profile.warm }
    return age <= profile.hotFor.value + profile.warmFor.value ? profile.warm : profile.cold
  }
}
