extension Monitor {
  /// Tells the user of the entry that an event is, if it is one and the user has not been told: once for a stay. See
  /// ``EntryNotifier``.
  ///
  /// To be called for every event, before the next is asked for: those that are no entries say when stays end.
  ///
  /// - Parameters:
  ///   - event: The event that is being handled. Nothing happens for one whose condition is gone.
  ///   - post: Posts a notification under an identifier, in place of one that has it. When it throws, the user counts as not
  ///     told; a later satisfied event of the same stay is tried again.
  /// - Throws: What `post` throws, and ``MonitorError/closed``.
  public func notifyOfEntry(
    _ event: MonitoringEvent,
    post: @Sendable (_ event: MonitoringEvent, _ identifier: String) async throws -> Void
  ) async throws {
    guard let condition = condition(event.identifier) else { return }
    for step in EntryNotifier.steps(for: event, told: condition.notifiedSequenceNumber) {
      switch step {
      case .post(let entry): try await post(entry, EntryNotifier.identifier(entry, in: name))
      case .remember(let number):
        // It may have been replaced while the notification was posted.
        guard self.condition(event.identifier)?.number == condition.number else { return }
        try remember(number, toldOf: event.identifier)
      }
    }
  }
}
