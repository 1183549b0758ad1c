internal import VicinityCrossings

/// Stays of devices that must last for some time before they count as entries.
struct PendingStays {
  private struct Stay {
    var entry: MonitoringEvent
    var dwell: Duration
    var end: Timestamp { entry.date.advanced(by: dwell) }
    /// The event of entry, dated when the stay was long enough.
    var event: MonitoringEvent {
      var event = entry
      event.date = end
      return event
    }
  }

  private var stays: [String: Stay] = [:]

  /// When the next stay has been long enough; nil where there is none.
  var nextEnd: Timestamp? { stays.values.map(\.end).min() }

  func contains(_ identifier: String) -> Bool { stays[identifier] != nil }

  /// Begins a stay, where there is none.
  mutating func begin(_ entry: MonitoringEvent, for dwell: Duration) {
    if stays[entry.identifier] == nil { stays[entry.identifier] = Stay(entry: entry, dwell: dwell) }
  }

  mutating func remove(_ identifier: String) { stays[identifier] = nil }

  /// Ends a stay.
  ///
  /// - Returns: The entry, where the stay was long enough.
  mutating func end(_ identifier: String, at time: Timestamp) -> MonitoringEvent? {
    guard let stay = stays.removeValue(forKey: identifier), stay.end <= time else { return nil }
    return stay.event
  }

  /// Takes the stays that are long enough by some time: their entries, in no order.
  mutating func take(until now: Timestamp) -> [MonitoringEvent] {
    guard !stays.isEmpty else { return [] }
    let due = stays.values.filter { $0.end <= now }.map(\.event)
    for entry in due { stays[entry.identifier] = nil }
    return due
  }

  /// The clock has been set back: stays begin now at the latest.
  mutating func setClock(to now: Timestamp) {
    for identifier in stays.keys {
      if let date = stays[identifier]?.entry.date, date > now { stays[identifier]?.entry.date = now }
    }
  }
}
