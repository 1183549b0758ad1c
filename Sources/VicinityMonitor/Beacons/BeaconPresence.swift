public import VicinityCrossings

/// Tracks which beacon identities a device is in range of, from sightings and time.
///
/// An identity is satisfied from the first sighting of a beacon that it matches, and unsatisfied once none
/// has been seen for ``timeout``. Before the first sighting it is unknown until it has been watched for that
/// long. A pure value: the caller passes in the time, and the changes do not depend on when it asks for them.
///
///     var presence = try BeaconPresence()
///     _ = presence.watch(BeaconIdentity(uuid: family), at: start)
///     for change in presence.see(sighting) { print("in range of", change.identity) }
///     // At `presence.nextDeadline`:
///     for change in presence.advance(to: now) { print("out of range of", change.identity) }
///
/// ## Time
/// The present is the latest time that was passed in. An exit's date is the instant at which the timeout
/// ended, however late ``advance(to:)`` is called; an entry's is that of the sighting. A late sighting counts
/// from its own time: it may postpone an exit. An entry that it causes has the present as its date. A
/// sighting older than the timeout changes nothing. A sighting at the instant at which the timeout ends is
/// handled first.
///
/// ## The timeout
/// Core Location's is not published; the default of 30 s is empirical. Estimote's *What is iBeacon?* gives
/// Core Location's exits "at least 30 seconds"; Radius Networks (M. Harper, *2017 Update on iOS Beacon
/// Monitoring in the Background*) switched beacons off beside three locked iPhones under iOS 10.3.1 and saw
/// exits "in the 20 to 30 second range with some exceeding 2 minutes".
public struct BeaconPresence: Sendable {
  /// A change of an identity's state.
  public struct Change: Hashable, Sendable {
    /// The watched identity.
    public var identity: BeaconIdentity
    /// ``MonitoringState/satisfied`` or ``MonitoringState/unsatisfied``.
    public var state: MonitoringState
    /// The beacon observed, where satisfied; nil otherwise.
    public var refinement: BeaconIdentity?
    /// The time of the change.
    public var date: Timestamp
  }

  private struct Stay {
    /// The position in the order of coming into range.
    var number: Int
    var lastSeen: Timestamp
  }

  private struct Interest {
    /// The position in the order of watching.
    var number: Int
    var state = MonitoringState.unknown
    var since: Timestamp
    /// The matching beacon that has been in range for longest.
    var refinement: BeaconIdentity?
    /// How many matching beacons are in range.
    var count = 0
  }

  /// How long after its last sighting a beacon still counts as in range.
  public let timeout: Duration

  private var interests: [BeaconIdentity: Interest] = [:]
  private var inRange: [BeaconIdentity: Stay] = [:]
  private var now = Timestamp(microseconds: .min)
  private var lastNumber = 0
  /// No deadline comes before this.
  private var quietUntil = Timestamp(microseconds: .max)

  /// Watches nothing yet.
  ///
  /// - Throws: ``BeaconOptionsError`` for a timeout that is not more than zero.
  public init(timeout: Duration = .seconds(30)) throws(BeaconOptionsError) {
    guard timeout > .zero else { throw .durationNotPositive(option: "beacon timeout", value: timeout) }
    self.timeout = timeout
  }
}

extension BeaconPresence {
  /// Continues with a clock that was set back: every beacon in range counts as seen at this time, and
  /// identities that are not in range are unknown from now on.
  mutating func setClock(to time: Timestamp) {
    now = time
    for beacon in inRange.keys { inRange[beacon]?.lastSeen = time }
    for (identity, interest) in interests where interest.state != .satisfied {
      interests[identity] = Interest(number: interest.number, since: time)
    }
    quietUntil = interests.isEmpty ? .init(microseconds: .max) : time.advanced(by: timeout)
  }
}

// MARK: Asking

extension BeaconPresence {
  /// What is known of an identity; ``MonitoringState/unmonitored`` when it is not watched.
  public func state(of identity: BeaconIdentity) -> MonitoringState {
    interests[identity]?.state ?? .unmonitored
  }

  /// The beacon that stands for a satisfied identity.
  ///
  /// It is the first that was seen, for as long as it is in range; then, of those in range, the one that has
  /// been so for longest, and so on. That it is another beacon's turn is no change of state. So a device
  /// between two beacons of a family keeps its refinement, whichever is stronger at a moment.
  public func refinement(of identity: BeaconIdentity) -> BeaconIdentity? { interests[identity]?.refinement }

  /// When something changes unless something is seen: the time to call ``advance(to:)``; nil when nothing
  /// will.
  ///
  /// - Complexity: O(watched identities + beacons in range)
  public var nextDeadline: Timestamp? {
    var earliest: Timestamp?
    for stay in inRange.values { earliest = min(earliest ?? .init(microseconds: .max), deadline(stay)) }
    for interest in interests.values where interest.state == .unknown {
      earliest = min(earliest ?? .init(microseconds: .max), interest.since.advanced(by: timeout))
    }
    return earliest
  }

  private func deadline(_ stay: Stay) -> Timestamp { stay.lastSeen.advanced(by: timeout) }

  /// The watched identities that match a beacon, from the widest.
  private func interests(in beacon: BeaconIdentity) -> [BeaconIdentity] {
    var candidates = [BeaconIdentity(uuid: beacon.uuid)]
    if let major = beacon.major {
      candidates.append(BeaconIdentity(uuid: beacon.uuid, major: major))
      candidates.append(beacon)
    }
    return candidates.filter { interests[$0] != nil }
  }
}

// MARK: Telling

