import CoreLocation
import Foundation
import Testing
import Vicinity
import VicinityMonitor

@testable import VicinityCoreLocation

extension AdapterTests {
  @Test func aRegionThatWasAddedAMomentAgoIsRemoved() {
    CoreLocationFake.reset()
    CoreLocationFake.isSlow = true
    let slots = ClassicRegionSlots("Moment", CLLocationManager())
    slots.add(MonitoredRegion(identifier: "home", center: vienna, radius: 150))
    #expect(slots.monitored.isEmpty)
    slots.ask("home")
    slots.remove("home")
    CoreLocationFake.finishAdding()
    #expect(slots.monitored.isEmpty)
    withExtendedLifetime(slots) {
      #expect(CoreLocationFake.calls.contains("requestState Moment/home"))
    }
  }

  @Test func regionsOfOtherCodeTakeSlots() async {
    CoreLocationFake.reset()
    let manager = CLLocationManager()
    CoreLocationFake.regions["office"] = CLCircularRegion(
      center: CLLocationCoordinate2D(vienna), radius: 100, identifier: "office")
    let regions = ClassicRegionSlots("Mine", manager)
    regions.add(MonitoredRegion(identifier: "home", center: vienna, radius: 150))
    #expect(regions.monitored.map(\.identifier) == ["home"])
    #expect(regions.otherCount == 1)

    let conditions = ConditionSlots("MineToo", manager)
    await conditions.open()
    conditions.add(MonitoredRegion(identifier: "shop", center: vienna, radius: 150))
    conditions.add(MonitoredRegion(identifier: "bar", center: vienna, radius: 150))
    await conditions.settle()
    #expect(conditions.monitored.count == 2)
    #expect(conditions.otherCount == 2, "two regions; its own conditions are no others")
    #expect(regions.otherCount == 3, "a region and two conditions")
  }

  @Test func aConditionThatWasAddedAMomentAgoIsRemoved() async {
    CoreLocationFake.reset()
    let slots = ConditionSlots("Brief", CLLocationManager())
    await slots.open()
    slots.add(MonitoredRegion(identifier: "home", center: vienna, radius: 150))
    slots.remove("home")
    await slots.settle()
    #expect(slots.monitored.isEmpty)
    #expect(CoreLocationFake.conditions("Brief") == [])
  }

  @Test func thereIsOneMonitorOfANameAndEachOpeningHearsIt() async {
    CoreLocationFake.reset()
    for opening in 1...2 {
      let slots = ConditionSlots("Single", CLLocationManager())
      var told: [SlotReport] = []
      slots.answers.tell = { if case .conditionChanged(let report) = $0 { told.append(report) } }
      await slots.open()
      slots.add(MonitoredRegion(identifier: "home", center: vienna, radius: 150))
      await slots.settle()
      await CoreLocationFake.monitor("Single")?.tell("home", opening == 1 ? .satisfied : .unsatisfied)
      await eventually { told.map(\.state) == [opening == 1 ? .satisfied : .unsatisfied] }
      #expect(slots.lastReport(of: "home")?.state == (opening == 1 ? .satisfied : .unsatisfied))
    }
    #expect(CoreLocationFake.crashes.isEmpty)
  }

  @Test func removingTheSlotsOfAServiceLeavesOthers() async throws {
    CoreLocationFake.reset()
    for identifier in ["Old/a", "Old/b", "Older/a", "office"] {
      CoreLocationFake.regions[identifier] = CLCircularRegion(
        center: CLLocationCoordinate2D(vienna), radius: 100, identifier: identifier)
    }
    let phone = newPhone("Old", slots: .conditionMonitor)
    try await PhoneDevice.removeSlots(of: .regionMonitoring, named: "Old")
    #expect(CoreLocationFake.regions.keys.sorted() == ["Older/a", "office"])
    withExtendedLifetime(phone) {}
  }

  // MARK: What was refused

