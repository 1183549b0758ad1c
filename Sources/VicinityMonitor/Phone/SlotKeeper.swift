package import VicinityCrossings
package import VicinityGeodesy

/// Which service of a phone watches the slots.
public enum SlotService: String, CaseIterable, Hashable, Sendable {
  /// Region monitoring by `CLLocationManager`: entries and exits reach an app in the background too.
  /// Deprecated from iOS 27 on.
  case regionMonitoring = "region-monitoring"
  /// `CLMonitor`: it names the beacon that was observed, and says why it suspends a condition. After a launch
  /// in the background it withholds entries until the app is in front (Apple Developer Forums,
  /// thread 812111).
  case conditionMonitor = "condition-monitor"
}

/// Makes a phone monitor what a monitor wants in its slots, and decides which of the phone's answers count.
/// It calls nothing: whoever has the phone performs the turns, tells what the phone monitors, and passes on
/// what it reports.
///
/// - What an earlier process has left is told to the monitor first, and stays until the monitor has said what
///   it wants.
/// - A turn is additions only or removals only: phones have lost additions that were made beside removals.
/// - What was added is compared with what the phone monitors, and asked for again where it is missing.
/// - Reports that come before the monitor has said what it wants are kept until then. A report from before
///   the process is marked as recalled: it counts only where nothing later is known.
package struct SlotKeeper {
  /// What the phone is asked for at once; a pause belongs between two turns.
  package enum Turn: Hashable, Sendable {
    case remove([String])
    case add([MonitoredRegion])
  }

  /// So often an addition is made before the phone counts as refusing it.
  package static let attempts = 5

  /// So many reports are kept until it is known what is wanted.
  private static let mostEarly = 1000

  /// How many slots the phone has for the app.
  private let capacity: Int
  /// How many of them the monitor uses at most.
  package var limit = Int.max
  /// The greatest radius that the phone watches, metres. It may come to be known only when the user has
  /// allowed something.
  package var maximumRadius: Meters
  /// When the phone was first asked what it monitors; nil before.
  private var opened: Timestamp?
  private var watches: [String: SlotWatch] = [:]
  /// Slots that the phone watches with other wishes of what is told: what it watches does not show that.
  private var outdated: Set<String> = []
  /// What is to be in the slots, as the phone is to watch it.
  private var wanted: [String: MonitoredRegion] = [:]
  /// What is wanted and has not been compared with what the phone monitors, in the order of asking.
  private var queue: [String] = []
  /// What is not wanted any more. It stays here until it is wanted again: what was added a moment ago may not
  /// be monitored yet.
  private var unwanted: Set<String> = []
  private var attemptCounts: [String: Int] = [:]
  private var removalCounts: [String: Int] = [:]
  /// What the phone has said that it does not watch.
  private var refused: Set<String> = []
  /// When the phone last refused something, or was asked again for what it had refused; nil before.
  private var lastRefusal: Timestamp?
  /// What an earlier process has left, where the phone shows what it is to tell of it.
  private var left: [String: MonitoredRegion] = [:]
  /// What only fixes can decide.
  private var undecided: Set<String> = []
  private var early: [SlotReport] = []
  private var questions: [String] = []
  private var outputs: [MonitorInput] = []

  /// - Parameters:
  ///   - maximumRadius: The greatest radius that the phone watches, metres.
  ///   - capacity: How many slots the phone has for the app.
  package init(maximumRadius: Meters, capacity: Int) {
    self.maximumRadius = maximumRadius
    self.capacity = capacity
  }

  /// Whether the phone does not monitor something that it was asked for.
  package private(set) var hasLost = false

  /// Whether fixes have to decide what the phone's answers leave open.
  package var needsFixes: Bool { !undecided.isEmpty }

  /// What the monitor is to be told since this was last taken.
  package mutating func takeInputs() -> [MonitorInput] {
    defer { outputs = [] }
    return outputs
  }

  /// The slots that the phone has been found to monitor, kept or added, and whose states it should be asked
  /// for, since this was last taken: the device may be on the other side already.
  package mutating func takeQuestions() -> [String] {
    defer { questions = [] }
    return questions
  }

  // MARK: What the monitor wants

  /// Begins with what the phone monitors for this monitor. To be called once, when the monitor is open: then
  /// what is stored is loaded.
  ///
  /// - Parameter left: The same from a phone that shows what it is to tell of each: what is to be told
  ///   otherwise now is replaced. Empty for a phone that does not show it.
  package mutating func open(
    monitored: some Sequence<String>, left: [MonitoredRegion] = [], at now: Timestamp
  ) {
    opened = now
    self.left = Dictionary(left.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
    outputs.append(.existingSlots(monitored.sorted()))
  }

  /// Takes note of a command about a slot; other commands are not for this.
  package mutating func perform(_ command: DeviceCommand, at now: Timestamp) {
    switch command {
    case .register(let slot):
      let before = wanted[slot.identifier] ?? takeLeft(slot)
      forget(slot.identifier)
      guard let watch = SlotWatch(slot, maximumRadius: maximumRadius) else {
        return refuse(slot.identifier, at: now)
      }
      want(slot, watch, inPlaceOf: before)
    case .adopt(let slot):
      // Of a sentinel only the identifier is known; it stays as it is until the next one stands.
      let watch = SlotWatch(slot, maximumRadius: maximumRadius)
      let before = takeLeft(slot)
      forget(slot.identifier)
      if slot.isSentinel {
        watches[slot.identifier] = watch
        deliverEarly(slot.identifier)
      } else if let watch {
        want(slot, watch, inPlaceOf: before)
      } else {
        unwanted.insert(slot.identifier)
      }
    case .unregister(let identifier):
      forget(identifier)
      left[identifier] = nil
      unwanted.insert(identifier)
      early.removeAll { $0.identifier == identifier }
    default: break
    }
  }

  /// What an earlier process has left in a slot; nil for a sentinel: what a phone is to tell of that is not
  /// what the slot says.
  private mutating func takeLeft(_ slot: Slot) -> MonitoredRegion? {
    let region = left.removeValue(forKey: slot.identifier)
    return slot.isSentinel ? nil : region
  }

  /// - Parameter before: What the phone watches under the identifier; nil where nothing is known of it.
  private mutating func want(_ slot: Slot, _ watch: SlotWatch, inPlaceOf before: MonitoredRegion?) {
    let identifier = slot.identifier
    watches[identifier] = watch
    let region = MonitoredRegion(
      identifier: identifier, area: watch.area, notifyOnEntry: slot.notifiesOnEntry || !watch.isWhole,
      notifyOnExit: slot.notifiesOnExit || !watch.isWhole, notifyEntryStateOnDisplay: slot.notifiesOnDisplay)
    wanted[identifier] = region
    if let before, !before.isWished(as: region) { outdated.insert(identifier) }
    unwanted.remove(identifier)
    queue.append(identifier)
    deliverEarly(identifier)
  }

  private mutating func forget(_ identifier: String) {
    watches[identifier] = nil
    wanted[identifier] = nil
    outdated.remove(identifier)
    attemptCounts[identifier] = nil
    refused.remove(identifier)
    undecided.remove(identifier)
    queue.removeAll { $0 == identifier }
  }

  private mutating func refuse(_ identifier: String, at now: Timestamp) {
    outputs.append(
      .slot(
        SlotReport(
          identifier: identifier, state: .unmonitored, date: now, diagnostics: .conditionUnsupported)))
  }

  /// What the phone has refused is to be asked for again: what is allowed, or what there is room for, has
  /// changed.
  package mutating func retry() {
    queue += refused.sorted()
    refused = []
    attemptCounts = [:]
  }

  /// How long after a refusal an event that wakes the app has the phone asked again. Our own choice: nobody
  /// has written down for how long phones refuse what they accept later. An app that runs for the event
  /// anyway spends little on asking.
  package static let repetitionTime = Duration.seconds(600)

  /// Has what the phone has refused asked for again, though nobody has said that anything has changed:
  /// phones also refuse what they accept a while later.
  ///
  /// - Parameter wait: How long ago the last refusal has to be.
  /// - Returns: Whether there is anything to be asked for.
  package mutating func retry(after wait: Duration, at now: Timestamp) -> Bool {
    guard !refused.isEmpty else { return false }
    // A clock that was set back says nothing.
    if let age = lastRefusal?.duration(to: now), age >= .zero, age < wait { return false }
    lastRefusal = now
    for identifier in refused { attemptCounts[identifier] = nil }
    queue += refused.sorted()
    refused = []
    return true
  }

  // MARK: Turns

  /// What to ask the phone for next; nil when it monitors what is wanted.
  ///
  /// - Parameters:
  ///   - monitored: What it monitors now for this monitor.
  ///   - others: How many slots of the app's own are in use beside those.
  ///   - isRepeating: Whether what was added and is missing is to be asked for again now; otherwise
  ///     ``hasLost`` tells of it.
  package mutating func nextTurn(
    monitored: [String: MonitoredRegion.Area], others: Int = 0, isRepeating: Bool = true, at now: Timestamp
  ) -> Turn? {
    guard opened != nil else { return nil }
    hasLost = false
    var additions: [MonitoredRegion] = []
    // Another condition in the place of one goes in after it: what is added under a live identifier is
    // ignored.
    var stale = unwanted.intersection(monitored.keys)
    let known = Set(queue)
    let rest = wanted.keys.filter { !known.contains($0) && !refused.contains($0) }
    for identifier in queue + rest.sorted() {
      guard let region = wanted[identifier] else { continue }
      if let present = monitored[identifier] {
        // What stays another after some attempts is as near as the phone comes.
        let isAlike = present.isAlike(region.area) && !outdated.contains(identifier)
        if isAlike || attemptCounts[identifier, default: 0] >= Self.attempts {
          if known.contains(identifier) { questions.append(identifier) }
          attemptCounts[identifier] = nil
          queue.removeAll { $0 == identifier }
        } else {
          stale.insert(identifier)
        }
      } else if isRepeating || attemptCounts[identifier] == nil {
        additions.append(region)
      } else {
        hasLost = true
      }
    }
    let room = max(0, min(capacity - others, limit) - monitored.count)
    if !additions.isEmpty, room > 0 || stale.isEmpty {
      return add(stale.isEmpty ? additions : Array(additions.prefix(room)), at: now)
    }
    for identifier in stale { removalCounts[identifier, default: 0] += 1 }
    removalCounts = removalCounts.filter { stale.contains($0.key) }
    // What stays whatever is asked must not keep all else from its turn.
    stale = stale.filter { removalCounts[$0, default: 0] <= Self.attempts }
    return stale.isEmpty ? nil : .remove(stale.sorted())
  }

  private mutating func add(_ additions: [MonitoredRegion], at now: Timestamp) -> Turn? {
    var kept: [MonitoredRegion] = []
    for addition in additions {
      outdated.remove(addition.identifier)
      let count = attemptCounts[addition.identifier, default: 0] + 1
      attemptCounts[addition.identifier] = count
      if count > Self.attempts {
        queue.removeAll { $0 == addition.identifier }
        refused.insert(addition.identifier)
        lastRefusal = now
        refuse(addition.identifier, at: now)
      } else {
        kept.append(addition)
      }
    }
    return kept.isEmpty ? nil : .add(kept)
  }

  // MARK: What the phone says

  /// The phone has told a crossing. Where it does not tell the crossings in the other direction, there has
  /// been one before.
  package mutating func handle(crossing report: SlotReport) {
    if let region = wanted[report.identifier] {
      var before = report
      switch report.state {
      case .satisfied where !region.notifyOnExit:
        before.state = .unsatisfied
        handle(before)
      case .unsatisfied where !region.notifyOnEntry:
        before.state = .satisfied
        handle(before)
      default: break
      }
    }
    handle(report)
  }

  package mutating func handle(_ report: SlotReport) {
    guard opened != nil, watches[report.identifier] != nil else {
      if !unwanted.contains(report.identifier), early.count < Self.mostEarly { early.append(report) }
      return
    }
    pass(report)
  }

  private mutating func deliverEarly(_ identifier: String) {
    let reports = early.filter { $0.identifier == identifier }
    early.removeAll { $0.identifier == identifier }
    for report in reports { pass(report) }
  }

  private mutating func pass(_ report: SlotReport) {
    guard let watch = watches[report.identifier] else { return }
    var report = report
    if let opened, report.date < opened { report.isRecalled = true }
    if report.state == .unmonitored {
      refused.insert(report.identifier)
      lastRefusal = max(lastRefusal ?? report.date, report.date)
      queue.removeAll { $0 == report.identifier }
    }
    switch watch.consequence(of: report) {
    case .tell(let report):
      undecided.remove(report.identifier)
      outputs.append(.slot(report))
    case .followFixes: undecided.insert(report.identifier)
    }
  }
}

extension MonitoredRegion {
  /// Whether a phone is to tell the same of both.
  fileprivate func isWished(as other: MonitoredRegion) -> Bool {
    notifyOnEntry == other.notifyOnEntry && notifyOnExit == other.notifyOnExit
      && notifyEntryStateOnDisplay == other.notifyEntryStateOnDisplay
  }
}

extension MonitoredRegion.Area {
  /// Whether a phone watches the same for both: it may round what it is given.
  fileprivate func isAlike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.beacon(let a), .beacon(let b)): a == b
    case (.circle(let a, let radius), .circle(let b, let otherRadius)):
      abs(a.latitude - b.latitude) < 1e-7 && abs(a.longitude - b.longitude) < 1e-7
        && abs(radius - otherRadius) < 0.01
    default: false
    }
  }
}

extension Diagnostics {
  /// What a `CLError` of the classic service says of a region; nil where it only says that an answer is late.
  ///
  /// - Parameters:
  ///   - code: The raw value of its code.
  ///   - monitoredCount: How many regions the app monitors, its own included.
  ///   - capacity: How many it can.
  package init?(regionMonitoringError code: Int, monitoredCount: Int, capacity: Int) {
    switch code {
    // kCLErrorRegionMonitoringSetupDelayed and kCLErrorRegionMonitoringResponseDelayed: it is monitored.
    case 6, 7: return nil
    case 1: self = .authorizationDeniedGlobally
    case 4: self = .authorizationDenied
    default: self = monitoredCount >= capacity ? .conditionLimitExceeded : .conditionUnsupported
    }
  }
}
