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

  @Test func withAlwaysRegionMonitoringGoesOnWhateverTheSessionLacks() async {
    CoreLocationFake.reset()
    var diagnostic = CLServiceSession.Diagnostic()
    (diagnostic.insufficientlyInUse, diagnostic.serviceSessionRequired) = (true, true)
    diagnostic.fullAccuracyDenied = true
    let all: Diagnostics = [.insufficientlyInUse, .serviceSessionRequired, .accuracyLimited]
    for slots in SlotService.allCases {
      CoreLocationFake.authorize(.authorizedAlways)
      var options = options(slots: slots)
      options.requiresServiceSession = true
      let name = "Without\(slots == .regionMonitoring ? "Classic" : "Condition")"
      let phone = PhoneDevice(name, options: options)
      let goesOn = slots == .regionMonitoring
      #expect(phone.environment.requiresServiceSession == !goesOn)
      #expect(phone.environment.diagnostics(for: .geographic) == (goesOn ? [] : .serviceSessionRequired))
      phone.beginServiceSession()
      CoreLocationFake.heldServiceSessions.last?.tell(diagnostic)
      await eventually { phone.environment.reported[.serviceSession] != nil }
      #expect(phone.environment.diagnostics(for: .geographic) == (goesOn ? .accuracyLimited : all))
      // With less permission the session is needed, and what it says counts.
      CoreLocationFake.authorize(.authorizedWhenInUse)
      #expect(phone.environment.diagnostics(for: .geographic) == all)
      #expect(phone.environment.requiresServiceSession)
      phone.endServiceSession()
      #expect(phone.environment.diagnostics(for: .geographic) == .serviceSessionRequired)
    }
  }

  @Test func whatTheSessionDeniesLastsAsLongAsItSaysSo() async {
    CoreLocationFake.reset()
    let phone = newPhone("Provisional")
    phone.beginServiceSession()
    var diagnostic = CLServiceSession.Diagnostic()
    diagnostic.alwaysAuthorizationDenied = true
    CoreLocationFake.heldServiceSessions.first?.tell(diagnostic)
    await eventually { phone.environment.authorization == .whenInUse }
    // The manager says the same as before.
    CoreLocationFake.authorize(.authorizedAlways)
    #expect(phone.environment.authorization == .whenInUse)
    diagnostic.alwaysAuthorizationDenied = false
    CoreLocationFake.heldServiceSessions.first?.tell(diagnostic)
    await eventually { phone.environment.authorization == .always }
  }

  @Test func whatAnEndedSessionLackedDoesNotCountAgainstTheNext() async {
    CoreLocationFake.reset()
    CoreLocationFake.authorize(.authorizedWhenInUse)
    var options = options(slots: .conditionMonitor)
    options.requiresServiceSession = true
    let phone = PhoneDevice("Next", options: options)
    phone.beginServiceSession()
    var diagnostic = CLServiceSession.Diagnostic()
    (diagnostic.insufficientlyInUse, diagnostic.serviceSessionRequired) = (true, true)
    (diagnostic.alwaysAuthorizationDenied, diagnostic.fullAccuracyDenied) = (true, true)
    CoreLocationFake.heldServiceSessions.last?.tell(diagnostic)
    await eventually { phone.environment.reported[.serviceSession]?.contains(.insufficientlyInUse) == true }
    // The next one says nothing so far. What the user allows is as it was.
    phone.beginServiceSession()
    #expect(phone.environment.reported[.serviceSession] == .accuracyLimited)
    CoreLocationFake.heldServiceSessions.last?.tell(diagnostic)
    await eventually { phone.environment.reported[.serviceSession]?.contains(.insufficientlyInUse) == true }
    phone.endServiceSession()
    #expect(phone.environment.reported[.serviceSession] == nil)
  }

  @Test func alwaysThatTheUserSetsLaterCountsWhateverTheSessionSaidBefore() async {
    CoreLocationFake.reset()
    CoreLocationFake.authorize(.authorizedWhenInUse)
    let phone = newPhone("Later")
    phone.beginServiceSession()
    var diagnostic = CLServiceSession.Diagnostic()
    diagnostic.alwaysAuthorizationDenied = true
    CoreLocationFake.heldServiceSessions.last?.tell(diagnostic)
    await eventually { phone.environment.reported[.serviceSession] != nil }
    CoreLocationFake.authorize(.authorizedAlways)
    #expect(phone.environment.authorization == .always)
    phone.isInFront = false
    #expect(phone.environment.diagnostics(for: .geographic) == [])
    // What the session says from now on counts again, and ends with it.
    CoreLocationFake.heldServiceSessions.last?.tell(diagnostic)
    await eventually { phone.environment.authorization == .whenInUse }
    phone.beginServiceSession()
    #expect(phone.environment.authorization == .always)
  }

  @Test func aFirstAlwaysThatTheSessionDeniesIsNone() async {
    CoreLocationFake.reset()
    CoreLocationFake.authorization = .notDetermined
    let phone = newPhone("First")
    phone.beginServiceSession()
    var diagnostic = CLServiceSession.Diagnostic()
    diagnostic.alwaysAuthorizationDenied = true
    CoreLocationFake.heldServiceSessions.last?.tell(diagnostic)
    await eventually { phone.environment.reported[.serviceSession] != nil }
    CoreLocationFake.authorize(.authorizedAlways)
    #expect(phone.environment.authorization == .whenInUse)
  }

  @Test func aPhoneThatIsGoneHoldsNoSession() async {
    CoreLocationFake.reset()
    var phone: PhoneDevice? = newPhone("Gone")
    phone?.beginServiceSession()
    phone?.beginBackgroundActivity()
    #expect(CoreLocationFake.heldServiceSessions.count == 1)
    #expect(CoreLocationFake.heldActivitySessions.count == 1)
    phone = nil
    await eventually { CoreLocationFake.heldServiceSessions.isEmpty }
    await eventually { CoreLocationFake.heldActivitySessions.isEmpty }
  }
}
