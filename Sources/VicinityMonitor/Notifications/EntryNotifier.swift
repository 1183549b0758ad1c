/// Decides when the user is told of an entry into a region or into the range of a beacon: once for a stay,
/// also across crashes and relaunches.
///
/// A stay begins with a satisfied event and ends with an unsatisfied one, and with nothing else: when a
/// condition is not monitored for a while and then found satisfied, the stay goes on. One number is
/// remembered for each condition, ``StoredCondition/notifiedSequenceNumber``: that of the event which began
/// the stay in progress if the user has been told of it, and 0 otherwise.
///
/// An event's steps are taken in their order, before the event counts as handled. A process may end before or
/// after any of them; the event then comes again under its number, and:
///
/// - before the notification is posted, it is posted then;
/// - after that and before the number is stored, it is posted again under the same identifier,
///   ``identifier(_:in:)``, which replaces the first: there is one;
/// - after the number is stored, there is nothing left to do.
///
/// ``Monitor/notifyOfEntry(_:post:)`` takes the steps.
package enum EntryNotifier {
  /// Something to be done about an event.
  package enum Step: Hashable, Sendable {
    /// Notify the user of this entry.
    case post(MonitoringEvent)
    /// Store this as the condition's ``StoredCondition/notifiedSequenceNumber``.
    case remember(UInt64)
  }

  /// What is to be done about an event, in this order.
  ///
  /// - Parameters:
  ///   - event: An event of a monitor; it may have come before.
  ///   - told: The condition's ``StoredCondition/notifiedSequenceNumber`` as it is stored now.
  /// - Returns: Nothing for most events.
  /// - Complexity: O(1)
  package static func steps(for event: MonitoringEvent, told: UInt64) -> [Step] {
    let number = event.sequenceNumber
    switch event.state {
    case .satisfied where told == 0 && number > 0:
      return [.post(event), .remember(number)]
    case .unsatisfied where told != 0 && number > told:
      return [.remember(0)]
    case .satisfied, .unsatisfied, .unknown, .unmonitored:
      return []
    }
  }

  /// The identifier of the notification about an entry: the same whenever it is posted, and no other entry's.
  ///
  /// - Parameters:
  ///   - event: The event that is the entry.
  ///   - name: The monitor's name.
  package static func identifier(_ event: MonitoringEvent, in name: String) -> String {
    "\(name).entry.\(event.sequenceNumber)"
  }
}
