#if Store
  import Testing
  import VicinityCrossings
  import VicinityGeodesy
  import VicinityIndex
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  @Suite struct StoreContentTests {
    /// The store against the definition of what each change does, over random commits and many reopenings.
    @Test func storesWhatTheDefinitionSays() throws {
      for seed in 0..<UInt64(isLong ? 200 : 8) {
        let folder = StoreFolder()
        var random = SplitMix64(seed: seed)
        var script = RecordScript(seed: seed)
        var store = try folder.records.open("script")
        for i in 0..<200 {
          try store.commit(script.next() ?? [])
          switch random.below(12) {
          case 0:
            store.close()
            store = try folder.records.open("script")
            #expect(try store.load() == script.stored, "seed \(seed), commit \(i)")
          case 1:
            // Without reading it first.
            store.close()
            store = try folder.records.open("script")
          case 2: #expect(try store.load() == script.stored, "seed \(seed), commit \(i)")
          default: break
          }
        }
        store.close()
        #expect(try folder.load() == script.stored, "seed \(seed)")
      }
    }

    /// Equal is not enough: -0.0 equals 0.
    @Test func keepsEveryBit() throws {
      var seen = 0
      for seed in 0..<4 {
        let folder = StoreFolder()
        try folder.write(100, seed: UInt64(seed))
        let stored = try folder.load()
        for (identifier, condition) in RecordScript.states(100, seed: UInt64(seed))[100].conditions {
          let found = try #require(stored.conditions[identifier])
          #expect(Array(found.identifier.utf8) == Array(condition.identifier.utf8))
          if case .circle(let a, let r) = condition.record.condition,
            case .circle(let b, let s) = found.record.condition
          {
            #expect(a.latitude.bitPattern == b.latitude.bitPattern)
            #expect(a.longitude.bitPattern == b.longitude.bitPattern)
            #expect(r.bitPattern == s.bitPattern)
            seen += [a.latitude, a.longitude, r].count { $0.bitPattern == (-0.0).bitPattern }
          }
        }
      }
      #expect(seen > 0)
    }

    /// A commit with something in it that is not taken leaves nothing, and the store goes on.
    @Test func refusesWholeCommits() throws {
      let folder = StoreFolder()
      let store = try folder.records.open("script")
      func condition(_ name: String, _ number: UInt64, latitude: Double = 1, radius: Double = 1)
        -> RecordChange
      {
        .put(
          StoredCondition(
            identifier: name, number: number,
            record: MonitoringRecord(
              condition: .circle(center: Coordinate(latitude: latitude, longitude: 2), radius: radius),
              lastEvent: MonitoringEvent(identifier: name, state: .unknown, date: Timestamp(microseconds: 0)))
          ))
      }
      func event(_ number: UInt64) -> RecordChange {
        .enqueue(
          MonitoringEvent(
            identifier: "a", state: .satisfied, date: Timestamp(microseconds: 1), sequenceNumber: number))
      }
      try store.commit([condition("a", 1), event(7)])
      let before = try store.load()
      for bad in [
        condition("b", 1), condition("b", 0), condition("b", 2, latitude: .nan),
        condition("b", 2, latitude: 91),
        condition("b", 2, radius: -1), condition("b", 2, radius: .infinity), event(7), event(0),
        .counted(CrossingHistory(crossings: 1, departureCrossings: 2)),
        .counted(CrossingHistory(crossings: 2, departureCrossings: 2, longRestCrossings: 0, longRests: 1)),
        .counted(
          CrossingHistory(crossings: -1, departureCrossings: -1, longRestCrossings: -1, longRests: -1)),
        .counted(CrossingHistory(crossings: .max)),
        .counted(CrossingHistory(crossings: 2, departureCrossings: 1, departureExits: 2)),
        .counted(CrossingHistory(headStarts: [0, 0, 0, 0, 81, 0, 0, 0])),
        .counted(CrossingHistory(headStarts: [0, 0, -1, 0, 0, 0, 0, 0])),
        .counted(CrossingHistory(headStarts: [])),
        .counted(CrossingHistory(exits: 81, meanExit: 100)), .counted(CrossingHistory(exits: 1)),
        .counted(CrossingHistory(meanExit: 100)), .counted(CrossingHistory(exits: 1, meanExit: .nan)),
      ] {
        let kind = RecordStoreError.kind {
          try store.commit([condition("c", 9), .handled(sequenceNumber: 7), event(8), bad, event(9)])
        }
        // Number 7 is free once it is handled.
        #expect(kind == (bad == event(7) ? "success" : "invalidChange"), "\(bad)")
        if kind == "success" { try store.commit([.replaceAll(before)]) }
        #expect(
          RecordStoreError.kind { try store.commit([condition("c", 9), bad]) } == "invalidChange", "\(bad)")
        #expect(try store.load() == before)
      }
      try store.commit([condition("c", 2)])
      store.close()
      #expect(try folder.load().conditions.keys.sorted() == ["a", "c"])
    }

    @Test func numbersOfAllSizes() throws {
      let folder = StoreFolder()
      let store = try folder.records.open("script")
      var stored = StoredMonitor()
      for number in [UInt64(1), 1 << 62, 1 << 63, .max] {
        let changes: [RecordChange] = [
          .put(
            StoredCondition(
              identifier: "\(number)", number: number,
              record: MonitoringRecord(
                condition: .beacon(BeaconIdentity(uuid: ProximityUUID(high: .max, low: number))),
                lastEvent: MonitoringEvent(
                  identifier: "", state: .unknown, date: Timestamp(microseconds: .min))))),
          .enqueue(
            MonitoringEvent(
              identifier: "\(number)", state: .unmonitored, date: Timestamp(microseconds: .max),
              sequenceNumber: number)),
        ]
        try store.commit(changes)
        for change in changes { stored.apply(change) }
      }
      store.close()
      #expect(try folder.load() == stored)
    }
  }
#endif
