import Dispatch
import Synchronization
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon
import VicinityStore

extension Suite {
  /// The whole monitor with the durable store on: conditions added one by one, the monitor opened again, and
  /// events from the fix that causes them to the consumer that handles them. Elapsed time.
  func monitor() throws -> Section {
    var section = Section()
    guard matches("monitor") else { return section }
    let count = 10_000
    var times: [String: [Double]] = [:]
    for round in 0..<max(3, effort.repetitions / 3) {
      progress.show("monitor: round \(round + 1)")
      let directory = try TemporaryDirectory()
      for (what, seconds) in try Self.run(directory.path("records"), count) {
        times[what, default: []].append(seconds)
      }
    }
    progress.clear()
    let median = { (name: String) in (times[name] ?? []).percentile(0.5) }
    section.promise(
      "monitor: \(count) conditions added one by one, store on", median("add") * 1e3, atMost: 1000,
      unit: " ms")
    section.promise(
      "monitor: \(count) conditions opened again", median("open") * 1e3, atMost: 200, unit: " ms")
    section.promise(
      "monitor: events a second from fix to consumer, store on", Double(count) / median("events"),
      atLeast: 10_000)
    section.add("monitor, \(count): events: elapsed", median("events") * 1e3, "ms")
    return section
  }

  /// Does asynchronous work, and waits for it.
  private static func wait<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) throws -> T {
    let semaphore = DispatchSemaphore(value: 0)
    let result = Mutex<Result<T, any Error>?>(nil)
    Task {
      do {
        let value = try await work()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      semaphore.signal()
    }
    semaphore.wait()
    guard let result = result.withLock({ $0 }) else { throw Failure("a task has ended without a result") }
    return try result.get()
  }

  private static func run(_ folder: String, _ count: Int) throws -> [(String, Double)] {
    // A row of circles a kilometre apart: a device that hops along it enters one and leaves another at each
    // fix.
    let places = (0..<count).map { i in
      Coordinate(latitude: Double(i / 100) * 0.02, longitude: Double(i % 100) * 0.02)
    }
    let options = MonitorOptions(crossings: CrossingOptions(rule: .naive))
    return try wait {
      let clock = ContinuousClock()
      var times: [(String, Double)] = []
      var monitor = try await Monitor("bench", records: SQLiteRecords(folder: folder), options: options)
      var start = clock.now
      for (i, place) in places.enumerated() {
        try await monitor.add(
          .circle(center: place, radius: 100), identifier: "condition \(i)", assuming: .unsatisfied)
      }
      times.append(("add", (clock.now - start) / .seconds(1)))
      await monitor.close()
      start = clock.now
      monitor = try await Monitor("bench", records: SQLiteRecords(folder: folder), options: options)
      times.append(("open", (clock.now - start) / .seconds(1)))
      let known = await monitor.identifiers.count
      guard known == count else { throw Failure("the monitor has lost conditions") }
      start = clock.now
      let consumer = Task { [monitor] in
        var handled = 0
        for try await _ in monitor.events {
          handled += 1
          if handled == count { break }
        }
        return handled
      }
      let now = SystemMonitorClock().now
      for i in 0...count / 2 {
        let fix = Fix(time: now.advanced(by: .seconds(i)), coordinate: places[i])
        try await monitor.receive(.fix(fix))
      }
      guard try await consumer.value == count else { throw Failure("the monitor has lost events") }
      times.append(("events", (clock.now - start) / .seconds(1)))
      await monitor.close()
      return times
    }
  }
}
