import Foundation
import Testing
import Vicinity
import VicinityMonitor

@testable import CoreLocation
@testable import VicinityCoreLocation

extension AdapterTests {
  // MARK: Settings

  @Test func aMissingBackgroundModeIsToldAndEndsNothing() async {
    CoreLocationFake.reset()
    let phone = newPhone("Modeless")
    var told: [String] = []
    phone.onError = { told.append("\($0)") }
    phone.perform([.startUpdates(.best)])
    await eventually { CoreLocationFake.calls.contains("startUpdating") }
    #expect(CoreLocationFake.crashes.isEmpty)
    #expect(phone.lastError as? PhoneError == .noBackgroundMode)
    #expect(told == ["\(PhoneError.noBackgroundMode)"])
  }

  @Test func withTheBackgroundModeUpdatesGoOn() async {
    CoreLocationFake.reset()
    CoreLocationFake.backgroundModes = ["location"]
    let phone = newPhone("Moded", hasBackgroundMode: true)
    phone.perform([.startUpdates(.best)])
    await eventually { CoreLocationFake.managers.contains(where: \.allowsBackgroundLocationUpdates) }
    #expect(CoreLocationFake.crashes.isEmpty)
    #expect(phone.lastError == nil)
  }

  @Test func settingsReachTheManager() {
    CoreLocationFake.reset()
    let services = PhoneServices(options())
    let phone = CoreLocationPhone("Settings", NoSlots(), services)
    let constants: [DesiredAccuracy: Double] = [
      .bestForNavigation: kCLLocationAccuracyBestForNavigation, .best: kCLLocationAccuracyBest,
      .nearestTenMeters: kCLLocationAccuracyNearestTenMeters,
      .hundredMeters: kCLLocationAccuracyHundredMeters,
      .kilometer: kCLLocationAccuracyKilometer, .threeKilometers: kCLLocationAccuracyThreeKilometers,
      .reduced: kCLLocationAccuracyReduced,
    ]
    for accuracy in DesiredAccuracy.allCases {
      phone.locationSettings = LocationSettings(
        desiredAccuracy: accuracy, distanceFilter: 7, activity: .fitness, showsIndicator: true)
      let updater = CoreLocationFake.managers.first { $0.distanceFilter == 7 }
      #expect(updater?.desiredAccuracy == constants[accuracy])
      #expect(updater?.showsBackgroundLocationIndicator == true)
      #expect(updater?.activityType == .fitness)
    }
    phone.locationSettings = LocationSettings(distanceFilter: 7)
    let updater = CoreLocationFake.managers.first { $0.distanceFilter == 7 }
    #expect(updater?.showsBackgroundLocationIndicator == false)
  }

  // MARK: Time in the background

  /// A monitor of one circle that the phone watches.
  func watching(
    _ phone: PhoneDevice, _ name: String, _ listener: Listener, follows: Bool = true
  ) async throws -> Monitor {
    CoreLocationFake.position = place(48.3, 16.3738)
    let monitor = try await Monitor(
      name, device: phone, options: phone.monitorOptions, environment: phone.environment)
    if follows { await monitor.follow(phone.inputs) }
    try await monitor.add(
      .circle(center: vienna, radius: 150), identifier: "home", assuming: .unsatisfied)
    listener.listen(to: monitor)
    try await monitor.receive(.fix(Fix(place(48.3, 16.3738))))
    await eventually { CoreLocationFake.regions["\(name)/home"] != nil }
    await pause()
    return monitor
  }