  @Test func aRegionThatWasRefusedIsAskedForAgainInFront() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Refused")
    phone.isInFront = false
    // In use all the time: what is allowed does not change in front.
    phone.beginBackgroundActivity()
    let listener = Listener()
    let monitor = try await watching(phone, "Refused", listener)
    CoreLocationFake.refuse("Refused/home", .regionMonitoringFailure)
    await eventually { listener.texts == ["home: unmonitored"] }
    await pause()
    #expect(CoreLocationFake.regions["Refused/home"] == nil)
    phone.isInFront = true
    await eventually { CoreLocationFake.regions["Refused/home"] != nil }
    await pause()
    CoreLocationFake.determine("Refused/home", .inside)
    await eventually { listener.texts == ["home: unmonitored", "home: satisfied"] }
    await monitor.close()
  }

  @Test func aRegionThatTheMonitorHasGivenUpIsNotAskedForAgain() async throws {
    CoreLocationFake.reset()
    CoreLocationFake.position = place(48.3, 16.3738)
    let phone = newPhone("GivenUp")
    phone.isInFront = true
    var options = phone.monitorOptions
    options.strategy = .adaptive(latency: .seconds(60))
    options.presence = .indicator
    let monitor = try await Monitor(
      "GivenUp", device: phone, options: options, environment: phone.environment)
    await monitor.follow(phone.inputs)
    let listener = Listener()
    listener.listen(to: monitor)
    try await monitor.add(.circle(center: vienna, radius: 150), identifier: "home", assuming: .unsatisfied)
    await eventually { CoreLocationFake.regions["GivenUp/home"] != nil }
    await pause()
    CoreLocationFake.refuse("GivenUp/home", .regionMonitoringFailure)
    await pause()
    let asked = CoreLocationFake.calls.count { $0 == "startMonitoring GivenUp/home" }
    phone.isInFront = false
    phone.isInFront = true
    await pause()
    #expect(CoreLocationFake.calls.count { $0 == "startMonitoring GivenUp/home" } == asked)
    #expect(CoreLocationFake.regions["GivenUp/home"] == nil)
    #expect(listener.texts == [], "positions watch it all the same")
    await monitor.close()
  }

  @Test func aRegionThatToldOtherwiseInAnEarlierProcessIsReplaced() async throws {
    CoreLocationFake.reset()
    let records = try await leaveRegion("Wishes")
    CoreLocationFake.regions["Wishes/home"]?.notifyOnExit = false
    let phone = newPhone("Wishes")
    let monitor = try await Monitor(
      "Wishes", records: records, device: phone, options: phone.monitorOptions,
      environment: phone.environment)
    await monitor.follow(phone.inputs)
    await eventually { CoreLocationFake.calls.contains("requestState Wishes/home") }
    #expect(CoreLocationFake.regions["Wishes/home"]?.notifyOnExit == true)
    #expect(CoreLocationFake.calls.count { $0 == "stopMonitoring Wishes/home" } == 1)
    #expect(CoreLocationFake.calls.count { $0 == "startMonitoring Wishes/home" } == 1)
    await monitor.close()
  }

  @Test func aRegionThatTellsTheSameStays() async throws {
    CoreLocationFake.reset()
    let records = try await leaveRegion("Same")
    let phone = newPhone("Same")
    let monitor = try await Monitor(
      "Same", records: records, device: phone, options: phone.monitorOptions, environment: phone.environment)
    await monitor.follow(phone.inputs)
    await eventually { CoreLocationFake.calls.contains("requestState Same/home") }
    await pause()
    #expect(!CoreLocationFake.calls.contains { $0.hasSuffix("Monitoring Same/home") })
    await monitor.close()
  }

  // MARK: The greatest radius

  @Test func withoutALimitRegionsAreWatchedAllTheSame() async throws {
    CoreLocationFake.reset()
    CoreLocationFake.maximumDistance = -1
    let phone = newPhone("Limitless")
    #expect(phone.monitorOptions.plan.maximumRegionRadius == .infinity)
    let listener = Listener()
    let monitor = try await watching(phone, "Limitless", listener)
    #expect(listener.texts == [])
    await monitor.close()
    CoreLocationFake.isMonitoringAvailable = false
    #expect(phone.monitorOptions.plan.maximumRegionRadius == 0)
  }

  @Test func aLimitThatIsKnownLaterCounts() async {
    CoreLocationFake.reset()
    CoreLocationFake.maximumDistance = -1
    let phone = newPhone("Limited")
    phone.perform([])
    await pause()
    CoreLocationFake.maximumDistance = 1000
    phone.perform([
      .register(Slot(identifier: "large", condition: .circle(center: vienna, radius: 5000)))
    ])
    await eventually { CoreLocationFake.regions["Limited/large"] != nil }
    #expect((CoreLocationFake.regions["Limited/large"] as? CLCircularRegion)?.radius == 1000)
  }
}