extension BeaconPresence {
  /// Watches an identity. Nothing happens when it is watched already.
  ///
  /// Where a beacon that it matches is known to be in range, because another identity that is watched matches
  /// it too, it is satisfied at once.
  ///
  /// - Returns: What has changed up to this time, in order.
  /// - Complexity: O(beacons in range)
  public mutating func watch(_ identity: BeaconIdentity, at time: Timestamp) -> [Change] {
    var changes = advance(to: time)
    guard interests[identity] == nil else { return changes }
    lastNumber += 1
    var interest = Interest(number: lastNumber, since: now)
    let matching = inRange.filter { identity.matches($0.key) }
    interest.count = matching.count
    if let first = matching.min(by: { $0.value.number < $1.value.number })?.key {
      interest.state = .satisfied
      interest.refinement = first
      changes.append(Change(identity: identity, state: .satisfied, refinement: first, date: now))
    }
    interests[identity] = interest
    quietUntil = min(quietUntil, now.advanced(by: timeout))
    return changes
  }

  /// Stops watching an identity; does nothing if it is not watched.
  ///
  /// - Complexity: O(beacons in range)
  public mutating func unwatch(_ identity: BeaconIdentity) {
    guard interests.removeValue(forKey: identity) != nil else { return }
    inRange = inRange.filter { !identity.matches($0.key) || !interests(in: $0.key).isEmpty }
  }

  /// Forgets all sightings: every watched identity is unknown from a time on. For times when the radio was
  /// off or the process did not run, so that the lack of sightings means nothing.
  public mutating func forget(at time: Timestamp) {
    now = max(now, time)
    inRange.removeAll()
    for identity in interests.keys {
      interests[identity] = interests[identity].map { Interest(number: $0.number, since: now) }
    }
    quietUntil = interests.isEmpty ? .init(microseconds: .max) : now.advanced(by: timeout)
  }

  /// Handles a sighting; one of a beacon that no watched identity matches is ignored.
  ///
  /// - Returns: The changes up to its time, in order; of the identities that it satisfies, the widest first.
  /// - Complexity: O(1), O(watched identities + beacons in range) where a timeout may have ended
  public mutating func see(_ sighting: BeaconSighting) -> [Change] {
    var changes: [Change] = []
    expire(before: sighting.time, into: &changes)
    now = max(now, sighting.time)
    note(sighting, into: &changes)
    expire(through: now, into: &changes)
    return changes
  }

  /// Advances the time; does nothing if it is not later than the present.
  ///
  /// - Returns: The changes up to this time, in order.
  /// - Complexity: O(1), O(watched identities + beacons in range) where a timeout may have ended
  public mutating func advance(to time: Timestamp) -> [Change] {
    var changes: [Change] = []
    now = max(now, time)
    expire(through: now, into: &changes)
    return changes
  }

  private mutating func note(_ sighting: BeaconSighting, into changes: inout [Change]) {
    let end = sighting.time.advanced(by: timeout)
    if let known = inRange[sighting.beacon] {
      inRange[sighting.beacon]?.lastSeen = max(known.lastSeen, sighting.time)
      return
    }
    let matching = interests(in: sighting.beacon)
    guard end > now, !matching.isEmpty else { return }
    lastNumber += 1
    inRange[sighting.beacon] = Stay(number: lastNumber, lastSeen: sighting.time)
    quietUntil = min(quietUntil, end)
    for identity in matching {
      guard var interest = interests[identity] else { continue }
      interest.count += 1
      if interest.count == 1 {
        interest.state = .satisfied
        interest.refinement = sighting.beacon
        changes.append(
          Change(identity: identity, state: .satisfied, refinement: sighting.beacon, date: now))
      }
      interests[identity] = interest
    }
  }

  private mutating func expire(before time: Timestamp, into changes: inout [Change]) {
    guard time.microseconds > .min else { return }
    expire(through: Timestamp(microseconds: time.microseconds - 1), into: &changes)
  }

  /// Handles all deadlines up to a time, in their order.
  private mutating func expire(through time: Timestamp, into changes: inout [Change]) {
    guard time >= quietUntil else { return }
    let lost = inRange.filter { deadline($0.value) <= time }.sorted {
      (deadline($0.value), $0.value.number) < (deadline($1.value), $1.value.number)
    }
    // All at once, so that a beacon that is lost too does not become the refinement.
    for (beacon, _) in lost { inRange[beacon] = nil }
    var ended: [(change: Change, number: Int)] = []
    for (beacon, stay) in lost {
      for identity in interests(in: beacon) {
        guard var interest = interests[identity] else { continue }
        interest.count -= 1
        if interest.count == 0 {
          interest.state = .unsatisfied
          interest.refinement = nil
          ended.append(
            (Change(identity: identity, state: .unsatisfied, date: deadline(stay)), interest.number))
        } else if interest.refinement == beacon {
          interest.refinement = successor(identity) ?? beacon
        }
        interests[identity] = interest
      }
    }
    for (identity, interest) in interests where interest.state == .unknown {
      let end = interest.since.advanced(by: timeout)
      guard end <= time else { continue }
      interests[identity]?.state = .unsatisfied
      ended.append((Change(identity: identity, state: .unsatisfied, date: end), interest.number))
    }
    ended.sort { ($0.change.date, $0.number) < ($1.change.date, $1.number) }
    changes += ended.map(\.change)
    quietUntil = nextDeadline ?? .init(microseconds: .max)
  }

  private func successor(_ identity: BeaconIdentity) -> BeaconIdentity? {
    inRange.filter { identity.matches($0.key) }.min { $0.value.number < $1.value.number }?.key
  }
}
