internal import VicinityCrossings
public import VicinityMonitor

extension SimulatedPhone {
  /// Schedules a local notification, which is shown without waking the app. An app in front is told instead,
  /// by `PhoneEvent.notificationReceived`: nothing is shown, no sound is played, and the badge stays. A
  /// notification for a region is shown when the system sees an entry or exit of the registered region with
  /// that identifier.
  ///
  /// - Returns: The identifiers of the notifications that were discarded;
  ///   ``BackgroundRules/notificationLimit`` are kept.
  /// - Throws: What is wrong with the request.
  @discardableResult
  public func schedule(_ request: NotificationRequest) throws(NotificationError) -> [String] {
    var scheduler =
      lifecycle.notifications
      ?? NotificationScheduler(
        authorization: .authorized, at: now, capacity: scenario.rules.notificationLimit)
    if lifecycle.notifications == nil { _ = scheduler.setTimeZone(offset: timeZoneOffset, at: now) }
    scheduler.authorization = capabilities.allowsNotifications ? .authorized : .denied
    let outcome = try scheduler.add(request, at: now)
    lifecycle.notifications = scheduler
    show(outcome)
    return outcome.discarded
  }

  /// Cancels notifications that are still pending.
  public func cancelNotifications(_ identifiers: some Sequence<String>) {
    lifecycle.notifications?.removePending(identifiers)
    scheduleNotifications()
  }

  /// The notifications that have not been shown yet, or that repeat.
  public var pendingNotifications: [NotificationRequest] { lifecycle.notifications?.pending ?? [] }

  /// The notifications that are shown, by date; their requests name the sound that was played.
  public var shownNotifications: [DeliveredNotification] { lifecycle.notifications?.delivered ?? [] }

  /// The number on the app's icon; 0 for none. Notifications set it when they are shown.
  public var badge: Int {
    get { lifecycle.badge }
    set { lifecycle.badge = max(0, newValue) }
  }

  /// The phone's time zone, as its offset from UTC, positive in the east; zero until
  /// ``UserAction/setTimeZone(offset:)``.
  public var timeZoneOffset: Duration { lifecycle.timeZoneOffset }

  /// Changes the time zone: notifications at times on the wall move with it.
  func setTimeZone(offset: Duration) {
    lifecycle.timeZoneOffset = offset
    if let outcome = lifecycle.notifications?.setTimeZone(offset: offset, at: now) { show(outcome) }
  }

  func notificationIsDue() {
    guard let outcome = lifecycle.notifications?.advance(to: now) else { return }
    show(outcome)
  }

  /// Shows the notifications for an entry or exit, whatever the app is doing.
  func notificationsHandle(_ event: PhoneEvent) {
    switch event {
    case .entered(let region):
      if let outcome = lifecycle.notifications?.entered(region: region, at: now) { show(outcome) }
    case .exited(let region):
      if let outcome = lifecycle.notifications?.left(region: region, at: now) { show(outcome) }
    default: break
    }
  }

  private func show(_ outcome: NotificationScheduler.Outcome) {
    for shown in outcome.delivered {
      if appState == .foreground {
        lifecycle.notifications?.removeDelivered([shown.request.identifier])
        deliver(.notificationReceived(shown.request), .running)
      } else {
        lifecycle.badge = shown.request.badge ?? lifecycle.badge
        record(.notified(identifier: shown.request.identifier))
      }
    }
    scheduleNotifications()
  }

  private func scheduleNotifications() {
    timers[.notification] = lifecycle.notifications?.nextDate ?? .distantFuture
  }
}
