import VicinityCrossings
import VicinityFormats
import VicinityIndex
import VicinityMonitor
import VicinityReports
import VicinityRuns

/// Follows devices along their tracks and writes every plan as it is made.
final class PlanRun {
  private final class Follower {
    var planner: RegistrationPlanner<RegionIndex>

    init(_ index: RegionIndex, _ options: PlanOptions) throws {
      planner = try RegistrationPlanner(index, options: options)
    }
  }

  private let index: RegionIndex
  private let options: PlanOptions
  /// Checks plans against the devices' paths, if asked to.
  private let check: PlanCheck?
  private let reader: TrackReader
  private let progress: ProgressMeter
  private var followers: [Follower?] = []
  private let start = ContinuousClock.now

  /// The page of a map, if one is asked for.
  private(set) var page: PlanPage?

  /// Plans made, and of these saturated ones.
  private(set) var planCount = 0
  private(set) var saturatedCount = 0

  init(
    _ index: RegionIndex, _ options: PlanOptions, _ check: PlanCheck?, _ reader: TrackReader,
    page: PlanPage?, progress: ProgressMeter
  ) {
    self.page = page
    self.index = index
    self.options = options
    self.check = check
    self.reader = reader
    self.progress = progress
  }

  var summary: TrackSummary { reader.summary }
  var deviceCount: Int { reader.devices.count }
  var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Reads all fixes and hands every plan to a writer.
  func write(_ formatter: some PlanFormatter, to writer: ByteWriter) throws {
    var formatter = formatter
    progress.stage("planning")
    writer.buffer += formatter.header.utf8
    var isFirst = true
    var swap = SwapCheck()
    defer { Notices.print(reader.summary) }
    while let batch = try reader.next() {
      while followers.count < reader.devices.count { followers.append(nil) }
      for run in batch.runs {
        let follower = try follower(of: run.device)
        for i in run.range {
          let fix = batch.fixes[i]
          let decision: PlanDecision
          do {
            try check?.advance(
              run.device, reader.devices[run.device], to: fix, under: follower.planner.plan)
            decision = try follower.planner.advance(to: fix)
          } catch {
            throw CommandFailure("\(error)", at: "\(batch.place(of: i))")
          }
          page?.add(fix, of: reader.devices[run.device])
          guard case .planned(let diff) = decision, let plan = follower.planner.plan else { continue }
          planCount += 1
          swap.add(fix.coordinate, nearest: plan.registrations.lazy.map(\.distance).min())
          if plan.saturation != nil { saturatedCount += 1 }
          page?.add(plan, of: reader.devices[run.device])
          let begin = writer.buffer.count
          formatter.append(
            PlanRow(device: reader.devices[run.device], plan: plan, diff: diff), to: &writer.buffer)
          if isFirst { writer.buffer.removeSubrange(begin..<begin + formatter.separator.utf8.count) }
          isFirst = false
          try writer.flushIfFull()
        }
      }
      progress.update(
        fraction: reader.progress.fraction, detail: DecimalText.count(reader.summary.fixes, "fix", "fixes"))
    }
    try reader.checkHasFixes()
    if let note = swap.note(index) { Notices.print("note", note) }
    writer.buffer += formatter.footer.utf8
    try writer.finish()
  }

  private func follower(of device: Int) throws -> Follower {
    if let follower = followers[device] { return follower }
    let follower = try Follower(index, options)
    followers[device] = follower
    return follower
  }
}
