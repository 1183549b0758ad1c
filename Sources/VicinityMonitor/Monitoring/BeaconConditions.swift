internal import VicinityCrossings

/// The conditions about beacons that are watched, and which identities are in range.
struct BeaconConditions {
  private var presence: BeaconPresence
  /// The conditions about each identity, in the order of adding.
  private var identifiers: [BeaconIdentity: [String]] = [:]

  /// - Throws: ``BeaconOptionsError`` for a timeout that is not more than zero.
  init(timeout: Duration) throws(BeaconOptionsError) { presence = try BeaconPresence(timeout: timeout) }

  /// When a timeout ends unless something is seen; nil where none runs.
  var nextDeadline: Timestamp? { presence.nextDeadline }

  /// The conditions about an identity, in the order of adding.
  subscript(_ identity: BeaconIdentity) -> [String] { identifiers[identity] ?? [] }

  func state(of identity: BeaconIdentity) -> MonitoringState { presence.state(of: identity) }

  func refinement(of identity: BeaconIdentity) -> BeaconIdentity? { presence.refinement(of: identity) }

  mutating func see(_ sighting: BeaconSighting) -> [BeaconPresence.Change] { presence.see(sighting) }

  mutating func advance(to time: Timestamp) -> [BeaconPresence.Change] { presence.advance(to: time) }

  mutating func setClock(to time: Timestamp) { presence.setClock(to: time) }

  /// Begins to watch a condition.
  ///
  /// - Parameter isAfter: Whether another condition about the identity was added later.
  /// - Returns: What has changed up to this time, in order.
  mutating func insert(
    _ identifier: String, about identity: BeaconIdentity, at time: Timestamp, before isAfter: (String) -> Bool
  ) -> [BeaconPresence.Change] {
    let others = self[identity]
    let position = others.firstIndex(where: isAfter) ?? others.count
    identifiers[identity, default: []].insert(identifier, at: position)
    return presence.watch(identity, at: time)
  }

  mutating func remove(_ identifier: String, about identity: BeaconIdentity) {
    identifiers[identity]?.removeAll { $0 == identifier }
    guard identifiers[identity]?.isEmpty == true else { return }
    identifiers[identity] = nil
    presence.unwatch(identity)
  }
}
