package import VicinityCrossings
internal import VicinityGeodesy

/// The satellite receiver: when it has found what it listens for.
///
/// There is one for all who ask. It remembers when it last tracked: for a while a start is then hot. After that a phone with a
/// network is helped to a warm start; one without has its almanacs for a while, and starts cold after that, or when it has never
/// tracked since the run began. Under a roof it finds nothing, and begins to search again when that is gone.
struct SatelliteReceiver {
  private var random: RandomStream
  /// When satellites were last tracked, while they no longer are.
  private var lastTracked: Timestamp?
  /// When satellites are found, or were; nil while they are not searched for or cannot be heard.
  private(set) var found: Timestamp?

  init(seed: UInt64) { random = RandomStream(seed: seed, "satellites") }

  /// Whether satellites are tracked.
  func isTracking(at time: Timestamp) -> Bool { found.map { $0 <= time } ?? false }

  /// Searches in the open; nothing changes where it does already.
  mutating func search(at now: Timestamp, in environment: Environment, _ profile: FirstFixProfile) {
    guard found == nil else { return }
    let quantiles = start(at: now, in: environment, profile)
    found = now.advanced(bySeconds: quantiles.value(at: random.unit()))
  }

  /// Hears nothing more: switched off, or under a roof.
  mutating func lose(at now: Timestamp) {
    if isTracking(at: now) { lastTracked = now }
    found = nil
  }

  private func start(at now: Timestamp, in environment: Environment, _ profile: FirstFixProfile) -> Quantiles
  {
    let age = lastTracked.map { now.seconds(since: $0) } ?? .infinity
    if age <= profile.hotFor.value { return profile.hot }
    if environment.hasCells || environment.hasWiFi { return profile.warm }
    return age <= profile.hotFor.value + profile.warmFor.value ? profile.warm : profile.cold
  }
}

extension Timestamp {
  /// The instant so many seconds later, to the nearest microsecond; at the end of time where it does not fit.
  package func advanced(bySeconds seconds: Double) -> Timestamp {
    guard let step = Int64(exactly: (seconds * 1e6).rounded()) else { return .distantFuture }
    let (sum, overflow) = microseconds.addingReportingOverflow(step)
    return overflow ? .distantFuture : Timestamp(microseconds: sum)
  }
}
