#if Store
  import Testing
  import VicinityCrossings
  import VicinityGeodesy
  import VicinityMonitor
  import VicinityStore

  /// A monitor on the durable store.
  @Suite struct StoreMonitorTests {
    @Test func findsWhatItLeft() async throws {
      let folder = StoreFolder()
      let records = folder.records
      let condition = Condition.circle(center: Coordinate(latitude: 48.2, longitude: 16.37), radius: 100)
      let monitor = try await Monitor("Zones", records: records)
      try await monitor.add(condition, identifier: "home", assuming: .satisfied)
      try await monitor.add(condition, identifier: "work")
      try await monitor.remove("work")
      let record = await monitor.record(for: "home")
      let error = await monitor.faults.store
      #expect(error == nil)
      await #expect(throws: MonitorError.store(.alreadyOpen(name: "Zones"))) {
        try await Monitor("Zones", records: records)
      }
      await monitor.close()
      let again = try await Monitor("Zones", records: records)
      let found = await again.record(for: "home")
      #expect(found == record && found?.condition == condition && found?.lastEvent.state == .satisfied)
      let identifiers = await again.identifiers
      #expect(Array(identifiers) == ["home"])
      await again.close()
    }

    /// What a later process is told of a time before the last fix decides nothing, in the file as in memory.
    @Test func remembersTheLastFix() async throws {
      let folder = StoreFolder()
      let start = SystemMonitorClock().now
      let center = Coordinate(latitude: 48.2, longitude: 16.37)
      func fix(_ seconds: Int, _ latitude: Degrees) -> MonitorInput {
        .fix(
          Fix(
            time: start.advanced(by: .seconds(seconds)),
            coordinate: Coordinate(latitude: latitude, longitude: 16.37), horizontalAccuracy: 5))
      }
      let monitor = try await Monitor("Zones", records: folder.records)
      try await monitor.add(
        .circle(center: center, radius: 100), identifier: "home", assuming: .unsatisfied)
      try await monitor.receive(fix(60, 48.3))
      await monitor.close()
      let again = try await Monitor("Zones", records: folder.records)
      await #expect(throws: MonitorError.self) { try await again.receive(fix(30, 48.2)) }
      let pending = await again.pendingEventCount
      #expect(pending == 0)
      try await again.receive(fix(90, 48.2))
      let entered = await again.pendingEventCount
      #expect(entered == 1)
      await again.close()
    }
  }
#endif
