internal import VicinityText

/// Calls the caller's progress closure at most ten times a second.
///
/// Throws a `CancellationError` when the closure returns false or the task has been cancelled.
struct ProgressTicker {
  private let report: (@Sendable (ReadingProgress) -> Bool)?
  private let clock = ContinuousClock()
  private var due: ContinuousClock.Instant
  private static let interval: ContinuousClock.Duration = .milliseconds(100)

  init(_ report: (@Sendable (ReadingProgress) -> Bool)?) {
    self.report = report
    due = clock.now
  }

  /// To be called every few thousand rows.
  mutating func tick(rows: Int, fraction: Double?) throws {
    try Task.checkCancellation()
    guard report != nil, clock.now >= due else { return }
    try send(rows: rows, fraction: fraction)
    due = clock.now + Self.interval
  }

  /// To be called at the end.
  func finish(rows: Int) throws { try send(rows: rows, fraction: 1) }

  private func send(rows: Int, fraction: Double?) throws {
    guard let report else { return }
    let clamped = fraction.map { min(max($0, 0), 1) }
    guard report(ReadingProgress(rows: rows, fraction: clamped)) else { throw CancellationError() }
  }
}
