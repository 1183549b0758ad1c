import Testing
import Vicinity
import VicinityMonitor

@testable import CoreLocation
@testable import VicinityCoreLocation

extension AdapterTests {
  @Test func aSessionBegunTwiceIsHeldAllTheTime() async {
    CoreLocationFake.reset()
    let phone = newPhone("Sessions")
    var held: [Bool] = []
    phone.onEnvironmentChanged = { held.append($0.hasServiceSession) }
    phone.beginServiceSession()
    let first = CoreLocationFake.heldServiceSessions.first
    // What the first one says no longer counts, also where it is under way.
    var diagnostic = CLServiceSession.Diagnostic()
    diagnostic.authorizationDenied = true
    first?.tell(diagnostic)
    phone.beginServiceSession()
    #expect(held == [true])
    #expect(phone.environment.hasServiceSession)
    #expect(CoreLocationFake.heldServiceSessions.count == 1)
    first?.tell(diagnostic)
    await pause()
    #expect(phone.environment.reported[.serviceSession] == nil)
    CoreLocationFake.heldServiceSessions.first?.tell(diagnostic)
    await eventually { phone.environment.reported[.serviceSession] == .authorizationDenied }
    phone.endServiceSession()
    #expect(!phone.environment.hasServiceSession)
    #expect(CoreLocationFake.heldServiceSessions.isEmpty)
    #expect(phone.environment.reported[.serviceSession] == nil)
  }

  @Test func backgroundActivityLastsAsLongAsSomebodyWantsIt() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Activity", slotCount: 10)
    let watcher = CoreLocationPhone("Activity", NoSlots(), phone.services)
    phone.isInFront = false
    #expect(!phone.environment.isInUse)
    phone.beginBackgroundActivity()
    watcher.beginBackgroundActivity()
    #expect(CoreLocationFake.heldActivitySessions.count == 1)
    #expect(watcher.hasBackgroundActivity)
    #expect(phone.environment.isInUse)
    phone.endBackgroundActivity()
    #expect(CoreLocationFake.heldActivitySessions.count == 1, "the monitor still wants it")
    // Core Location refuses one that was begun in the background.
    var diagnostic = CLBackgroundActivitySession.Diagnostic()
    diagnostic.insufficientlyInUse = true
    let refused = CoreLocationFake.heldActivitySessions.first
    refused?.tell(diagnostic)
    await eventually { !watcher.hasBackgroundActivity }
    #expect(!phone.environment.isInUse)
    // In front a new one takes its place.
    watcher.beginBackgroundActivity()
    #expect(CoreLocationFake.heldActivitySessions.count == 1)
    #expect(CoreLocationFake.heldActivitySessions.first !== refused)
    #expect(watcher.hasBackgroundActivity)
    watcher.endBackgroundActivity()
    #expect(CoreLocationFake.heldActivitySessions.isEmpty)
    #expect(!phone.environment.isInUse)
  }

  @Test func authorizationIsKeptUpToDate() async {
    CoreLocationFake.reset()
    let phone = newPhone("Allowed")
    #expect(phone.environment.authorization == .always)
    CoreLocationFake.areServicesEnabled = false
    CoreLocationFake.authorize(.denied)
    await eventually { phone.environment.authorization == .deniedGlobally }
    CoreLocationFake.authorize(.authorizedWhenInUse)
    #expect(phone.environment.authorization == .whenInUse)
  }
}
