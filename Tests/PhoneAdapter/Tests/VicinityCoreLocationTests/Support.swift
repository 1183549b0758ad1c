import CoreLocation
import Foundation
import Synchronization
import Testing
import Vicinity
import VicinityMonitor

@testable import VicinityCoreLocation

/// All tests share one made-up phone, so they run one after another.
@Suite(.serialized) @MainActor struct AdapterTests {}

/// Waits until something holds; what is being tested goes on meanwhile.
@MainActor func eventually(
  _ condition: () async -> Bool, _ comment: Comment? = nil, location: SourceLocation = #_sourceLocation
) async {
  for _ in 0..<5000 {
    if await condition() { return }
    // Cancelled by nobody.
    do { try await Task.sleep(for: .milliseconds(1)) } catch { break }
  }
  Issue.record(comment ?? "it does not come to hold", sourceLocation: location)
}

/// Lets all that is under way come to its end.
@MainActor func pause(_ duration: Duration = .milliseconds(50)) async {
  do { try await Task.sleep(for: duration) } catch { return }
}

let vienna = Coordinate(latitude: 48.2082, longitude: 16.3738)

@MainActor func place(_ latitude: Double, _ longitude: Double, accuracy: Double = 5) -> CLLocation {
  CLLocation(
    coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
    horizontalAccuracy: accuracy, verticalAccuracy: -1, course: -1, speed: -1, timestamp: Date())
}

/// A phone as new, with short pauses.
@MainActor func newPhone(
  _ name: String, slots: SlotService = .regionMonitoring, slotCount: Int = 20, hasBackgroundMode: Bool = false
) -> PhoneDevice {
  PhoneDevice(
    name, options: options(slots: slots, slotCount: slotCount, hasBackgroundMode: hasBackgroundMode))
}

@MainActor func options(
  slots: SlotService = .regionMonitoring, slotCount: Int = 20, hasBackgroundMode: Bool = false
) -> PhoneDevice.Options {
  var options = PhoneDevice.Options()
  options.pause = .milliseconds(2)
  options.slots = slots
  options.slotCount = slotCount
  options.hasBackgroundMode = hasBackgroundMode
  return options
}

/// Records of a monitor that has watched a circle, and the region that its process has left.
@MainActor func leaveRegion(_ name: String, _ identifier: String = "home") async throws -> InMemoryRecords {
  let records = InMemoryRecords()
  let before = try await Monitor(name, records: records)
  try await before.add(.circle(center: vienna, radius: 150), identifier: identifier, assuming: .unsatisfied)
  await before.close()
  CoreLocationFake.regions["\(name)/\(identifier)"] = CLCircularRegion(
    center: CLLocationCoordinate2D(vienna), radius: 150, identifier: "\(name)/\(identifier)")
  return records
}

/// The events that a monitor has delivered. Each counts as handled when the gate lets it through.
final class Listener: Sendable {
  private let found = Mutex<[MonitoringEvent]>([])
  private let isOpen: Mutex<Bool>

  init(isOpen: Bool = true) { self.isOpen = Mutex(isOpen) }

  var events: [MonitoringEvent] { found.withLock { $0 } }
  /// As "home: satisfied".
  var texts: [String] { events.map { "\($0.identifier): \($0.state)" } }
  func open() { isOpen.withLock { $0 = true } }

  func listen(to monitor: Monitor) {
    Task {
      for try await event in monitor.events {
        found.withLock { $0.append(event) }
        while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
      }
    }
  }
}
