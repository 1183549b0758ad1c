public import VicinityCrossings
public import VicinityMonitor

/// A phone under study: a `Phone`, with a place for what the app keeps, and a record of what the app says.
public protocol StudiedPhone: Phone {
  /// What of it watches the slots; region monitoring at first. To be set at the launch, before anything is
  /// registered.
  var slotService: SlotService { get set }
  /// Data that the app keeps from one process to the next, as in a file.
  var saved: (any Sendable)? { get set }
  /// Records that the app reports an entry or exit: what its user would notice.
  ///
  /// - Parameters:
  ///   - isEntry: True for an entry, false for an exit.
  ///   - region: The region's identifier.
  ///   - time: When the crossing happened according to the app; not after now.
  func report(entry isEntry: Bool, region: String, at time: Timestamp)
  /// Records the disc within which the app keeps its choice of regions; nil when it has none.
  func show(safeDisc disc: Plan.Disc?)
  /// Records that something was lost, in words.
  func lose(_ what: String)
  /// Schedules a local notification.
  ///
  /// - Throws: What is wrong with the request.
  func notify(_ request: NotificationRequest) throws(NotificationError)
}

/// An app that asks of the phone what a `Phone` has, and nothing else: as the monitor, and as the models of
/// other systems.
public protocol PortableApp: PhoneApp {
  mutating func handle(_ event: PhoneEvent, on phone: any StudiedPhone)
}

extension PortableApp {
  public mutating func phone(_ phone: SimulatedPhone, did event: PhoneEvent) { handle(event, on: phone) }
}
