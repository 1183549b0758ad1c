import Vicinity
import VicinityMonitor

/// What has the slots. An app on a phone hands these on to Core Location; this one says what it is asked.
struct Phone: MonitoringDevice {
  /// A monitor plans for the slots that its device has.
  var slotCapacity: Int? { 5 }

  func perform(_ commands: [DeviceCommand]) {
    for command in commands {
      switch command {
      case .register(let slot) where slot.isSentinel:
        if case .circle(_, let radius) = slot.condition {
          print("  phone: wake me beyond \(Int(radius / 1000)) km")
        }
      case .register(let slot): print("  phone: watch \(slot.identifier)")
      case .unregister(let identifier): print("  phone: forget \(identifier)")
      case .requestFix: print("  phone: where am I?")
      case .adopt(let slot): print("  phone: go on watching \(slot.identifier)")
      // Asked for by strategies that follow the position; this one has slots alone.
      case .cancelFixRequest, .startUpdates, .stopUpdates, .stayAwake, .allowSleep, .show, .wake, .startRanging, .stopRanging: break
      }
    }
  }
}
