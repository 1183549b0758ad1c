internal import VicinityCrossings

extension RegionMonitoringService {
  /// Takes inputs, and lets time pass when it is due, until the inputs end, the service is closed or the task is cancelled.
  ///
  /// Runs on the caller's actor, where the service lives; other calls may be made in between. One at a time.
  ///
  /// - Parameters:
  ///   - inputs: Fixes, sightings, what the device says of its slots, and what is allowed.
  ///   - isolation: The caller's actor.
  ///   - onRefusal: Told of inputs that were refused: fixes that cannot follow those before them.
  /// - Throws: What the source throws.
  public func run<S: AsyncSequence & Sendable>(
    _ inputs: S, isolation: isolated (any Actor)? = #isolation,
    onRefusal: (MonitorError) -> Void = { _ in }
  ) async throws where S.Element == MonitorInput {
    // Inputs, and nil when time has passed.
    let (steps, continuation) = AsyncThrowingStream.makeStream(of: MonitorInput?.self)
    let reader = Task {
      do {
        for try await input in inputs { continuation.yield(input) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    var timer: (deadline: Timestamp, task: Task<Void, Never>)?
    let clock = clock
    deadlineChanged = { [unowned self] in
      if isClosed { continuation.finish() }
      guard nextDeadline != timer?.deadline else { return }
      timer?.task.cancel()
      timer = nextDeadline.map { deadline in
        let task = Task {
          // Cancelled: another deadline has taken its place.
          do { try await clock.sleep(until: deadline) } catch { return }
          continuation.yield(nil)
        }
        return (deadline, task)
      }
    }
    defer {
      reader.cancel()
      timer?.task.cancel()
      deadlineChanged = nil
    }
    deadlineChanged?()
    var iterator = steps.makeAsyncIterator()
    while !isClosed, let step = try await iterator.next(isolation: isolation) {
      guard let input = step else {
        timer = nil
        timePassed()
        continue
      }
      do throws(MonitorError) { try receive(input) } catch { onRefusal(error) }
    }
  }
}