  @Test func theAppStaysAwakeUntilAnEventIsHandled() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Awake")
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    let listener = Listener(isOpen: false)
    let monitor = try await watching(phone, "Awake", listener)
    phone.isInFront = false
    await eventually { !isBusy }
    CoreLocationFake.cross("Awake/home", entering: true)
    await eventually { !listener.events.isEmpty }
    // Much longer than the pause.
    await pause()
    #expect(isBusy, "the event is still being handled")
    listener.open()
    await eventually { !isBusy }
    await monitor.close()
  }

  @Test func theAppStaysAwakeUntilTheMonitorHasTakenAllOrTimeIsUp() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Taken")
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    let listener = Listener()
    let monitor = try await watching(phone, "Taken", listener, follows: false)
    phone.isInFront = false
    CoreLocationFake.cross("Taken/home", entering: true)
    await pause()
    #expect(isBusy, "nobody has taken what the phone told")
    phone.backgroundTimeExpires()
    #expect(!isBusy)
    CoreLocationFake.cross("Taken/home", entering: false)
    #expect(isBusy)
    await monitor.follow(phone.inputs)
    await eventually { !isBusy }
    #expect(listener.texts == ["home: satisfied", "home: unsatisfied"])
    await monitor.close()
  }

  // MARK: Several monitors

  @Test func eachMonitorHearsOfItsOwnRegions() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("First", slotCount: 12)
    let channel = try phone.channel("Second", slots: 8)
    #expect(phone.slotCapacity == 12)
    #expect(channel.slotCapacity == 8)
    let (heard, alsoHeard) = (Listener(), Listener())
    let first = try await watching(phone, "First", heard)
    let second = try await Monitor(
      "Second", device: channel, options: channel.monitorOptions, environment: phone.environment)
    #expect(await first.slotCapacity == 12)
    #expect(await second.slotCapacity == 8)
    await second.follow(channel.inputs)
    try await second.add(
      .circle(center: vienna, radius: 200), identifier: "home", assuming: .unsatisfied)
    alsoHeard.listen(to: second)
    try await second.receive(.fix(Fix(place(48.3, 16.3738))))
    await eventually { CoreLocationFake.regions["Second/home"] != nil }
    #expect(CoreLocationFake.regions["First/home"] != nil)

    CoreLocationFake.cross("Second/home", entering: true)
    await eventually { alsoHeard.texts == ["home: satisfied"] }
    #expect(heard.texts == [])
    // The end of one is none of the other's business.
    await first.close()
    await pause()
    CoreLocationFake.cross("Second/home", entering: false)
    await eventually { alsoHeard.texts == ["home: satisfied", "home: unsatisfied"] }
    await second.close()
    #expect(CoreLocationFake.regions["First/home"] != nil, "the next monitor of the name finds it")
  }

  @Test func aMonitorThatIsOpenedAgainHears() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Again")
    let records = InMemoryRecords()
    for isFirst in [true, false] {
      let listener = Listener()
      let monitor = try await Monitor(
        "Again", records: records, device: phone, options: phone.monitorOptions,
        environment: phone.environment)
      await monitor.follow(phone.inputs)
      if isFirst {
        try await monitor.add(
          .circle(center: vienna, radius: 150), identifier: "home", assuming: .unsatisfied)
        try await monitor.receive(.fix(Fix(place(48.3, 16.3738))))
      }
      listener.listen(to: monitor)
      await eventually { CoreLocationFake.regions["Again/home"] != nil }
      await pause()
      let count = CoreLocationFake.calls.count { $0 == "requestState Again/home" }
      #expect(count == (isFirst ? 1 : 2), "each opening asks for the state")
      CoreLocationFake.cross("Again/home", entering: isFirst)
      await eventually { listener.texts == ["home: \(isFirst ? "satisfied" : "unsatisfied")"] }
      await monitor.close()
      await pause()
    }
  }

  @Test func aClosedMonitorLeavesNothingOnButWhatWakesTheApp() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Closed", hasBackgroundMode: true)
    CoreLocationFake.backgroundModes = ["location"]
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    phone.perform([
      .wake(by: .visits), .startUpdates(.best), .requestFix(by: Timestamp(Date()) ?? .distantPast),
    ])
    await eventually { isBusy && CoreLocationFake.calls.contains("startVisits") }
    phone.monitorClosed()
    await eventually {
      CoreLocationFake.managers.contains {
        $0.calls.contains("startUpdating") && $0.calls.last == "stopUpdating"
      }
    }
    #expect(!isBusy)
    #expect(!CoreLocationFake.calls.contains("stopVisits"))
  }

  @Test func aServiceIsOnAsLongAsOneChannelWantsIt() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Union", slotCount: 10)
    let channel = try phone.channel("Union2", slots: 10)
    func calls(_ call: String) -> Int { CoreLocationFake.calls.count { $0 == call } }
    phone.perform([.wake(by: [.significantChanges, .visits])])
    channel.perform([.wake(by: .significantChanges)])
    await eventually { calls("startSignificant") == 1 && calls("startVisits") == 1 }
    await pause()
    #expect(calls("stopVisits") == 0, "the other channel does not speak for this one")
    phone.perform([.wake(by: [])])
    await eventually { calls("stopVisits") == 1 }
    #expect(calls("stopSignificant") == 0)
    channel.perform([.wake(by: [])])
    await eventually { calls("stopSignificant") == 1 }
    #expect(calls("startSignificant") == 1)
  }

  @Test func positionsThatWakeTheAppReachEveryMonitorAndSightingsAreToldOnce() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Wake", slotCount: 10)
    let channel = try phone.channel("Wake2", slots: 10)
    phone.isInFront = true
    let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
    let identity = BeaconIdentity(uuid: ProximityUUID(uuid))
    phone.perform([.wake(by: [.significantChanges, .visits]), .startRanging(identity)])
    channel.perform([.startRanging(identity)])
    var (first, second) = (phone.inputs.makeAsyncIterator(), channel.inputs.makeAsyncIterator())
    /// The next input that is no notice of what is there or allowed.
    func next(_ iterator: inout PhoneInputs.Iterator) async -> MonitorInput? {
      while let input = await iterator.next(isolation: #isolation) {
        switch input {
        case .existingSlots, .environment, .wakefulness: continue
        default: return input
        }
      }
      return nil
    }
    await eventually { CoreLocationFake.calls.contains("startVisits") }
    await pause()
    #expect(CoreLocationFake.calls.count { $0 == "startRanging \(uuid)" } == 1)
    var sightings = phone.sightings.stream().makeAsyncIterator()
    let location = place(48, 16)
    CoreLocationFake.locate(location, askedBy: "startSignificant")
    CoreLocationFake.range(uuid, major: 1, minor: 2, rssi: -60)
    CoreLocationFake.range(uuid, major: 1, minor: 3, rssi: -60)
    #expect(await next(&first) == .fix(Fix(location)))
    #expect(await next(&first) == .woken)
    #expect(await next(&second) == .fix(Fix(location)))
    #expect(await next(&second) == .woken)
    for iterator in [first, second] {
      var iterator = iterator
      for minor: UInt16 in [2, 3] {
        guard case .sighting(let sighting) = await next(&iterator) else {
          Issue.record("no sighting")
          continue
        }
        #expect(sighting.beacon.minor == minor)
      }
    }
    #expect(await sightings.next()?.beacon.minor == 2)
    #expect(await sightings.next()?.beacon.minor == 3)
    channel.perform([.stopRanging(identity)])
    await pause()
    #expect(!CoreLocationFake.calls.contains("stopRanging \(uuid)"))
  }

  @Test func atALaunchAServiceThatAnotherMonitorWantsIsNotEnded() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("NoVisits", slotCount: 10)
    let channel = try phone.channel("Visits", slots: 10)
    phone.perform([.wake(by: [])])
    channel.perform([.wake(by: .visits)])
    await eventually { CoreLocationFake.calls.contains("startVisits") }
    await pause()
    #expect(!CoreLocationFake.calls.contains("stopVisits"))
    #expect(CoreLocationFake.calls.contains("stopSignificant"))
    withExtendedLifetime(channel) {}
  }

  @Test func aChannelThatIsGoneLeavesNothingOn() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Stays", slotCount: 10)
    let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    do {
      let channel = try phone.channel("Goes", slots: 10)
      channel.perform([
        .startUpdates(.best), .startRanging(BeaconIdentity(uuid: ProximityUUID(uuid))),
        .requestFix(by: Timestamp(microseconds: 0)),
      ])
      await eventually { isBusy }
    }
    await eventually { !isBusy }
    #expect(CoreLocationFake.calls.contains("stopRanging \(uuid)"))
    // Its name and its slots are free.
    await eventually { (try? phone.channel("Goes", slots: 10)) != nil }
  }

  @Test func slotsAndNamesAreGivenOutOnce() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Budget", slotCount: 15)
    let channel = try phone.channel("Budget2", slots: 5)
    #expect(throws: PhoneError.tooFewSlots(left: 0)) { try phone.channel("Budget3", slots: 1) }
    #expect(throws: PhoneError.nameInUse("Budget2")) { try phone.channel("Budget2", slots: 0) }
    #expect(throws: PhoneError.invalidName("a/b")) { try phone.channel("a/b", slots: 0) }
    await #expect(throws: PhoneError.nameInUse("Budget")) {
      try await PhoneDevice.removeSlots(of: .regionMonitoring, named: "Budget")
    }
    #expect(channel.slots == 5)
    #expect(phone.lastError == nil)
  }

  @Test func moreSlotsThanThereAreAreCutAndThatIsTold() {
    CoreLocationFake.reset()
    let phone = newPhone("Greedy", slotCount: 25)
    #expect(phone.slotCapacity == 20)
    #expect(phone.lastError as? PhoneError == .tooFewSlots(left: 20))
  }

  @Test func aPhoneWithANameInUseSaysSo() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Twice", slots: .conditionMonitor)
    let other = newPhone("Twice", slots: .conditionMonitor)
    phone.perform([])
    await eventually { CoreLocationFake.monitor("Twice") != nil }
    other.perform([])
    await eventually { other.lastError != nil }
    #expect(other.lastError as? PhoneError == .nameInUse("Twice"))
    #expect(phone.lastError == nil)
    #expect(CoreLocationFake.crashes.isEmpty)
  }

  // MARK: Launches

  @Test(arguments: [CoreLocationFake.Hearing.first, .all])
  func whatTheAppWasLaunchedForIsToldOnce(_ hearing: CoreLocationFake.Hearing) async throws {
    CoreLocationFake.reset()
    CoreLocationFake.hearing = hearing
    let name = "Launch\(hearing == .all ? "All" : "First")"
    let records = InMemoryRecords()
    let before = try await Monitor(name, records: records)
    try await before.add(
      .circle(center: vienna, radius: 150), identifier: "home", assuming: .unsatisfied)
    await before.close()
    CoreLocationFake.regions["\(name)/home"] = CLCircularRegion(
      center: CLLocationCoordinate2D(vienna), radius: 150, identifier: "\(name)/home")
    // An earlier process has left the region; this one is launched because it has been entered.
    let phone = newPhone(name)
    phone.isInFront = false
    CoreLocationFake.cross("\(name)/home", entering: true)
    let monitor = try await Monitor(
      name, records: records, device: phone, options: phone.monitorOptions,
      environment: phone.environment)
    let listener = Listener()
    listener.listen(to: monitor)
    await monitor.follow(phone.inputs)
    await eventually { listener.texts == ["home: satisfied"] }
    await pause()
    #expect(listener.texts == ["home: satisfied"])
    await monitor.close()
  }

  @Test func theManagerThatWakesTheAppIsMadeFirst() throws {
    CoreLocationFake.reset()
    let phone = newPhone("Order", slotCount: 10)
    let channel = try phone.channel("Order2", slots: 10)
    let managers = CoreLocationFake.managers
    #expect(managers.count == 5)
    #expect(managers.first?.delegate is PhoneServices)
    #expect(managers.dropFirst().allSatisfy { $0.delegate is CoreLocationPhone })
    withExtendedLifetime((phone, channel)) {}
  }
}
