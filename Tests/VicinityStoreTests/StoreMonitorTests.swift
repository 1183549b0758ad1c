#if Store
  import Testing
  import VicinityGeodesy
  import VicinityMonitor
  import VicinityStore

  /// A monitor on the durable store.
  @Suite struct StoreMonitorTests {
    @Test func findsWhatItLeft() async throws {
      let folder = StoreFolder()
      let records = folder.records
      let condition = Condition.circle(center: Coordinate(latitude: 48.2, longitude: 16.37), radius: 100)
      let monitor = try Monitor("Zones", records: records)
      try await monitor.add(condition, identifier: "home", assuming: .satisfied)
      try await monitor.add(condition, identifier: "work")
      try await monitor.remove("work")
      let record = await monitor.record(for: "home")
      let error = await monitor.faults.store
      #expect(error == nil)
      #expect(throws: MonitorError.store(.alreadyOpen(name: "Zones"))) {
        try Monitor("Zones", records: records)
      }
      await monitor.close()
      let again = try Monitor("Zones", records: records)
      let found = await again.record(for: "home")
      #expect(found == record && found?.condition == condition && found?.lastEvent.state == .satisfied)
      let identifiers = await again.identifiers
      #expect(Array(identifiers) == ["home"])
      await again.close()
    }
  }
#endif
