public import VicinityCrossings

/// An app's local notifications as a phone keeps them, with the limits of Core Location's era: for
/// simulations and tests.
///
/// A pure value: the caller passes in the time, and which regions are entered and left.
///
/// ## Limits
/// - "An app can have only a limited number of scheduled notifications; the system keeps the soonest-firing
///   64 notifications (with automatically rescheduled notifications counting as a single notification) and
///   discards the rest" (Apple, `UILocalNotification`). ``Outcome/discarded`` lists what was discarded; a
///   phone does not say so. A notification for a region has no date, and the page does not say how it is
///   ordered. Because it may fire at any moment, it comes here before those with dates, in the order of the
///   requests.
/// - Notifications repeat at intervals of 60 s or more (`UNTimeIntervalNotificationTrigger`;
///   `UILocalNotification`'s `repeatInterval`: "intervals of less than one minute are not supported").
/// - A request "will replace an existing notification request with the same identifier", and "replace the
///   existing delivered notification when it is triggered" (`UNUserNotificationCenter.h`).
/// - Without the user's permission no request is accepted. If it is withdrawn later, notifications that come
///   due meanwhile are not shown; those that fire only once are gone.
public struct NotificationScheduler: Sendable {
  /// What a call has changed.
  public struct Outcome: Hashable, Sendable {
    /// Notifications that were shown, by date, then in the order of the requests.
    public var delivered: [DeliveredNotification] = []
    /// The identifiers of requests discarded for lack of room, the last to fire first.
    public var discarded: [String] = []
  }

  private struct Pending {
    var request: NotificationRequest
    /// The position in the order of the requests.
    var number: Int
    /// When it fires next; nil for a region.
    var date: Timestamp?

    /// Whether the limit keeps `a` before `b`.
    static func isSooner(_ a: Pending, _ b: Pending) -> Bool {
      (a.date ?? .init(microseconds: .min), a.number) < (b.date ?? .init(microseconds: .min), b.number)
    }
  }

  /// How many notifications are kept unless another number is given: 64, the limit of `UILocalNotification`
  /// and of today's phones.
  public static let limit = 64
  /// How many the *App Programming Guide for iOS* has of the phones of its time: 128.
  public static let guideLimit = 128
  /// The shortest interval at which a notification repeats.
  public static let shortestRepeat = Duration.seconds(60)

  /// How many notifications are kept.
  public let capacity: Int
  /// Whether notifications may be shown.
  public var authorization: NotificationAuthorization
  /// The latest time that was passed in.
  public private(set) var time: Timestamp
  /// The phone's time zone, as its offset from UTC, positive in the east; zero until it is told.
  public private(set) var timeZoneOffset: Duration = .zero

  private var requests: [String: Pending] = [:]
  private var shown: [String: DeliveredNotification] = [:]
  private var lastNumber = 0

  /// A scheduler without requests.
  ///
  /// - Parameters:
  ///   - authorization: Whether notifications may be shown.
  ///   - time: The time now.
  ///   - capacity: How many notifications are kept; a negative number counts as none.
  public init(
    authorization: NotificationAuthorization = .notDetermined, at time: Timestamp, capacity: Int = limit
  ) {
    self.capacity = max(0, capacity)
    self.authorization = authorization
    self.time = time
  }
}

// MARK: State

extension NotificationScheduler {
  /// Requests that have not fired yet or will fire again: those for regions in their order, then the others
  /// by date.
  public var pending: [NotificationRequest] {
    requests.values.sorted(by: Pending.isSooner).map(\.request)
  }

  /// The notifications that are shown, by date, then by identifier.
  public var delivered: [DeliveredNotification] {
    shown.values.sorted { ($0.date, $0.request.identifier) < ($1.date, $1.request.identifier) }
  }

  /// When the next one fires; nil when none has a date.
  public var nextDate: Timestamp? { requests.values.compactMap(\.date).min() }
}

// MARK: Requests

extension NotificationScheduler {
  /// Adds a request; it replaces one with the same identifier.
  ///
  /// - Returns: What was shown up to now, including this one if it fires at once, and what was discarded.
  /// - Throws: ``NotificationError``; nothing has changed then.
  public mutating func add(
    _ request: NotificationRequest, at now: Timestamp
  ) throws(NotificationError) -> Outcome {
    try check(request)
    var outcome = advance(to: now)
    lastNumber += 1
    requests[request.identifier] = Pending(
      request: request, number: lastNumber, date: Self.firstDate(request.trigger, time))
    fire(into: &outcome.delivered)
    let sorted = requests.values.sorted(by: Pending.isSooner)
    for last in sorted.dropFirst(capacity).reversed() {
      requests[last.request.identifier] = nil
      outcome.discarded.append(last.request.identifier)
    }
    return outcome
  }

  /// Removes requests that have not fired yet or would fire again.
  public mutating func removePending(_ identifiers: some Sequence<String>) {
    for identifier in identifiers { requests[identifier] = nil }
  }

  public mutating func removeAllPending() { requests.removeAll() }

  /// Removes notifications from where they are shown.
  public mutating func removeDelivered(_ identifiers: some Sequence<String>) {
    for identifier in identifiers { shown[identifier] = nil }
  }

  /// Removes all notifications from where they are shown.
  public mutating func removeAllDelivered() { shown.removeAll() }

