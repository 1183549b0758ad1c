package import VicinityCrossings

/// Plans as CSV: a row per plan. Lists are separated by semicolons; metres have three decimals, degrees
/// eight.
package enum PlanTable {
  package static let header =
    "device,time,latitude,longitude,error,registered,vicinity_latitude,vicinity_longitude,vicinity_radius,"
    + "certificate,saturated,left_out,unprovable_exits,next_fix_due,slots_in_use,sentinel_gap,"
    + "regions,register,unregister"

  /// Appends the cells of a plan and of what it changes.
  package static func append(_ device: String, _ plan: Plan, _ diff: PlanDiff, to cells: inout CSVRows) {
    cells.text(device)
    cells.time(plan.fix.time)
    cells.coordinate(plan.fix.coordinate)
    cells.number(plan.error, 3)
    cells.integer(plan.registrations.count)
    cells.coordinate(plan.safeDisc?.center)
    cells.number(plan.safeDisc?.radius, 3)
    cells.number(plan.certificate, 3)
    cells.text(plan.saturation?.reason.rawValue ?? "")
    cells.integer(plan.saturation?.leftOut.count ?? 0)
    cells.integer(plan.saturation?.unprovableExits.count ?? 0)
    cells.time(plan.nextFixDue)
    cells.integer(plan.slotsInUse)
    cells.text(diff.leavesSentinelGap ? "true" : "false")
    cells.text(plan.registrations.map(\.identifier).joined(separator: ";"))
    cells.text(diff.registered.joined(separator: ";"))
    cells.text(diff.unregistered.joined(separator: ";"))
  }
}
