import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon
import VicinityStore

extension Suite {
  /// The durable record store, and the one in memory beside it: conditions added one by one, opened again,
  /// and events on their way, each commit by itself.
  ///
  /// Elapsed time, which has SQLite's waits for the disk in it, and CPU time.
  func store() throws -> Section {
    var section = Section()
    guard matches("store") else { return section }
    let count = 10_000
    let circles = inputs.circles(count)
    var costs: [String: [Cost]] = [:]
    for round in 0..<max(3, effort.repetitions / 3) {
      progress.show("store: round \(round + 1)")
      let directory = try TemporaryDirectory()
      let openers: [(String, any RecordStoreOpener)] = [
        ("SQLite", SQLiteRecords(folder: directory.path("records"))), ("in memory", InMemoryRecords()),
      ]
      for (name, records) in openers {
        for (what, cost) in try Self.run(records, circles, count) {
          costs["\(what), \(name)", default: []].append(cost)
        }
      }
    }
    progress.clear()
    let wall = { (name: String) in (costs[name] ?? []).map(\.wall).percentile(0.5) }
    section.promise(
      "store: \(count) conditions added one by one", wall("add, SQLite") * 1e3, atMost: 1000, unit: " ms")
    section.promise(
      "store: \(count) conditions opened again", wall("open, SQLite") * 1e3, atMost: 200, unit: " ms")
    section.promise(
      "store: events a second, two commits each", Double(count) / wall("events, SQLite"), atLeast: 10_000)
    for name in costs.keys.sorted() {
      let cpu = (costs[name] ?? []).map(\.cpu).percentile(0.5)
      section.add("store, \(count): \(name): elapsed", wall(name) * 1e3, "ms")
      section.add("store, \(count): \(name): CPU", cpu * 1e3, "ms")
    }
    return section
  }

  private static func run(
    _ records: any RecordStoreOpener, _ circles: Circles, _ count: Int
  ) throws -> [(String, Cost)] {
    let conditions = (0..<count).map { i in
      StoredCondition(
        identifier: "condition \(i)", number: UInt64(i + 1),
        record: MonitoringRecord(
          condition: .circle(center: circles.center(i), radius: 100),
          lastEvent: MonitoringEvent(
            identifier: "condition \(i)", state: .unknown,
            date: Timestamp(microseconds: 1_700_000_000_000_000))))
    }
    let store = try records.open("bench")
    let (_, adding) = try Cost.of {
      for condition in conditions { try store.commit([.put(condition)]) }
    }
    store.close()
    let (opened, opening) = try Cost.of {
      let store = try records.open("bench")
      return (store, try store.load())
    }
    guard opened.1.conditions.count == count else { throw Failure("the store has lost conditions") }
    let (_, delivering) = try Cost.of {
      for i in 0..<count {
        let number = UInt64(i + 1)
        let event = MonitoringEvent(
          identifier: conditions[i * 7919 % count].identifier, state: i & 1 == 0 ? .satisfied : .unsatisfied,
          date: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(i)), sequenceNumber: number)
        try opened.0.commit([.enqueue(event)])
        try opened.0.commit([.handled(sequenceNumber: number)])
      }
    }
    guard try opened.0.load().lastSequenceNumber == UInt64(count) else {
      throw Failure("the store has lost events")
    }
    opened.0.close()
    return [("add", adding), ("open", opening), ("events", delivering)]
  }
}
