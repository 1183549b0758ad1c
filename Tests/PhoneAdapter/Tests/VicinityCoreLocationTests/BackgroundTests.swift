import Foundation
import Testing
import Vicinity
import VicinityMonitor

@testable import CoreLocation
@testable import VicinityCoreLocation

/// What an app is kept running for, and what depends on whether it is in front.
extension AdapterTests {
  // MARK: In front, or not known to be

  @Test func untilTheAppSaysWhereItIsItIsInUseAndKeptRunning() async throws {
    CoreLocationFake.reset()
    CoreLocationFake.authorization = .authorizedWhenInUse
    let phone = newPhone("Untold")
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    let listener = Listener(isOpen: false)
    let monitor = try await watching(phone, "Untold", listener)
    #expect(phone.isInFront)
    #expect(phone.environment.isInUse)
    await eventually { !isBusy }
    CoreLocationFake.cross("Untold/home", entering: true)
    await eventually { !listener.events.isEmpty }
    await pause()
    #expect(isBusy, "it may be in the background")
    listener.open()
    await eventually { !isBusy }
    phone.isInFront = true
    await pause()
    await eventually { !isBusy }
    CoreLocationFake.cross("Untold/home", entering: false)
    #expect(!isBusy, "in front it runs anyway")
    phone.isInFront = false
    #expect(!phone.environment.isInUse)
    await monitor.close()
  }

  @Test func whatAnAppInFrontMayDoIsToldWhenItSaysThatItIs() async {
    CoreLocationFake.reset()
    let phone = newPhone("Ahead")
    phone.perform([])
    var told: [Wakefulness] = []
    let listening = Task {
      for await input in phone.inputs {
        if case .wakefulness(let wakefulness) = input { told.append(wakefulness) }
      }
    }
    await eventually { told == [.impossible] }
    phone.isInFront = true
    await eventually { told == [.impossible, .costly] }
    listening.cancel()
  }

  @Test func beaconsAreRangedInFrontOnly() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Ranging")
    let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
    let identity = BeaconIdentity(uuid: ProximityUUID(uuid))
    var calls: [String] { CoreLocationFake.calls.filter { $0.contains("Ranging") } }
    var expected: [String] = []
    phone.perform([.startRanging(identity)])
    // A launch behind says nothing until the user opens the app.
    await pause()
    #expect(calls == expected)
    phone.isInFront = true
    expected.append("startRanging \(uuid)")
    #expect(calls == expected)
    phone.isInFront = false
    expected.append("stopRanging \(uuid)")
    #expect(calls == expected)
    phone.isInFront = true
    expected.append("startRanging \(uuid)")
    #expect(calls == expected)
    // What is begun behind begins in front, and what is ended there does not.
    phone.isInFront = false
    phone.perform([.stopRanging(identity)])
    await pause()
    phone.isInFront = true
    #expect(calls.count { $0.hasPrefix("start") } == 2)
    phone.isInFront = false
    phone.perform([.startRanging(identity)])
    await pause()
    #expect(calls.count { $0.hasPrefix("start") } == 2)
    phone.isInFront = true
    #expect(calls.count { $0.hasPrefix("start") } == 3)
  }

  // MARK: Before the monitor is open

  @Test func anEventThatLaunchesTheAppKeepsItRunningUntilTheMonitorHasCaughtUp() async throws {
    CoreLocationFake.reset()
    let records = try await leaveRegion("Early")
    let phone = newPhone("Early")
    CoreLocationFake.cross("Early/home", entering: true)
    // An app may come to this only later.
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    #expect(isBusy)
    let monitor = try await Monitor(
      "Early", records: records, device: phone, options: phone.monitorOptions, environment: phone.environment)
    let listener = Listener()
    listener.listen(to: monitor)
    await pause()
    #expect(isBusy, "nobody has taken what the phone told")
    CoreLocationFake.position = place(48.2082, 16.3738)
    await monitor.follow(phone.inputs)
    await eventually { listener.texts == ["home: satisfied"] && !isBusy }
    await monitor.close()
  }

  @Test func oneTaskIsEnoughForAMonitorThatNobodyOpens() async throws {
    CoreLocationFake.reset()
    let records = try await leaveRegion("Late")
    let phone = newPhone("Late")
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    CoreLocationFake.cross("Late/home", entering: true)
    #expect(isBusy)
    phone.backgroundTimeExpires()
    #expect(!isBusy)
    CoreLocationFake.cross("Late/home", entering: false)
    CoreLocationFake.cross("Late/home", entering: true)
    #expect(!isBusy)
    // Nothing is lost.
    let monitor = try await Monitor(
      "Late", records: records, device: phone, options: phone.monitorOptions, environment: phone.environment)
    let listener = Listener()
    listener.listen(to: monitor)
    await monitor.follow(phone.inputs)
    await eventually { listener.texts.last == "home: satisfied" }
    await monitor.close()
  }

  @Test func inFrontNoTaskIsNeededForWhatComesEarly() async throws {
    CoreLocationFake.reset()
    _ = try await leaveRegion("Open")
    let phone = newPhone("Open")
    phone.isInFront = true
    var isBusy = false
    phone.onBusy = { isBusy = $0 }
    CoreLocationFake.cross("Open/home", entering: true)
    #expect(!isBusy)
    // The one task for what comes early is still to be had.
    phone.isInFront = false
    CoreLocationFake.cross("Open/home", entering: false)
    #expect(isBusy)
  }

  // MARK: Recordings

  @Test(arguments: [DesiredAccuracy.kilometer, .best])
  func aPositionAskedForInFrontIsOfTheRecordedAccuracy(_ accuracy: DesiredAccuracy) async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Recorded\(accuracy == .best ? "Finely" : "Coarsely")")
    let now = SystemMonitorClock().now
    var recorder = PhoneRecorder(RecordedPhone(name: "mine", model: "", system: ""), at: now) { _ in }
    let range = RecordedRange(
      run: "a", outing: "b", day: "c", isStationary: true, accuracy: accuracy)
    // The recording before asked for another accuracy.
    phone.perform([.requestFix(by: now, accuracy: .hundredMeters)])
    phone.perform(recorder.begin(range, at: now))
    func requests() -> Int { CoreLocationFake.calls.count { $0 == "requestLocation" } }
    await eventually { requests() == 2 }
    phone.isInFront = true
    await eventually { requests() == 3 }
    let locator = CoreLocationFake.managers.first { $0.calls.contains("requestLocation") }
    #expect(locator?.desiredAccuracy == accuracy.coreLocation)
  }
}
