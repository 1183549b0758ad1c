public import VicinityMonitor

extension SimulatedPhone {
  /// Asks for a local notification: shown without the app, and without waking it. A notification for a region is shown when
  /// the system sees a region of that identifier entered or left that the app has registered.
  ///
  /// - Returns: The identifiers of those that there was no room for: ``BackgroundRules/notificationLimit`` are kept.
  /// - Throws: What is wrong with the request.
  @discardableResult
  public func schedule(_ request: NotificationRequest) throws(NotificationError) -> [String] {
    var scheduler =
      lifecycle.notifications
      ?? NotificationScheduler(
        authorization: .authorized, at: now, capacity: scenario.rules.notificationLimit)
    let outcome = try scheduler.add(request, at: now)
    lifecycle.notifications = scheduler
    show(outcome)
    return outcome.discarded
  }

  /// Takes back notifications that have not been shown, or would be again.
  public func cancelNotifications(_ identifiers: some Sequence<String>) {
    lifecycle.notifications?.removePending(identifiers)
    scheduleNotifications()
  }

  /// What has been asked for and not been shown, or will be again.
  public var pendingNotifications: [NotificationRequest] { lifecycle.notifications?.pending ?? [] }

  func notificationIsDue() {
    guard let outcome = lifecycle.notifications?.advance(to: now) else { return }
    show(outcome)
  }

  /// A region has been entered or left, whatever the app is doing.
  func notificationsNotice(_ event: PhoneEvent) {
    switch event {
    case .entered(let region):
      if let outcome = lifecycle.notifications?.entered(region: region, at: now) { show(outcome) }
    case .exited(let region):
      if let outcome = lifecycle.notifications?.left(region: region, at: now) { show(outcome) }
    default: break
    }
  }

  private func show(_ outcome: NotificationScheduler.Outcome) {
    for shown in outcome.delivered { record(.notified(identifier: shown.request.identifier)) }
    scheduleNotifications()
  }

  private func scheduleNotifications() {
    agenda[.notification] = lifecycle.notifications?.nextDate ?? .distantFuture
  }
}