  private func check(_ request: NotificationRequest) throws(NotificationError) {
    guard authorization == .authorized else { throw .notAllowed(authorization) }
    guard !request.identifier.isEmpty else { throw .emptyIdentifier }
    if let badge = request.badge, badge < 0 {
      throw .negativeBadge(identifier: request.identifier, badge: badge)
    }
    if request.followsTimeZone {
      guard case .date = request.trigger else { throw .timeZoneWithoutDate(identifier: request.identifier) }
    }
    func check(_ interval: Duration, repeats: Bool) throws(NotificationError) {
      let minimum = repeats ? Self.shortestRepeat : .microseconds(1)
      guard interval >= minimum else {
        throw .intervalTooShort(identifier: request.identifier, interval: interval, minimum: minimum)
      }
    }
    switch request.trigger {
    case .now: return
    case .timeInterval(let interval, let repeats): try check(interval, repeats: repeats)
    case .date(_, let interval): if let interval { try check(interval, repeats: true) }
    case .region(_, let onEntry, let onExit, _):
      guard onEntry || onExit else { throw .regionWithoutEvents(identifier: request.identifier) }
    }
  }

  private static func firstDate(_ trigger: NotificationTrigger, _ now: Timestamp) -> Timestamp? {
    switch trigger {
    case .now: now
    case .timeInterval(let interval, _): now.advanced(by: interval)
    case .date(let date, nil): max(date, now)
    case .date(let date, let interval?): next(date, interval, from: now)
    case .region: nil
    }
  }
}

// MARK: Firing

extension NotificationScheduler {
  /// Advances the time; does nothing if it is not later than ``time``.
  ///
  /// - Returns: What was shown. A repeating notification that came due several times is listed once, with its
  ///   last date.
  public mutating func advance(to now: Timestamp) -> Outcome {
    time = max(time, now)
    var outcome = Outcome()
    fire(into: &outcome.delivered)
    return outcome
  }

  /// A region was entered: shows what came due before, then the notifications for its entry.
  public mutating func entered(region: String, at now: Timestamp) -> Outcome {
    crossed(region, isEntry: true, at: now)
  }

  /// A region was left: shows what came due before, then the notifications for its exit.
  public mutating func left(region: String, at now: Timestamp) -> Outcome {
    crossed(region, isEntry: false, at: now)
  }

  /// The phone's time zone has changed. What came due before is shown; dates that follow the time zone then
  /// move with it, and those that are past on the new clock are shown at once.
  ///
  /// - Parameters:
  ///   - offset: From UTC, positive in the east.
  ///   - now: When it changed.
  public mutating func setTimeZone(offset: Duration, at now: Timestamp) -> Outcome {
    var outcome = advance(to: now)
    let move = timeZoneOffset - offset
    timeZoneOffset = offset
    guard move != .zero else { return outcome }
    for (identifier, pending) in requests where pending.request.followsTimeZone {
      guard case .date = pending.request.trigger, let date = pending.date else { continue }
      requests[identifier]?.date = date.advanced(by: move)
    }
    fire(into: &outcome.delivered)
    return outcome
  }

  private mutating func crossed(_ identifier: String, isEntry: Bool, at now: Timestamp) -> Outcome {
    var outcome = advance(to: now)
    for waiting in requests.values.sorted(by: Pending.isSooner) {
      guard case .region(identifier, let onEntry, let onExit, let repeats) = waiting.request.trigger,
        isEntry ? onEntry : onExit
      else { continue }
      if !repeats { requests[waiting.request.identifier] = nil }
      show(waiting.request, time, count: 1, into: &outcome.delivered)
    }
    return outcome
  }

  private mutating func fire(into delivered: inout [DeliveredNotification]) {
    var due: [(pending: Pending, date: Timestamp, count: Int)] = []
    for pending in requests.values {
      guard let date = pending.date, date <= time else { continue }
      let (last, count, next) = Self.occurrences(pending.request.trigger, from: date, to: time)
      due.append((pending, last, count))
      requests[pending.request.identifier]?.date = next
      if next == nil { requests[pending.request.identifier] = nil }
    }
    due.sort { ($0.date, $0.pending.number) < ($1.date, $1.pending.number) }
    for (pending, date, count) in due { show(pending.request, date, count: count, into: &delivered) }
  }

  /// When a notification that is due fired last, how many times it fired, and when it fires next.
  private static func occurrences(
    _ trigger: NotificationTrigger, from date: Timestamp, to now: Timestamp
  ) -> (last: Timestamp, count: Int, next: Timestamp?) {
    let interval: Duration? =
      switch trigger {
      case .timeInterval(let interval, true): interval
      case .date(_, let interval): interval
      case .now, .timeInterval, .region: nil
      }
    guard let interval else { return (date, 1, nil) }
    let length = Timestamp(microseconds: 0).advanced(by: interval).microseconds
    let (span, overflow) = now.microseconds.subtractingReportingOverflow(date.microseconds)
    let times = (overflow ? .max : span) / length
    let last = date.advanced(by: .microseconds(times * length))
    let next = last.advanced(by: interval)
    return (last, Int(times) + 1, next > now ? next : nil)
  }

  /// The first of `date`, `date + interval`, `date + 2 × interval` ... that is not before `now`.
  private static func next(_ date: Timestamp, _ interval: Duration, from now: Timestamp) -> Timestamp {
    guard date < now else { return date }
    let length = Timestamp(microseconds: 0).advanced(by: interval).microseconds
    let (span, overflow) = now.microseconds.subtractingReportingOverflow(date.microseconds)
    let last = date.advanced(by: .microseconds((overflow ? .max : span) / length * length))
    return last < now ? last.advanced(by: interval) : last
  }

  private mutating func show(
    _ request: NotificationRequest, _ date: Timestamp, count: Int,
    into delivered: inout [DeliveredNotification]
  ) {
    guard authorization == .authorized else { return }
    let notification = DeliveredNotification(request: request, date: date, count: count)
    shown[request.identifier] = notification
    delivered.append(notification)
  }
}
