internal import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityMonitor

/// A row a plan; lists are separated by semicolons. Metres with three digits, degrees with eight.
struct PlanCSV: PlanFormatter {
  private var times = TimeText()

  var header: String {
    "device,time,latitude,longitude,error,registered,vicinity_latitude,vicinity_longitude,vicinity_radius,"
      + "certificate,saturated,left_out,unprovable_exits,next_fix_due,slots_in_use,sentinel_gap,"
      + "regions,register,unregister\n"
  }
  var separator: String { "" }
  var footer: String { "" }

  mutating func append(_ row: PlanRow, to text: inout [UInt8]) {
    let comma = UInt8(ascii: ",")
    let plan = row.plan
    CSVText.append(row.device, to: &text)
    text.append(comma)
    times.append(plan.fix.time, to: &text)
    text.append(comma)
    DecimalText.append(plan.fix.coordinate.latitude, decimals: 8, to: &text)
    text.append(comma)
    DecimalText.append(plan.fix.coordinate.longitude, decimals: 8, to: &text)
    text.append(comma)
    DecimalText.append(plan.error, decimals: 3, to: &text)
    text.append(comma)
    DecimalText.append(plan.registrations.count, to: &text)
    text.append(comma)
    if let vicinity = plan.vicinity {
      DecimalText.append(vicinity.center.latitude, decimals: 8, to: &text)
      text.append(comma)
      DecimalText.append(vicinity.center.longitude, decimals: 8, to: &text)
      text.append(comma)
      DecimalText.append(vicinity.radius, decimals: 3, to: &text)
    } else {
      text += [comma, comma]
    }
    text.append(comma)
    if let certificate = plan.certificate { DecimalText.append(certificate, decimals: 3, to: &text) }
    text.append(comma)
    if let saturation = plan.saturation {
      text += saturation.reason.rawValue.utf8
      text.append(comma)
      DecimalText.append(saturation.leftOut.count, to: &text)
      text.append(comma)
      DecimalText.append(saturation.unprovableExits.count, to: &text)
    } else {
      text += ",0,0".utf8
    }
    text.append(comma)
    if let due = plan.nextFixDue { times.append(due, to: &text) }
    text.append(comma)
    DecimalText.append(plan.slotsInUse, to: &text)
    text += row.diff.leavesSentinelGap ? ",true,".utf8 : ",false,".utf8
    appendList(plan.registrations, to: &text)
    text.append(comma)
    appendList(row.registered, to: &text)
    text.append(comma)
    appendList(row.unregistered, to: &text)
    text.append(UInt8(ascii: "\n"))
  }

  private func appendList(_ registrations: [Registration], to text: inout [UInt8]) {
    CSVText.append(registrations.map(\.identifier).joined(separator: ";"), to: &text)
  }
}

extension PlanRow {
  /// Regions that the steps register, in their order.
  var registered: [Registration] {
    diff.steps.compactMap { if case .register(let registration) = $0 { registration } else { nil } }
  }

  /// Regions that the steps unregister, in their order.
  var unregistered: [Registration] {
    diff.steps.compactMap { if case .unregister(let registration) = $0 { registration } else { nil } }
  }
}
