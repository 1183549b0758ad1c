import Synchronization
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings
@testable import VicinityMonitor

/// A clock that goes when it is told to.
final class ManualClock: MonitorClock {
  private struct State {
    var now: Timestamp
    var sleepers: [(number: Int, deadline: Timestamp, continuation: CheckedContinuation<Void, any Error>)] =
      []
    var cancelled: Set<Int> = []
    var lastNumber = 0
  }

  private let state: Mutex<State>

  init(_ now: Timestamp = Timestamp(microseconds: 1_700_000_000_000_000)) {
    state = Mutex(State(now: now))
  }

  var now: Timestamp { state.withLock { $0.now } }

  func sleep(until time: Timestamp) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isOver: Bool? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return nil }
          if time <= state.now { return true }
          state.sleepers.append((number, time, continuation))
          return false
        }
        switch isOver {
        case nil: continuation.resume(throwing: CancellationError())
        case true?: continuation.resume()
        case false?: break
        }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        guard let i = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil as CheckedContinuation<Void, any Error>?
        }
        return state.sleepers.remove(at: i).continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Sets the time, and wakes those whose has come.
  func set(_ now: Timestamp) {
    let due = state.withLock { state in
      state.now = now
      let due = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  func advance(by duration: Duration) { set(now.advanced(by: duration)) }
}

/// A device that writes down what it is asked.
final class RecordingDevice: MonitoringDevice {
  private let log = Mutex<[DeviceCommand]>([])

  func perform(_ commands: [DeviceCommand]) { log.withLock { $0 += commands } }

  /// What has been asked since the last time.
  func take() -> [DeviceCommand] {
    log.withLock { log in
      defer { log = [] }
      return log
    }
  }
}

/// Records in memory that fail when told to.
final class UnreliableRecords: RecordStoreOpener {
  let base = InMemoryRecords()
  private let reason = Mutex<String?>(nil)

  func fail(_ why: String?) { reason.withLock { $0 = why } }

  func open(_ name: String) throws(RecordStoreError) -> any RecordStore {
    Store(try base.open(name), self)
  }

  private final class Store: RecordStore {
    let base: any RecordStore
    let records: UnreliableRecords

    init(_ base: any RecordStore, _ records: UnreliableRecords) {
      self.base = base
      self.records = records
    }

    func load() throws(RecordStoreError) -> StoredMonitor { try base.load() }

    func commit(_ changes: [RecordChange]) throws(RecordStoreError) {
      if let reason = records.reason.withLock({ $0 }) { throw .unavailable(reason: reason) }
      try base.commit(changes)
    }

    func close() { base.close() }
  }
}

enum MonitorSample {
  static let vienna = Coordinate(latitude: 48.2082, longitude: 16.3738)
  static let family = ProximityUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

  /// A place so far east of Vienna.
  static func east(_ meters: Meters) -> Coordinate {
    Geodesic.uncheckedDirect(vienna, azimuth: 90, distance: meters).coordinate
  }

  static func circle(_ meters: Meters = 0, radius: Meters = 100) -> Condition {
    .circle(center: east(meters), radius: radius)
  }

  static func sighting(_ major: UInt16 = 1, _ minor: UInt16 = 1, at time: Timestamp) -> BeaconSighting {
    BeaconSighting(uuid: family, major: major, minor: minor, rssi: -60, measuredPower: -59, time: time)
  }

  /// Decides at each fix by where it is.
  static var naive: MonitorOptions { MonitorOptions(crossings: CrossingOptions(rule: .naive)) }
}

extension MonitorStateMachine {
  /// Adds one condition.
  mutating func add(
    _ condition: Condition, identifier: String, options: ConditionOptions = ConditionOptions(),
    assuming state: MonitoringState = .unknown, at now: Timestamp
  ) throws(MonitorError) {
    try add([NewCondition(condition, identifier: identifier, assuming: state, options: options)], at: now)
  }
}
