#if Store
  import Foundation
  import Synchronization
  import Testing
  import VicinityCrossings
  import VicinityGeodesy
  import VicinityIndex
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  @testable import VicinitySimulation

  /// Whole lives of an app with a `Monitor` on a phone, by lot: its user walks, opens and leaves it, forbids
  /// it things and allows them again; the system suspends it, ends it and starts it again; it crashes as it
  /// stores; the phone restarts, goes through roofs, airplane mode and places without Wi-Fi, its clock is
  /// set, and it has faults. What is stored tells what happened.
  ///
  /// Every event has the next number and is handled once, in order; a condition's states take turns; its user
  /// is notified once for a stay; and once the app may work and has been opened again, the states are the
  /// true ones, whatever was missed before.
  @Suite("Lives of a monitor on a phone")
  struct MonitorLivesTests {
    /// Records whose commits are written down, and that fail when they are told to.
    final class WitnessedRecords: RecordStoreOpener {
      private let base: any RecordStoreOpener
      private let witnessed = Mutex<[RecordChange]>([])
      /// How many commits there are until one is lost, and all that follow; none are lost where it is nil.
      let commitsLeft = Mutex<Int?>(nil)
      /// How many commits were lost.
      let failures = Mutex(0)

      /// Whether a commit has been lost.
      var hasFailed: Bool { commitsLeft.withLock { $0 == 0 } }

      init(_ base: some RecordStoreOpener) { self.base = base }

      var changes: [RecordChange] { witnessed.withLock { $0 } }

      func open(_ name: String) throws(RecordStoreError) -> any RecordStore {
        Store(try base.open(name), self)
      }

      private final class Store: RecordStore {
        private let base: any RecordStore
        private let records: WitnessedRecords

        init(_ base: any RecordStore, _ records: WitnessedRecords) {
          self.base = base
          self.records = records
        }

        func load() throws(RecordStoreError) -> StoredMonitor { try base.load() }

        func commit(_ changes: [RecordChange]) throws(RecordStoreError) {
          let isLost = records.commitsLeft.withLock { left in
            left = left.map { max(0, $0 - 1) }
            return left == 0
          }
          if isLost {
            records.failures.withLock { $0 += 1 }
            throw .unavailable(reason: "the process has crashed")
          }
          try base.commit(changes)
          records.witnessed.withLock { $0 += changes }
        }

        func close() { base.close() }
      }
    }

    /// A process that ends as it stores something: what it could not store is lost, and from then on it does
    /// nothing.
    private struct CrashingApp: PhoneApp {
      let app: MonitoredApp
      let records: WitnessedRecords
      /// From then on it does not crash.
      let end: Timestamp

      func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
        if phone.now >= end { records.commitsLeft.withLock { if $0 != 0 { $0 = nil } } }
        if !records.hasFailed { app.handle(event, on: phone) }
      }
    }

    /// What went wrong in a history of commits, and how many events it has.
    static func check(_ changes: [RecordChange], isNotifying: Bool = false) -> (
      faults: [String], events: Int, last: [String: MonitoringState]
    ) {
      var faults: [String] = []
      var last: [String: MonitoringState] = [:]
      var enqueued: UInt64 = 0
      var handled: UInt64 = 0
      // The events that began the stays in progress, and those that the user was notified of.
      var stays: [String: UInt64] = [:]
      var told: Set<UInt64> = []
      var owed: Set<UInt64> = []
      for change in changes {
        switch change {
        case .enqueue(let event):
          if event.sequenceNumber != enqueued + 1 {
            faults.append("number \(event.sequenceNumber) after \(enqueued)")
          }
          enqueued = event.sequenceNumber
          if last[event.identifier] == event.state {
            faults.append("\(event.identifier) \(event.state) twice")
          }
          last[event.identifier] = event.state
          switch event.state {
          case .satisfied: if stays[event.identifier] == nil { stays[event.identifier] = enqueued }
          case .unsatisfied:
            if let stay = stays.removeValue(forKey: event.identifier) { owed.insert(stay) }
          case .unknown, .unmonitored: break
          }
        case .handled(let number):
          if number != handled + 1 { faults.append("handled \(number) after \(handled)") }
          handled = number
        case .notified(_, sequenceNumber: 0): break
        case .notified(let identifier, let number):
          if !told.insert(number).inserted { faults.append("\(identifier) notified of \(number) twice") }
        case .put, .remove, .seen, .counted, .replaceAll: break
        }
      }
      owed.formUnion(stays.values)
      if isNotifying, told != owed {
        faults.append(
          "notified of \(told.subtracting(owed).sorted()), not of \(owed.subtracting(told).sorted())")
      }
      if handled != enqueued { faults.append("\(enqueued - handled) events not handled") }
      return (faults, Int(enqueued), last)
    }

    private static let quiet: [UserAction] = [
      .openApp, .leaveApp, .memoryPressure, .forceQuit, .terminate, .exit(status: 1), .restart, .interrupt,
    ]
    private static let settings: [UserAction] = [
      .set(.authorization(.denied)), .set(.authorization(.whenInUse)), .set(.authorization(.always)),
      .set(.locationServices(false)), .set(.locationServices(true)), .set(.backgroundRefresh(false)),
      .set(.backgroundRefresh(true)), .set(.reducedAccuracy(true)), .set(.reducedAccuracy(false)),
      .set(.lowPower(true)), .set(.lowPower(false)),
    ]

    /// Roofs, airplane mode and places without networks, until a time.
    private static func surroundings(_ random: inout RandomStream, until free: Double, _ count: Int)
      -> SurroundingsTimeline
    {
      var changes = (0..<count).map { _ -> SurroundingsTimeline.Change in
        var surroundings = PhoneSurroundings()
        switch random.below(5) {
        case 0: surroundings.isInAirplaneMode = true
        case 1: surroundings.hasWiFi = false
        case 2: (surroundings.hasWiFi, surroundings.cells) = (false, .none)
        case 3: surroundings.isIndoors = true
        default: break
        }
        return .init(time: Route.time(random.unit() * free), surroundings: surroundings)
      }
      changes.append(.init(time: Route.time(free), surroundings: PhoneSurroundings()))
      return SurroundingsTimeline(changes: changes.sorted { $0.time < $1.time })
    }

    /// A clock that is set, mostly by up to an hour, some times, and to the time at last.
    private static func clock(_ random: inout RandomStream, until free: Double, _ count: Int) -> PhoneClock {
      let sets =
        (0..<count).map { _ in
          (time: Route.time(random.unit() * free), error: Duration.seconds((random.unit() - 0.5) * 7200))
        }.sorted { $0.time < $1.time } + [(Route.time(free), .zero)]
      return { time in
        sets.last { $0.time <= time }.map { time.advanced(by: $0.error) } ?? time
      }
    }

    /// A life: some hours about a town of regions, then all is allowed, and the app is ended and opened once
    /// more.
    ///
    /// - Parameter era: That of the phone; nil for one by lot. Where it has sessions, the app holds them, or
    ///   has no need to, by lot.
    private static func live(
      seed: UInt64, legs: Int, by service: SlotService, era: DeviceProfile.Era?, in records: WitnessedRecords
    ) throws -> (
      inside: Set<String>, near: Set<String>, inputs: Int, relaunches: Int
    ) {
      var random = RandomStream(seed: seed, "lives")
      let regions = (0..<60).map { i in
        Region(
          identifier: "r\(i)",
          center: Route.place((random.unit() - 0.5) * 5000, (random.unit() - 0.5) * 5000),
          radius: 100 + random.unit() * 300)
      }
      var route = Route(east: 0)
      for _ in 0..<legs {
        if random.below(3) == 0 {
          route = route.standing(for: 60 + random.unit() * 3000)
        } else {
          let speed = 1 + random.unit() * 14
          let angle = random.unit() * 2 * .pi
          route = route.going(
            east: speed * cos(angle), north: speed * sin(angle), for: 60 + random.unit() * 300, step: 5)
        }
      }
      let free = route.seconds
      route = route.standing(for: 1800)
      let count = legs / 2
      var actions = (0..<count).map { _ -> TimedAction in
        let choice = random.below(3) == 0 ? settings : quiet
        return TimedAction(time: Route.time(random.unit() * free), choice[random.below(choice.count)])
      }
      let last: [UserAction] = [
        .set(.authorization(.always)), .set(.locationServices(true)), .set(.backgroundRefresh(true)),
        .set(.reducedAccuracy(false)), .set(.lowPower(false)), .openApp, .forceQuit, .openApp,
      ]
      for (i, action) in last.enumerated() {
        actions.append(TimedAction(time: Route.time(free + 60 + Double(i) * 20), action))
      }
      var faults = Set(PhoneFault.allCases.filter { _ in random.below(3) == 0 })
      // The classic service delivers entries in the background.
      if service == .regionMonitoring { faults.remove(.withheldEntries) }
      let strategies: [Strategy] = [
        .slots, .adaptive(latency: .seconds(10)), .adaptive(latency: .seconds(60)),
        .adaptive(latency: .seconds(300)),
      ]
      let options = MonitorOptions(strategy: strategies[random.below(strategies.count)])
      let drawn = eras[random.below(eras.count)]
      let requests: [AppRequest] = [.beginServiceSession, .beginBackgroundActivity]
      let holds = [random.below(2) == 0, random.below(3) == 0]
      let scenario = Scenario(
        track: try route.track(), surroundings: surroundings(&random, until: free, legs / 8),
        actions: actions, atLaunch: zip(requests, holds).filter(\.1).map(\.0),
        profile: RegionMonitoringTests.exactPhone, rules: BackgroundRules(era ?? drawn),
        capabilities: AppCapabilities(requiresServiceSession: holds[0]), faults: faults, seed: seed)
      let index = try RegionIndex(regions)
      let crashes = random.below(2) == 0
      let clock = clock(&random, until: free, random.below(3) == 0 ? 3 : 0)
      let pause = random.below(4) == 0 ? .zero : PhoneDriver.pause
      let result = try Simulation.run(scenario) {
        records.commitsLeft.withLock { $0 = crashes ? 1 + random.below(12) : nil }
        return CrashingApp(
          app: MonitoredApp(
            watching: index, options, records: records, by: service, notifies: true, pause: pause,
            clock: clock),
          records: records,
          end: Route.time(free))
      }
      guard let end = route.fixes.last?.coordinate else { return ([], [], 0, 0) }
      let found = try index.nearest(regions.count, to: end)
      return (
        Set(found.filter { $0.distance <= 0 }.map(\.identifier)),
        Set(found.filter { abs($0.distance) < 100 }.map(\.identifier)), result.counts.fixes,
        result.counts.relaunches
      )
    }

    private static func lives(
      _ seeds: ClosedRange<UInt64>, legs: Int, by service: SlotService, era: DeviceProfile.Era? = nil
    ) throws -> (events: Int, steps: Int) {
      var events = 0
      var steps = 0
      var relaunches = 0
      var crashes = 0
      for seed in seeds {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
          "lives-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // The durable store in one of eight lives, memory in the others, which are faster.
        let records =
          seed % 8 == 0
          ? WitnessedRecords(SQLiteRecords(folder: folder.path)) : WitnessedRecords(InMemoryRecords())
        let life = try live(seed: seed, legs: legs, by: service, era: era, in: records)
        let changes = records.changes
        let (faults, count, last) = check(changes, isNotifying: true)
        #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
        let states = Set(last.filter { $0.value == .satisfied }.keys)
        #expect(
          states.subtracting(life.near) == life.inside.subtracting(life.near),
          "seed \(seed): \(states.sorted()) told, \(life.inside.sorted()) true")
        events += count
        steps += changes.count + life.inputs
        relaunches += life.relaunches
        crashes += records.failures.withLock { $0 }
      }
      #expect(relaunches > 0 && events > 0 && crashes > 0)
      return (events, steps)
    }

    /// The phones that a life may have.
    private static let eras: [DeviceProfile.Era] = [.iOS13, .iOS16_4, .iOS17, .iOS18, .iOS26]

    @Test("Every event once, in order, and the true states in the end", arguments: SlotService.allCases, eras)
    func lives(service: SlotService, era: DeviceProfile.Era) throws {
      let (events, steps) = try Self.lives(1...24, legs: 40, by: service, era: era)
      print("lives by \(service.rawValue), \(era.rawValue): \(events) events, \(steps) steps")
    }

    /// A million steps by each service, on phones of all eras and of two alone, with VICINITY_LONG_TESTS:
    /// some minutes on two cores.
    @Test(
      "Many lives by each service, none lost, none twice, none out of order", arguments: SlotService.allCases,
      [nil, .iOS16_4, .iOS26] as [DeviceProfile.Era?])
    func manyLives(service: SlotService, era: DeviceProfile.Era?) throws {
      let wanted = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == nil ? 50_000 : 1_000_000
      var (events, steps, seed) = (0, 0, UInt64(1000))
      while steps < wanted {
        let lives = try Self.lives(seed...seed + 19, legs: 200, by: service, era: era)
        events += lives.events
        steps += lives.steps
        seed += 20
      }
      print("lives by \(service.rawValue), \(era?.rawValue ?? "any"): \(events) events, \(steps) steps")
    }

    @Test("The check sees what is lost, told twice, and out of order")
    func checkNotices() {
      func event(_ number: UInt64, _ state: MonitoringState) -> RecordChange {
        .enqueue(MonitoringEvent(identifier: "a", state: state, date: Route.start, sequenceNumber: number))
      }
      let good: [RecordChange] = [
        event(1, .satisfied), .handled(sequenceNumber: 1), event(2, .unsatisfied),
        .handled(sequenceNumber: 2),
      ]
      #expect(Self.check(good).faults.isEmpty)
      #expect(!Self.check(Array(good.dropLast())).faults.isEmpty)
      #expect(!Self.check(good + [.handled(sequenceNumber: 2)]).faults.isEmpty)
      #expect(!Self.check([event(1, .satisfied), event(2, .satisfied)]).faults.isEmpty)
      #expect(!Self.check([event(2, .satisfied), .handled(sequenceNumber: 2)]).faults.isEmpty)
      let told = RecordChange.notified(identifier: "a", sequenceNumber: 1)
      #expect(Self.check([told] + good, isNotifying: true).faults.isEmpty)
      #expect(!Self.check(good, isNotifying: true).faults.isEmpty)
      #expect(!Self.check([told, told] + good, isNotifying: true).faults.isEmpty)
    }
  }

  extension RandomStream {
    fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  }
#endif
