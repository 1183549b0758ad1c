public import VicinityCrossings

/// An app's local notifications as a phone keeps them, with the limits of Core Location's era: for simulations and tests.
///
/// A pure value that never looks at a clock: it is told the time, and which regions are entered and left.
///
/// ## Limits
/// - "An app can have only a limited number of scheduled notifications; the system keeps the soonest-firing 64
///   notifications (with automatically rescheduled notifications counting as a single notification) and discards the rest"
///   (Apple, `UILocalNotification`). What is discarded is told in ``Outcome/discarded``, which a phone does not do. A
///   notification for a region has no date; the page does not say where it stands. Here it may fire at any moment, and
///   so comes before those with dates, in the order of asking.
/// - What repeats does so at intervals of 60 s or more (`UNTimeIntervalNotificationTrigger`; `UILocalNotification`'s
///   `repeatInterval`: "intervals of less than one minute are not supported").
/// - A request "will replace an existing notification request with the same identifier", and "replace the existing
///   delivered notification when it is triggered" (`UNUserNotificationCenter.h`).
/// - Without the user's leave nothing is accepted. Where it is withdrawn later, what comes due meanwhile is not shown:
///   what fires once is gone.
public struct NotificationScheduler: Sendable {
  /// What has come of something.
  public struct Outcome: Hashable, Sendable {
    /// What was shown, by date, then in the order of asking.
    public var delivered: [DeliveredNotification] = []
    /// The identifiers of requests that there was no room for, those to fire last first.
    public var discarded: [String] = []
  }

  private struct Pending {
    var request: NotificationRequest
    /// The place in the order of asking.
    var number: Int
    /// When it fires next; nil for a region.
    var date: Timestamp?

    /// The order in which the limit keeps them.
    static func isSooner(_ a: Pending, _ b: Pending) -> Bool {
      (a.date ?? .init(microseconds: .min), a.number) < (b.date ?? .init(microseconds: .min), b.number)
    }
  }

  /// How many notifications are kept unless another number is given: 64.
  public static let limit = 64
  /// The shortest interval at which a notification repeats.
  public static let shortestRepeat = Duration.seconds(60)

  /// How many notifications are kept.
  public let capacity: Int
  /// Whether notifications may be shown.
  public var authorization: NotificationAuthorization
  /// The greatest time that has been told.
  public private(set) var time: Timestamp

  private var requests: [String: Pending] = [:]
  private var shown: [String: DeliveredNotification] = [:]
  private var lastNumber = 0

  /// Nothing asked for.
  ///
  /// - Parameter capacity: How many notifications are kept; a negative number counts as none.
  public init(
    authorization: NotificationAuthorization = .notDetermined, at time: Timestamp, capacity: Int = limit
  ) {
    self.capacity = max(0, capacity)
    self.authorization = authorization
    self.time = time
  }
}

// MARK: Looking

extension NotificationScheduler {
  /// Requests that have not fired, or will again: for regions in the order of asking, then by date.
  public var pending: [NotificationRequest] {
    requests.values.sorted(by: Pending.isSooner).map(\.request)
  }

  /// What is shown, by date, then by identifier.
  public var delivered: [DeliveredNotification] {
    shown.values.sorted { ($0.date, $0.request.identifier) < ($1.date, $1.request.identifier) }
  }

  /// When the next one fires; nil when none has a date.
  public var nextDate: Timestamp? { requests.values.compactMap(\.date).min() }
}

// MARK: Asking

extension NotificationScheduler {
  /// Takes a request, in place of one with the same identifier.
  ///
  /// - Returns: What was shown up to now, this one included where it fires at once; and what there was no room for.
  /// - Throws: ``NotificationError``; the requests are as before then, and time has not passed.
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

  /// Takes back requests that have not fired, or would again.
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
  /// Lets time pass. Nothing happens when it has passed already.
  ///
  /// - Returns: What was shown. A repeating notification that came due several times is told once, with the last date.
  public mutating func advance(to now: Timestamp) -> Outcome {
    time = max(time, now)
    var outcome = Outcome()
    fire(into: &outcome.delivered)
    return outcome
  }

  /// A region was entered: shows what waits for that, after what came due before.
  public mutating func entered(region: String, at now: Timestamp) -> Outcome {
    crossed(region, isEntry: true, at: now)
  }

  /// A region was left: shows what waits for that, after what came due before.
  public mutating func left(region: String, at now: Timestamp) -> Outcome {
    crossed(region, isEntry: false, at: now)
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

  /// When a notification that is due has fired last, how many times, and when it does next.
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

  /// The first of a date and what follows at intervals that is not past.
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
