internal import VicinityCrossings
internal import VicinityGeodesy

/// The devices of a call's rows, and when each was last seen before the call.
struct SeenDevices: Sendable {
  /// A call that had a device, and when the device was last seen before it.
  private struct Call {
    var number = 0
    var before: Timestamp?
  }

  /// In the order of their first rows.
  private(set) var devices: [Int] = []
  /// For each device, the last call that had it.
  private var calls: [Call] = []
  private var call = 0

  mutating func beginCall() {
    call += 1
    devices.removeAll(keepingCapacity: true)
  }

  /// Takes devices before their rows are taken.
  ///
  /// - Parameters:
  ///   - deviceCount: How many devices there are by now.
  ///   - lastTime: When a device was last seen.
  mutating func add(_ runs: [FleetRun], deviceCount: Int, lastTime: (Int) -> Timestamp?) {
    if calls.count < deviceCount {
      calls.append(contentsOf: repeatElement(Call(), count: deviceCount - calls.count))
    }
    for run in runs where calls[run.device].number != call {
      calls[run.device] = Call(number: call, before: lastTime(run.device))
      devices.append(run.device)
    }
  }

  /// When a device of this call was last seen before it; `nil` where it was not.
  func lastTimeBefore(of device: Int) -> Timestamp? {
    device < calls.count && calls[device].number == call ? calls[device].before : nil
  }
}
