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
