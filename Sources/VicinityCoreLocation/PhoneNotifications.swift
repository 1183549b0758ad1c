#if canImport(CoreLocation) && canImport(UserNotifications) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import Foundation
  internal import UserNotifications
  internal import VicinityCrossings
  public import VicinityMonitor

  // Local notifications, for `Monitor.notifyOfEntry(_:title:body:sound:)`.
  extension PhoneDevice {
    /// Posts a local notification. The app has asked its user for permission before.
    ///
    /// - Throws: ``VicinityMonitor/NotificationError/notSupported(identifier:)`` for a trigger that the
    ///   notification center has in another form: a date that repeats or follows the time zone, and a region.
    ///   ``VicinityMonitor/NotificationError/intervalTooShort(identifier:interval:minimum:)`` for an interval
    ///   that is not more than zero, or less than 60 s where it repeats: the notification center would end
    ///   the app. And what the notification center says.
    public nonisolated func post(_ request: NotificationRequest) async throws {
      let content = UNMutableNotificationContent()
      content.title = request.title
      content.body = request.body
      content.sound = request.sound.map { UNNotificationSound(named: UNNotificationSoundName($0)) }
      content.badge = request.badge.map { NSNumber(value: $0) }
      try await UNUserNotificationCenter.current().add(
        UNNotificationRequest(
          identifier: request.identifier, content: content, trigger: try Self.trigger(of: request)))
    }

    /// nil for at once.
    private nonisolated static func trigger(of request: NotificationRequest) throws(NotificationError)
      -> UNNotificationTrigger?
    {
      switch request.trigger {
      case .now: return nil
      case .timeInterval(let interval, let repeats):
        let minimum = repeats ? NotificationScheduler.shortestRepeat : .microseconds(1)
        guard interval >= minimum else {
          throw .intervalTooShort(identifier: request.identifier, interval: interval, minimum: minimum)
        }
        return UNTimeIntervalNotificationTrigger(timeInterval: interval / .seconds(1), repeats: repeats)
      case .date(let date, every: nil) where !request.followsTimeZone:
        let wait = date.seconds(since: SystemMonitorClock().now)
        return wait > 0 ? UNTimeIntervalNotificationTrigger(timeInterval: wait, repeats: false) : nil
      case .date, .region: throw .notSupported(identifier: request.identifier)
      }
    }
  }
#endif
