public import VicinityCrossings

/// A local notification that an app asks for.
public struct NotificationRequest: Hashable, Sendable {
  /// Names the notification within the app; a later request of the same identifier takes this one's place.
  public var identifier: String
  public var title: String
  public var body: String
  /// When it is shown.
  public var trigger: NotificationTrigger
  /// The name of the sound that is played when it is shown; nil for none.
  public var sound: String?
  /// The number on the app's icon from when it is shown on, 0 for none; nil to leave the number as it is.
  public var badge: Int?
  /// Whether a trigger's date is a time on the clock on the wall, which moves with the time zone of the
  /// phone: `UILocalNotification.timeZone`. False by default: the date is an instant.
  public var followsTimeZone: Bool

  @inlinable
  public init(
    identifier: String, title: String, body: String = "", trigger: NotificationTrigger = .now,
    sound: String? = nil, badge: Int? = nil, followsTimeZone: Bool = false
  ) {
    self.identifier = identifier
    self.title = title
    self.body = body
    self.trigger = trigger
    self.sound = sound
    self.badge = badge
    self.followsTimeZone = followsTimeZone
  }
}

/// When a local notification is shown.
public enum NotificationTrigger: Hashable, Sendable {
  case now
  /// Some time after the request, more than zero; then again and again, where it repeats: 60 s or more.
  case timeInterval(Duration, repeats: Bool = false)
  /// At an instant, at once when that is past. With an interval, which is 60 s or more, also that and so on
  /// later; what is past of these is left out.
  case date(Timestamp, every: Duration? = nil)
  /// On entering or leaving a region, by the region's identifier; once, or every time.
  case region(String, onEntry: Bool = true, onExit: Bool = false, repeats: Bool = false)
}

/// A local notification that has been shown.
public struct DeliveredNotification: Hashable, Sendable {
  public var request: NotificationRequest
  /// When it was shown: the last time, where it was shown several times while nobody looked.
  public var date: Timestamp
  /// How many times it was shown since time was last let pass; 1 but for repeating ones.
  public var count: Int
}

/// Whether an app may show notifications.
public enum NotificationAuthorization: String, CaseIterable, Hashable, Sendable {
  /// The user has not been asked.
  case notDetermined
  case denied
  case authorized
}

/// Why a notification has not been accepted.
public enum NotificationError: Error, Hashable, Sendable {
  /// The user has not allowed notifications.
  case notAllowed(NotificationAuthorization)
  case emptyIdentifier
  /// An interval that must be more than zero, or 60 s where the notification repeats.
  case intervalTooShort(identifier: String, interval: Duration, minimum: Duration)
  /// A region trigger for neither entry nor exit.
  case regionWithoutEvents(identifier: String)
  /// A number on the app's icon that is less than zero.
  case negativeBadge(identifier: String, badge: Int)
  /// A time zone to follow where the trigger has no date.
  case timeZoneWithoutDate(identifier: String)
  /// The device posts no notifications, or none with such a trigger.
  case notSupported(identifier: String)
}

extension NotificationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAllowed(let authorization): "notifications are not allowed: \(authorization.rawValue)"
    case .emptyIdentifier: "a notification needs an identifier"
    case .intervalTooShort(let identifier, let interval, let minimum):
      "notification “\(identifier)”: an interval of \(interval) is shorter than \(minimum)"
    case .regionWithoutEvents(let identifier):
      "notification “\(identifier)”: neither for entry nor for exit"
    case .negativeBadge(let identifier, let badge):
      "notification “\(identifier)”: the badge \(badge) is less than 0"
    case .timeZoneWithoutDate(let identifier):
      "notification “\(identifier)”: follows the time zone, but has no date"
    case .notSupported(let identifier): "notification “\(identifier)”: the device cannot post it"
    }
  }
}
