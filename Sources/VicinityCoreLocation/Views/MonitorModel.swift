public import Observation
public import VicinityCrossings
public import VicinityMonitor

/// What views show of a monitor: where the device is, what has happened last, what is wrong and what suspends
/// conditions.
///
///     @MainActor func caption(_ model: MonitorModel) -> String {
///       model.inside.isEmpty ? "nowhere" : model.inside.keys.sorted().joined(separator: ", ")
///     }
///
/// It follows the monitor by itself, from its making until the monitor is closed or the model is gone, and is
/// up to date some moments after each change. Any number of models and views may follow one monitor: they
/// handle no events. The one loop that does so reads `Monitor.events`.
@Observable @MainActor
public final class MonitorModel {
  /// The conditions and regions that the device is in, or in range of, and since when:
  /// `Monitor.currentlyInside`.
  public private(set) var inside: [String: Timestamp] = [:]
  /// The events since the model was made, the newest first, and no more than it keeps.
  public private(set) var lastEvents: [MonitoringEvent] = []
  /// What has gone wrong where no caller could be told.
  public private(set) var faults = Monitor.Faults()
  /// What is allowed, as the monitor has been told last.
  public private(set) var environment = MonitorEnvironment()
  /// How many events have not been handled yet.
  public private(set) var pendingEventCount = 0
  /// Whether the monitor follows no more, because it has been closed.
  public private(set) var isClosed = false

  /// What suspends conditions of a kind; empty while they are watched.
  public func suspension(of kind: Condition.Kind) -> Diagnostics { environment.diagnostics(for: kind) }

  /// The tasks that follow the monitor: they end with the model.
  private final class Following: Sendable {
    private let tasks: [Task<Void, Never>]

    init(_ tasks: [Task<Void, Never>]) { self.tasks = tasks }

    deinit {
      for task in tasks { task.cancel() }
    }
  }

  @ObservationIgnored private var following: Following?

  /// Begins to follow a monitor.
  ///
  /// - Parameters:
  ///   - monitor: The monitor. The model does not keep it open.
  ///   - count: How many of the last events are kept.
  public init(_ monitor: Monitor, lastEvents count: Int = 50) {
    // Asked for here, so that no event is missed that is made from now on.
    let (changes, statusChanges) = (monitor.changes, monitor.statusChanges)
    following = Following([
      Task { [weak self] in
        for await event in changes { self?.note(event, keeping: count) }
      },
      Task { [weak self, weak monitor] in
        for await _ in statusChanges {
          guard let status = await monitor?.status else { break }
          self?.show(status)
        }
        if !Task.isCancelled { self?.isClosed = true }
      },
    ])
  }

  private func note(_ event: MonitoringEvent, keeping count: Int) {
    guard count > 0 else { return }
    if lastEvents.count >= count { lastEvents.removeLast(lastEvents.count - count + 1) }
    lastEvents.insert(event, at: 0)
  }

  /// Assigns only what has changed, so that views are drawn again only then.
  private func show(_ status: MonitorStatus) {
    if inside != status.inside { inside = status.inside }
    if environment != status.environment { environment = status.environment }
    if pendingEventCount != status.pendingEventCount { pendingEventCount = status.pendingEventCount }
    // A source's error cannot be compared.
    if faults.capacity != status.faults.capacity || faults.store != status.faults.store
      || faults.refusedInputCount != status.faults.refusedInputCount
      || faults.lastRefusal != status.faults.lastRefusal
      || (faults.source == nil) != (status.faults.source == nil)
    {
      faults = status.faults
    }
  }
}
