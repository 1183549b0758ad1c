import VicinityPolygon

#if Store
  import Foundation
  import Testing
  import VicinityCrossings
  import VicinityGeodesy
  import VicinityIndex
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  /// Files that earlier versions wrote, kept in `Golden`: each opens, has what was put in, and can be added
  /// to.
  @Suite struct StoreVersionTests {
    /// What the file of version 1 was made with.
    private static func version1() throws -> StoredMonitor {
      func event(
        _ identifier: String, _ state: MonitoringState, _ number: UInt64, _ refinement: BeaconIdentity? = nil
      ) -> MonitoringEvent {
        MonitoringEvent(
          identifier: identifier, state: state,
          date: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(number)), refinement: refinement,
          diagnostics: number == 4 ? [.persistenceUnavailable, .accuracyLimited] : [], sequenceNumber: number)
      }
      let beacon = BeaconIdentity(
        uuid: ProximityUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0))
      let corners = [(48.2, 16.3), (48.2, 16.4), (48.25, 16.4), (48.25, 16.3)].map {
        Coordinate(latitude: $0.0, longitude: $0.1)
      }
      let conditions: [(String, Condition, ConditionOptions)] = [
        ("circle", .circle(center: Coordinate(latitude: -0.1, longitude: 179.9), radius: 250.5), .init()),
        ("polygon", .polygon(try Polygon(exterior: corners)), .init(isPinned: true, priority: -3)),
        ("beacon", .beacon(beacon), .init(notifyOnEntry: false, notifyEntryStateOnDisplay: true)),
        ("gone", .circle(center: corners[0], radius: 0), .init(notifyOnExit: false)),
      ]
      var stored = StoredMonitor()
      for (i, (name, condition, options)) in conditions.enumerated() {
        let record = MonitoringRecord(
          condition: condition, options: options, lastEvent: event(name, .unsatisfied, 0))
        stored.apply(.put(StoredCondition(identifier: name, number: UInt64(i + 1), record: record)))
      }
      let seen = BeaconIdentity(uuid: beacon.uuid, major: 7, minor: 65535)
      for change: RecordChange in [
        .enqueue(event("circle", .satisfied, 1)), .enqueue(event("beacon", .satisfied, 2, seen)),
        .enqueue(event("polygon", .unmonitored, 4)), .enqueue(event("circle", .unsatisfied, 5)),
        .handled(sequenceNumber: 1), .handled(sequenceNumber: 2),
        .notified(identifier: "beacon", sequenceNumber: 2),
        .remove(identifier: "gone"),
      ] { stored.apply(change) }
      return stored
    }

    /// What the file of version 2 was made with.
    private static func version2() throws -> StoredMonitor {
      var stored = try version1()
      stored.apply(.seen(Timestamp(microseconds: 1_700_000_000_123_456)))
      return stored
    }

    /// What the file of version 3 was made with.
    private static func version3() throws -> StoredMonitor {
      var stored = try version2()
      let event = MonitoringEvent(
        identifier: "wish", state: .satisfied, date: Timestamp(microseconds: 1_700_000_000_000_000),
        sequenceNumber: 0)
      let record = MonitoringRecord(
        condition: .circle(center: Coordinate(latitude: 10, longitude: -20), radius: 100),
        options: ConditionOptions(latency: .seconds(10), hysteresis: 12.5, dwell: .seconds(300)),
        lastEvent: event)
      stored.apply(.put(StoredCondition(identifier: "wish", number: 5, record: record)))
      return stored
    }

    /// What the file of version 4 was made with.
    private static func version4() throws -> StoredMonitor {
      var stored = try version2()
      stored.apply(
        .counted(
          CrossingHistory(crossings: 40, departureCrossings: 9, longRestCrossings: 5, longRests: 3)))
      return stored
    }

    /// What the file of version 5 was made with.
    private static func version5() throws -> StoredMonitor {
      var stored = try version2()
      stored.apply(
        .counted(
          CrossingHistory(
            crossings: 40, departureCrossings: 9, departureExits: 4, headStarts: [1, 0, 0, 2, 5, 0, 0, 80],
            longRestCrossings: 5, longRests: 3, exits: 7, meanExit: 85.25)))
      return stored
    }

    private var golden: URL {
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")
    }

    @Test("Files of earlier versions and of this one", arguments: [1, 2, 3, 4, 5])
    func opens(version: Int) throws {
      let folder = StoreFolder()
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: golden.appendingPathComponent("version-\(version).vmon").path, toPath: folder.script)
      let stored = try [Self.version1, Self.version2, Self.version3, Self.version4, Self.version5][
        version - 1]()
      #expect(try folder.load() == stored)
      let store = try folder.records.open("script")
      try store.commit([.handled(sequenceNumber: 5)])
      store.close()
      var after = stored
      after.apply(.handled(sequenceNumber: 5))
      #expect(try folder.load() == after)
    }

    /// This version's file, as a later one will find it. Run by hand, once a version.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["VICINITY_WRITE_GOLDEN"] == "1"))
    func writesGolden() throws {
      let folder = StoreFolder()
      let store = try folder.records.open("script")
      try store.commit([.replaceAll(try Self.version5())])
      store.close()
      try FileManager.default.copyItem(
        atPath: folder.script, toPath: golden.appendingPathComponent("version-5.vmon").path)
    }
  }
#endif
