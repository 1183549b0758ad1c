import VicinityCrossings
import VicinityMonitor

/// A plan of a device and the steps to it, to be written.
struct PlanRow {
  var device: String
  var plan: Plan
  var diff: PlanDiff
}

protocol PlanFormatter {
  /// The text before the first row.
  var header: String { get }
  /// The text that each row begins with; it is removed before the first row.
  var separator: String { get }
  /// The text after the last row.
  var footer: String { get }
  mutating func append(_ row: PlanRow, to text: inout [UInt8])
}

/// A row per plan (``PlanTable``).
struct PlanCSV: PlanFormatter {
  var header: String { PlanTable.header + "\n" }
  var separator: String { "" }
  var footer: String { "" }

  func append(_ row: PlanRow, to text: inout [UInt8]) {
    var cells = CSVRows()
    PlanTable.append(row.device, row.plan, row.diff, to: &cells)
    cells.end()
    text += cells.bytes
  }
}

/// An array with an object per plan, one per line, with all lists in full.
struct PlanJSON: PlanFormatter {
  var header: String { "[" }
  var separator: String { "," }
  var footer: String { "\n]\n" }

  func append(_ row: PlanRow, to text: inout [UInt8]) {
    let plan = row.plan
    var object = JSONObject()
    object.string("device", row.device)
    object.time("time", plan.fix.time)
    object.coordinate(plan.fix.coordinate)
    object.number("error", plan.error, 3)
    object.number("certificate", plan.certificate, 3)
    object.boolean("all_registered", plan.certificate == .infinity)
    object.object(
      "vicinity",
      plan.safeDisc.map { disc in
        var inner = JSONObject()
        inner.coordinate(disc.center)
        inner.number("radius", disc.radius, 3)
        return inner
      })
    object.string("sentinel", plan.sentinel?.identifier)
    object.object(
      "saturated",
      plan.saturation.map { saturation in
        var inner = JSONObject()
        inner.string("reason", saturation.reason.rawValue)
        Self.add("left_out", saturation.leftOut, to: &inner)
        Self.add("unprovable_exits", saturation.unprovableExits, to: &inner)
        return inner
      })
    object.time("next_fix_due", plan.nextFixDue)
    object.integer("slots_in_use", plan.slotsInUse)
    Self.add("registrations", plan.registrations, to: &object)
    Self.add("watched", plan.watched, to: &object)
    object.boolean("sentinel_gap", row.diff.leavesSentinelGap)
    object.list("steps", row.diff.steps) { step, inner in
      let (action, key, identifier) =
        switch step {
        case .registerSentinel(let sentinel): ("register", "sentinel", sentinel.identifier)
        case .unregisterSentinel(let name): ("unregister", "sentinel", name)
        case .register(let registration): ("register", "region", registration.identifier)
        case .unregister(let name): ("unregister", "region", name)
        }
      inner.string("step", action)
      inner.string(key, identifier)
    }
    text += ",\n".utf8
    text += object.finished
  }

  private static func add(_ name: String, _ registrations: [Registration], to object: inout JSONObject) {
    object.list(name, registrations) { registration, inner in
      inner.string("region", registration.identifier)
      inner.number("boundary_distance", registration.distance, 3)
    }
  }
}
