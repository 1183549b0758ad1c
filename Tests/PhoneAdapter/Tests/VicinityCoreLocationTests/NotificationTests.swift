import Testing
import Vicinity
import VicinityMonitor

@testable import CoreLocation
@testable import VicinityCoreLocation

extension AdapterTests {
  @Test func anIntervalThatWouldEndTheAppIsRefused() async throws {
    CoreLocationFake.reset()
    let phone = newPhone("Notes")
    func post(_ interval: Duration, repeats: Bool = false) async throws {
      try await phone.post(
        NotificationRequest(
          identifier: "n", title: "Title", trigger: .timeInterval(interval, repeats: repeats)))
    }
    for interval in [Duration.zero, .seconds(-1)] {
      await #expect(
        throws: NotificationError.intervalTooShort(
          identifier: "n", interval: interval, minimum: .microseconds(1))
      ) { try await post(interval) }
    }
    await #expect(
      throws: NotificationError.intervalTooShort(
        identifier: "n", interval: .seconds(59), minimum: .seconds(60))
    ) { try await post(.seconds(59), repeats: true) }
    try await post(.seconds(1))
    try await post(.seconds(60), repeats: true)
  }
}
