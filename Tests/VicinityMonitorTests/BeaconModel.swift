import VicinityMonitor

/// What a device is in range of, by the definition: all sightings are kept in a list, and every question is
/// answered by looking at the whole list. It shares no code with `BeaconPresence`.
struct BeaconModel {
  struct Sighting {
    var uuid: ProximityUUID
    var major: UInt16
    var minor: UInt16
    /// When the beacon was seen, microseconds; the list is in the order in which that was heard of.
    var time: Int64
    /// Whether the beacon was not in range until this sighting.
    var beginsStay: Bool

    /// Whether this is a sighting of the same beacon.
    func isSame(_ other: Sighting) -> Bool {
      uuid == other.uuid && major == other.major && minor == other.minor
    }

    /// Whether the beacon is one of those that an identity means: what the identity leaves out may be
    /// anything.
    func isMeant(by identity: BeaconIdentity) -> Bool {
      if uuid != identity.uuid { return false }
      if let wanted = identity.major, major != wanted { return false }
      if let wanted = identity.minor, minor != wanted { return false }
      return true
    }

    var identity: BeaconIdentity { BeaconIdentity(uuid: uuid, major: major, minor: minor) }
  }

  /// A change of what is known of an identity.
  struct Change: Equatable {
    var identity: BeaconIdentity
    var isInRange: Bool
    var refinement: BeaconIdentity?
    /// Microseconds.
    var date: Int64
  }

  /// Microseconds.
  let timeout: Int64
  /// The greatest time that has been told, microseconds.
  private(set) var clock: Int64 = .min
  /// The sightings of beacons that somebody watches.
  private(set) var sightings: [Sighting] = []
  /// Since when identities have been watched, microseconds, in the order of watching.
  private(set) var watched: [(identity: BeaconIdentity, since: Int64)] = []
  /// What the identities' states were when changes were last looked for.
  private var states: [BeaconIdentity: MonitoringState] = [:]

  init(timeout: Int64) { self.timeout = timeout }

  // MARK: The definition

  /// Whether a beacon is in range after some time: it was seen less than the timeout before.
  private func isInRange(_ beacon: Sighting, after time: Int64) -> Bool {
    sightings.contains { $0.isSame(beacon) && $0.time + timeout > time }
  }

  /// The beacons in range now, each by the sighting that began its stay; the longest stay first.
  private var inRange: [Sighting] {
    sightings.indices.filter { i in
      sightings[i].beginsStay && isInRange(sightings[i], after: clock)
        // The last stay of this beacon.
        && !sightings[(i + 1)...].contains { $0.beginsStay && $0.isSame(sightings[i]) }
    }.map { sightings[$0] }
  }

  /// The beacons in range that an identity means, the longest stay first.
  private func beacons(of identity: BeaconIdentity) -> [Sighting] {
    inRange.filter { $0.isMeant(by: identity) }
  }

  /// When silence about an identity will have lasted for the timeout, or has.
  private func endOfSilence(_ identity: BeaconIdentity, since: Int64) -> Int64 {
    let ends = sightings.filter { $0.isMeant(by: identity) }.map { $0.time + timeout }
    return ends.filter { $0 > since }.max() ?? since + timeout
  }

  /// The state of an identity; `unmonitored` when nobody watches it.
  func state(of identity: BeaconIdentity) -> MonitoringState {
    guard let since = watched.first(where: { $0.identity == identity })?.since else { return .unmonitored }
    if !beacons(of: identity).isEmpty { return .satisfied }
    return endOfSilence(identity, since: since) <= clock ? .unsatisfied : .unknown
  }

  /// The beacon that stands for an identity: the one that has been in range for longest.
  func refinement(of identity: BeaconIdentity) -> BeaconIdentity? { beacons(of: identity).first?.identity }

  /// When something will change unless something is seen; nil when nothing will.
  var nextDeadline: Int64? {
    let ends = watched.map { endOfSilence($0.identity, since: $0.since) } + inRange.map(end)
    return ends.filter { $0 > clock }.min()
  }

  /// When a beacon in range is in range no longer unless it is seen.
  private func end(_ beacon: Sighting) -> Int64 {
    sightings.filter { $0.isSame(beacon) }.map { $0.time + timeout }.max() ?? clock
  }

  /// What the identities' states are now, where that is not what they were. Nothing is made of becoming
  /// unknown.
  private mutating func changes() -> [Change] {
    var result: [Change] = []
    for (identity, since) in watched {
      let state = state(of: identity)
      if state == states[identity] { continue }
      states[identity] = state
      switch state {
      case .satisfied:
        result.append(
          Change(identity: identity, isInRange: true, refinement: refinement(of: identity), date: clock))
      case .unsatisfied:
        result.append(
          Change(
            identity: identity, isInRange: false, refinement: nil,
            date: endOfSilence(identity, since: since)))
      case .unknown, .unmonitored: break
      }
    }
    return result
  }

  // MARK: What happens

  mutating func pass(to time: Int64) -> [Change] {
    clock = max(clock, time)
    return changes()
  }

  mutating func watch(_ identity: BeaconIdentity) -> [Change] {
    guard !watched.contains(where: { $0.identity == identity }) else { return [] }
    watched.append((identity, clock))
    states[identity] = .unknown
    return changes()
  }

  /// Sightings that nobody is interested in any more are forgotten.
  mutating func unwatch(_ identity: BeaconIdentity) {
    watched.removeAll { $0.identity == identity }
    states[identity] = nil
    let watched = watched
    sightings.removeAll { sighting in !watched.contains { sighting.isMeant(by: $0.identity) } }
  }

  mutating func see(_ beacon: BeaconIdentity, at time: Int64) -> [Change] {
    guard let major = beacon.major, let minor = beacon.minor else { return [] }
    // A timeout that ends at the instant of the sighting has not ended.
    var result = pass(to: time - 1)
    var sighting = Sighting(
      uuid: beacon.uuid, major: major, minor: minor, time: time, beginsStay: false)
    sighting.beginsStay = !isInRange(sighting, after: clock)
    clock = max(clock, time)
    let isWanted = watched.contains { sighting.isMeant(by: $0.identity) }
    if isWanted, time + timeout > clock {
      // No question has to do with the stays of a beacon before its last.
      if sighting.beginsStay { sightings.removeAll { $0.isSame(sighting) && $0.time <= time } }
      sightings.append(sighting)
    }
    result += changes()
    return result
  }

  /// What is in range has been seen at the new time; of all else nothing is known.
  mutating func setClock(to time: Int64) {
    var kept = inRange
    for i in kept.indices { kept[i].time = time }
    sightings = kept
    for i in watched.indices { watched[i].since = time }
    clock = time
    for (identity, _) in watched { states[identity] = state(of: identity) }
  }
}
