import Dispatch
import Synchronization
import VicinityFormats
import VicinityRuns

/// One line on standard error that says how far the work is: only on a terminal, only for work longer
/// than a second, at most ten times a second, and gone at the end.
final class ProgressMeter: RunProgress, Sendable {
  private struct State {
    var label: String
    var done = 0
    var total: Int?
    /// What is said after the label, besides how far the work is.
    var detail = ""
    var stageStart = ContinuousClock.now
    var isFinished = false
  }

  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "progress")
  private let start = ContinuousClock.now
  private static let lineIsDirty = Mutex(false)

  /// A meter for the work named `label`.
  init(_ label: String, isEnabled: Bool = System.isTerminal(System.standardError)) {
    state = Mutex(State(label: label))
    if isEnabled, System.environment("TERM") != "dumb" { schedule(after: .seconds(1)) }
  }

  deinit { finish() }

  /// Starts the next stage of the work.
  func stage(_ label: String, total: Int? = nil) {
    state.withLock {
      $0.label = label
      ($0.done, $0.total, $0.detail) = (0, total, "")
      $0.stageStart = .now
    }
  }

  /// Says how many of the stage's items are done.
  func update(_ done: Int) {
    state.withLock { $0.done = done }
  }

  /// Says how much of the stage is done, 0...1.
  func update(fraction: Double) {
    guard fraction.isFinite else { return }
    state.withLock {
      $0.done = Int(1000 * min(1, max(0, fraction)))
      $0.total = 1000
    }
  }

  /// Says how much of the stage is done, 0...1 where that is known, and what else there is to say.
  func update(fraction: Double?, detail: String) {
    state.withLock { $0.detail = detail }
    if let fraction { update(fraction: fraction) }
  }

  /// What a reader of regions or points calls while it reads.
  var readingProgress: @Sendable (ReadingProgress) -> Bool {
    { [weak self] reading in
      if let fraction = reading.fraction { self?.update(fraction: fraction) }
      return true
    }
  }

  /// Stops drawing and clears the line.
  func finish() {
    state.withLock { $0.isFinished = true }
    Self.clearLine()
  }

  /// Clears the line if anything stands on it, so that a message can follow.
  static func clearLine() {
    lineIsDirty.withLock {
      if $0 { System.printError("\r\u{1B}[K") }
      $0 = false
    }
  }

  /// The text of the line: `finding events 34 %, 12 M fixes, 3 M a second (12 s, 23 s left)`.
  ///
  /// - Parameter stageSeconds: how long the stage has been going on, for the time left; `nil` where that is
  ///   not said.
  static func line(
    label: String, done: Int, total: Int?, seconds: Int64, detail: String = "", stageSeconds: Double? = nil
  ) -> String {
    var text = label
    var left = ""
    if let total, total > 0 {
      let part = Double(done) / Double(total)
      text += " \(Int(100 * part)) %"
      if let stageSeconds, part > 0.001 {
        left = ", \(Int((stageSeconds * (1 - part) / part).rounded(.up))) s left"
      }
    }
    return text + (detail.isEmpty ? "" : ", \(detail)") + " (\(seconds) s\(left))"
  }

  private func schedule(after delay: DispatchTimeInterval) {
    queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self, draw() else { return }
      schedule(after: .milliseconds(200))
    }
  }

  /// Draws the line; `false` once the work has finished.
  private func draw() -> Bool {
    Self.lineIsDirty.withLock { isDirty in
      // Inside the lock, so that nothing is drawn once `finish` has cleared the line.
      let now = state.withLock { $0 }
      guard !now.isFinished else { return false }
      let seconds = (ContinuousClock.now - start).components.seconds
      let inStage = (ContinuousClock.now - now.stageStart) / .seconds(1)
      let line = Self.line(
        label: now.label, done: now.done, total: now.total, seconds: seconds, detail: now.detail,
        stageSeconds: now.detail.isEmpty ? nil : inStage)
      System.printError("\r\u{1B}[K" + line)
      isDirty = true
      return true
    }
  }
}
