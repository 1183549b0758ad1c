import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityMonitor

/// An array with an object a plan, one a line, its lists whole.
struct PlanJSON: PlanFormatter {
  private var times = TimeText()

  var header: String { "[" }
  var separator: String { "," }
  var footer: String { "\n]\n" }

  mutating func append(_ row: PlanRow, to text: inout [UInt8]) {
    let plan = row.plan
    text += ",\n{\"device\":".utf8
    JSONText.append(row.device, to: &text)
    append("time", plan.fix.time, to: &text)
    append(plan.fix.coordinate, to: &text)
    append("error", plan.error, to: &text)
    append("certificate", plan.certificate, to: &text)
    text += ",\"all_registered\":\(plan.certificate == .infinity)".utf8
    text += ",\"vicinity\":".utf8
    if let vicinity = plan.vicinity {
      text += "{\"latitude\":".utf8
      JSONText.append(vicinity.center.latitude, decimals: 8, to: &text)
      text += ",\"longitude\":".utf8
      JSONText.append(vicinity.center.longitude, decimals: 8, to: &text)
      append("radius", vicinity.radius, to: &text)
      text += "}".utf8
    } else {
      text += "null".utf8
    }
    text += ",\"sentinel\":".utf8
    if let sentinel = plan.sentinel {
      JSONText.append(sentinel.identifier, to: &text)
    } else {
      text += "null".utf8
    }
    text += ",\"saturated\":".utf8
    if let saturation = plan.saturation {
      text += "{\"reason\":\"\(saturation.reason.rawValue)\"".utf8
      append("left_out", saturation.leftOut, to: &text)
      append("unprovable_exits", saturation.unprovableExits, to: &text)
      text += "}".utf8
    } else {
      text += "null".utf8
    }
    if let due = plan.nextFixDue {
      append("next_fix_due", due, to: &text)
    } else {
      text += ",\"next_fix_due\":null".utf8
    }
    text += ",\"slots_in_use\":\(plan.slotsInUse)".utf8
    append("registrations", plan.registrations, to: &text)
    append("watched", plan.watched, to: &text)
    text += ",\"sentinel_gap\":\(row.diff.leavesSentinelGap)".utf8
    append(row.diff.steps, to: &text)
    text += "}".utf8
  }

  private mutating func append(_ name: String, _ time: Timestamp, to text: inout [UInt8]) {
    text += ",\"\(name)\":\"".utf8
    times.append(time, to: &text)
    text.append(UInt8(ascii: "\""))
  }

  private func append(_ coordinate: Coordinate, to text: inout [UInt8]) {
    text += ",\"latitude\":".utf8
    JSONText.append(coordinate.latitude, decimals: 8, to: &text)
    text += ",\"longitude\":".utf8
    JSONText.append(coordinate.longitude, decimals: 8, to: &text)
  }

  private func append(_ name: String, _ length: Meters?, to text: inout [UInt8]) {
    text += ",\"\(name)\":".utf8
    JSONText.append(length, decimals: 3, to: &text)
  }

  private func append(_ name: String, _ registrations: [Registration], to text: inout [UInt8]) {
    text += ",\"\(name)\":[".utf8
    for (i, registration) in registrations.enumerated() {
      text += (i == 0 ? "{\"region\":" : ",{\"region\":").utf8
      JSONText.append(registration.identifier, to: &text)
      append("boundary_distance", registration.distance, to: &text)
      text += "}".utf8
    }
    text += "]".utf8
  }

  private func append(_ steps: [PlanStep], to text: inout [UInt8]) {
    text += ",\"steps\":[".utf8
    for (i, step) in steps.enumerated() {
      let (action, key, identifier) =
        switch step {
        case .registerSentinel(let sentinel): ("register", "sentinel", sentinel.identifier)
        case .unregisterSentinel(let name): ("unregister", "sentinel", name)
        case .register(let registration): ("register", "region", registration.identifier)
        case .unregister(let registration): ("unregister", "region", registration.identifier)
        }
      text += (i == 0 ? "" : ",").utf8
      text += "{\"step\":\"\(action)\",\"\(key)\":".utf8
      JSONText.append(identifier, to: &text)
      text += "}".utf8
    }
    text += "]".utf8
  }
}
