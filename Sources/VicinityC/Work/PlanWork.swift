internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor

/// A plan of a device, the steps to it, and the row of the fix that it was made at.
struct PlanRecord: Sendable {
  var device: String
  var row: Int
  var plan: Plan
  var diff: PlanDiff
}

enum PlanWork {
  static func run(
    _ index: RegionIndex, _ input: ArrowInput, _ options: inout Options, _ control: Control
  ) throws -> ResultTable {
    let reading = try ArrowTracks.Reading(&options)
    let columns = options.texts(named: TrackColumns.options)
    let (planOptions, pinned): (PlanOptions, String?)
    do throws(OptionFault) {
      planOptions = try PlanOptions(named: { options.texts($0) })
      pinned = try planOptions.checkPins(in: index)
    } catch { throw Failure.option(error) }
    try options.finish()
    let bad = BadRows(areSkipped: reading.skipsBadRows)
    let (devices, notes) = try DeviceFixes.all(input, reading, columns, bad, control)
    let (threads, total) = (control.threads, devices.reduce(0) { $0 + $1.fixes.count })
    let found = try Background.run(control, of: total) { watch in
      try Parallel.map(devices.count, threads: threads) { number throws(Failure) in
        try plans(of: devices[number], index, planOptions, watch)
      }
    }
    let rows = found.joined().sorted { $0.row < $1.row }
    var swap = SwapCheck()
    for row in rows {
      swap.add(row.plan.fix.coordinate, nearest: row.plan.registrations.lazy.map(\.distance).min())
    }
    let swapped = swap.note(index).map { [Note(kind: .tracks, text: $0)] } ?? []
    let large = pinned.map { [Note(kind: .tracks, text: $0)] } ?? []
    return try table(rows, large + bad.notes(of: input.rowCount) + notes + swapped, bad)
  }

  private static func plans(
    of device: DeviceFixes, _ index: RegionIndex, _ options: PlanOptions, _ watch: Watch
  ) throws(Failure) -> [PlanRecord] {
    var planner: RegistrationPlanner<RegionIndex>
    do throws(PlanOptionsError) { planner = try RegistrationPlanner(index, options: options) } catch {
      throw .argument(error.description)
    }
    var rows: [PlanRecord] = []
    for (i, fix) in device.fixes.enumerated() {
      if i % 256 == 255 {
        if watch.isStopped { return [] }
        watch.add(256)
      }
      let decision: PlanDecision
      do throws(TrackError) { decision = try planner.advance(to: fix) } catch {
        throw device.failure(i, .track(error))
      }
      guard case .planned(let diff) = decision, let plan = planner.plan else { continue }
      rows.append(PlanRecord(device: device.name, row: device.row(i), plan: plan, diff: diff))
    }
    return rows
  }

  /// So many rows at most make a batch, and identifiers of so many bytes in one of its columns, unless a
  /// single row has more.
  private static let (rowsPerBatch, bytesPerBatch) = (1 << 16, 1 << 28)

  /// The ranges of rows that make the batches.
  private static func batches(of rows: [PlanRecord]) -> [Range<Int>] {
    func size(_ names: some Sequence<String>) -> Int { names.reduce(0) { $0 + $1.utf8.count } }
    var batches: [Range<Int>] = []
    var (start, bytes) = (0, 0)
    for (i, row) in rows.enumerated() {
      let more = max(
        size(row.plan.registrations.lazy.map(\.identifier)), size(row.diff.registered),
        size(row.diff.unregistered))
      if i > start, i - start == rowsPerBatch || bytes + more > bytesPerBatch {
        batches.append(start..<i)
        (start, bytes) = (i, 0)
      }
      bytes += more
    }
    if start < rows.count { batches.append(start..<rows.count) }
    return batches
  }

  private static func table(
    _ rows: [PlanRecord], _ notes: [Note], _ bad: BadRows
  ) throws(Failure) -> ResultTable {
    let strings = [OutputField(name: "item", format: "u")]
    let fields = [
      OutputField(name: "device", format: "u"), OutputField(name: "time", format: "tsu:UTC"),
      OutputField(name: "latitude", format: "g"), OutputField(name: "longitude", format: "g"),
      OutputField(name: "error", format: "g"), OutputField(name: "registered", format: "l"),
      OutputField(name: "vicinity_latitude", format: "g", isNullable: true),
      OutputField(name: "vicinity_longitude", format: "g", isNullable: true),
      OutputField(name: "vicinity_radius", format: "g", isNullable: true),
      OutputField(name: "certificate", format: "g", isNullable: true),
      OutputField(name: "saturated", format: "u", isNullable: true),
      OutputField(name: "left_out", format: "l"),
      OutputField(name: "unprovable_exits", format: "l"),
      OutputField(name: "next_fix_due", format: "tsu:UTC", isNullable: true),
      OutputField(name: "slots_in_use", format: "l"), OutputField(name: "sentinel_gap", format: "b"),
      OutputField(name: "regions", format: "+l", children: strings),
      OutputField(name: "register", format: "+l", children: strings),
      OutputField(name: "unregister", format: "+l", children: strings),
    ]
    let nodes = try batches(of: rows).map { range throws(Failure) in try batch(rows[range]) }
    return ResultTable(.plans(rows), fields, nodes, notes: notes, bad: bad)
  }

  private static func batch(_ rows: ArraySlice<PlanRecord>) throws(Failure) -> ArrowNode {
    let plans = rows.map(\.plan)
    // To the millisecond, as everywhere.
    func time(_ time: Timestamp) -> Int64 { EventTable.microseconds(time.milliseconds) }
    let columns: [ArrowNode] = [
      try .texts(rows.map(\.device)), .values(plans.map { time($0.fix.time) }),
      .values(plans.map(\.fix.coordinate.latitude)), .values(plans.map(\.fix.coordinate.longitude)),
      .values(plans.map(\.error)), .values(plans.map { Int64($0.registrations.count) }),
      .values(plans.map { $0.safeDisc?.center.latitude }),
      .values(plans.map { $0.safeDisc?.center.longitude }),
      .values(plans.map { $0.safeDisc?.radius }), .values(plans.map(\.certificate)),
      try .texts(plans.map { $0.saturation?.reason.rawValue }),
      .values(plans.map { Int64($0.saturation?.leftOut.count ?? 0) }),
      .values(plans.map { Int64($0.saturation?.unprovableExits.count ?? 0) }),
      .values(plans.map { $0.nextFixDue.map(time) }), .values(plans.map { Int64($0.slotsInUse) }),
      .booleans(rows.map(\.diff.leavesSentinelGap)),
      try .lists(plans.map { $0.registrations.map(\.identifier) }),
      try .lists(rows.map(\.diff.registered)), try .lists(rows.map(\.diff.unregistered)),
    ]
    return .batch(rows.count, columns)
  }
}
