internal import VicinityCrossings

/// Work of an app on another thread, as on one of `dispatch_get_global_queue`.
///
/// It goes on while the main thread is blocked. It does not keep the app running by itself: that takes a
/// background task. While the app is suspended it stands still, and it ends with the process.
public final class ConcurrentWork {
  /// Unique within a run.
  public let number: Int
  /// The name in timelines.
  public let name: String
  /// How many slices have been done.
  public internal(set) var slices = 0
  /// Whether all of it has been done.
  public internal(set) var isFinished = false
  /// A flag for the app, which nothing in the phone looks at: an expiration handler sets it, and the work
  /// reads it before each slice.
  public var isCancelled = false

  init(number: Int, name: String) {
    self.number = number
    self.name = name
  }
}

/// Concurrent work that has not finished.
struct RunningWork {
  var work: ConcurrentWork
  /// How long the next slice takes; nil when there is none.
  var slice: (SimulatedPhone, ConcurrentWork) -> Duration?
  var hasBegun = false
  /// When the current slice is done, while the app runs.
  var end: Timestamp
  /// What is left of the current slice, while the app does not run.
  var rest: Duration?
}

extension SimulatedPhone {
  /// Starts work on another thread, in slices.
  ///
  /// The *App Programming Guide for iOS* ("Executing Finite-Length Tasks") has long work done that way,
  /// "preferably in chunks", with a background task around it:
  ///
  ///     let task = phone.beginBackgroundTask("upload")
  ///     upload = phone.workConcurrently("upload") { phone, work in
  ///       guard !work.isCancelled, phone.backgroundTimeRemaining > .seconds(2), !parts.isEmpty else {
  ///         phone.endBackgroundTask(task)
  ///         return nil
  ///       }
  ///       parts.removeFirst()
  ///       return .seconds(1)
  ///     }
  ///     // In `taskExpires`:
  ///     upload.isCancelled = true
  ///
  /// - Parameters:
  ///   - name: The name in timelines.
  ///   - slice: Called on the other thread before each slice; it may ask the phone for the remaining time,
  ///     look at flags, and begin and end background tasks. Returns how long the slice takes, at least a
  ///     millisecond; nil when the work is finished.
  /// - Returns: The work; finished when the app does not run.
  /// - Complexity: O(pieces of work that have not finished) for each slice
  @discardableResult
  public func workConcurrently(
    _ name: String, _ slice: @escaping (SimulatedPhone, ConcurrentWork) -> Duration?
  ) -> ConcurrentWork {
    lifecycle.lastWork += 1
    let work = ConcurrentWork(number: lifecycle.lastWork, name: name)
    guard appRuns else {
      work.isFinished = true
      return work
    }
    record(.service(name: "work", setting: "\(name) begins"))
    lifecycle.concurrent.append(RunningWork(work: work, slice: slice, end: now))
    scheduleConcurrentWork()
    return work
  }

  /// Schedules the end of the next slice, and stops the clock of all slices while the app does not run.
  func scheduleConcurrentWork() {
    let runs = appRuns && !lifecycle.isAsleep
    var next = Timestamp.distantFuture
    for index in lifecycle.concurrent.indices {
      let piece = lifecycle.concurrent[index]
      if runs {
        if let rest = piece.rest { lifecycle.concurrent[index].end = now.advanced(by: rest) }
        lifecycle.concurrent[index].rest = nil
        next = min(next, lifecycle.concurrent[index].end)
      } else if piece.rest == nil {
        lifecycle.concurrent[index].rest = max(.zero, now.duration(to: piece.end))
      }
    }
    timers[.concurrentWork] = next
    let isWorking = runs && lifecycle.concurrent.contains { $0.end > now }
    meter.hold(.cpu, isWorking ? profile.awake.value : 0, due: .awake, by: .otherThreads, at: now)
    meter.hold(.app, isWorking ? profile.work.value : 0, due: .work, by: .otherThreads, at: now)
  }

  func concurrentWorkIsDue() {
    guard appRuns, !lifecycle.isAsleep else { return scheduleConcurrentWork() }
    let due = lifecycle.concurrent.filter { $0.end <= now }.map(\.work.number)
    for number in due {
      // What one piece does may suspend or end the app.
      guard appRuns, let index = lifecycle.concurrent.firstIndex(where: { $0.work.number == number }) else {
        continue
      }
      let piece = lifecycle.concurrent[index]
      if piece.hasBegun { piece.work.slices += 1 }
      lifecycle.concurrent[index].hasBegun = true
      let length = piece.slice(self, piece.work)
      guard let index = lifecycle.concurrent.firstIndex(where: { $0.work.number == number }) else { continue }
      if let length {
        let length = max(length, .milliseconds(1))
        lifecycle.concurrent[index].end = now.advanced(by: length)
        // Suspended by what the slice did: it waits with all of its length.
        if !appRuns { lifecycle.concurrent[index].rest = length }
      } else {
        piece.work.isFinished = true
        lifecycle.concurrent.remove(at: index)
        record(.service(name: "work", setting: "\(piece.work.name) is done"))
      }
    }
    scheduleConcurrentWork()
  }

  /// The process has ended, and its threads with it.
  func endConcurrentWork() {
    lifecycle.concurrent.removeAll()
    scheduleConcurrentWork()
  }
}
