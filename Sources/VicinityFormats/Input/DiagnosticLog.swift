/// Diagnostics of one kind: the first few kept, all counted.
struct DiagnosticLog {
  private(set) var first: [Diagnostic] = []
  private(set) var count = 0
  let maximum: Int

  init(maximum: Int) { self.maximum = maximum }

  /// Adds a diagnostic; its text is made only if it is kept.
  mutating func add(_ place: Diagnostic.Place, _ message: @autoclosure () -> String) {
    count += 1
    if first.count < maximum { first.append(Diagnostic(place: place, message: message())) }
  }

  /// Adds diagnostics, the first of `count`.
  mutating func add(_ diagnostics: [Diagnostic], count: Int) {
    self.count += count
    first.append(contentsOf: diagnostics.prefix(max(0, maximum - first.count)))
  }
}

/// Calls the caller's progress closure, at most ten times a second, and turns its `false`, or the
/// cancellation of the task, into an error.
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
  ///
  /// - Throws: `CancellationError`
  mutating func tick(rows: Int, fraction: Double?) throws {
    try Task.checkCancellation()
    guard report != nil, clock.now >= due else { return }
    try send(rows: rows, fraction: fraction)
    due = clock.now + Self.interval
  }

  /// To be called at the end.
  ///
  /// - Throws: `CancellationError`
  func finish(rows: Int) throws { try send(rows: rows, fraction: 1) }

  private func send(rows: Int, fraction: Double?) throws {
    guard let report else { return }
    let clamped = fraction.map { min(max($0, 0), 1) }
    guard report(ReadingProgress(rows: rows, fraction: clamped)) else { throw CancellationError() }
  }
}
