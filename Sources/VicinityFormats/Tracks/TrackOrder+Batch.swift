internal import VicinityCrossings
internal import VicinityGeodesy

extension TrackOrder {
  /// How many fixes of a batch were dropped.
  struct Tally {
    var repeats = 0
    var invalid = 0
    var conflicts = 0
  }

  /// Drops from `batch` what does not follow: repeats and invalid fixes silently, fixes out of order as bad rows.
  ///
  /// - Parameter dropsConflicts: whether fixes at the time of another, elsewhere, are dropped and counted instead of
  ///   being bad rows: where the batch has been sorted.
  /// - Complexity: O(fixes)
  mutating func apply(
    to batch: inout TrackBatch, devices: DeviceTable, maximumDiagnostics: Int, dropsConflicts: Bool = false
  ) -> Tally {
    var tally = Tally()
    let fixes = batch.fixes
    var kept = 0
    var next = 0
    var runs: [TrackBatch.Run] = []
    // Most batches are in order throughout; then nothing is moved.
    var isWhole = true
    for run in batch.runs {
      let device = run.device
      let start = kept
      for i in run.range {
        let fix = fixes[i]
        let verdict = admit(fix, device: device)
        switch verdict {
        case .accepted:
          if kept != i { batch.keep(i, at: kept) }
          kept += 1
          continue
        case .repeated: tally.repeats += 1
        case .invalid: tally.invalid += 1
        case .conflicting where dropsConflicts: tally.conflicts += 1
        case .conflicting, .backwards:
          batch.skippedCount += 1
          if next < maximumDiagnostics, let before = self[device] {
            next += 1
            let name = devices[device]
            batch.skipped.append(
              Diagnostic(place: batch.place(of: i), message: Self.describe(verdict, fix, before, name)))
          }
        }
        if isWhole {
          isWhole = false
          runs = Array(batch.runs.prefix { $0.upperBound <= run.lowerBound })
        }
      }
      if !isWhole, kept > start {
        runs.append(
          TrackBatch.Run(
            number: run.number, lowerBound: UInt32(truncatingIfNeeded: start),
            upperBound: UInt32(truncatingIfNeeded: kept)))
      }
    }
    if !isWhole {
      batch.truncate(to: kept)
      batch.runs = runs
    }
    return tally
  }

  private static func describe(_ verdict: Verdict, _ fix: Fix, _ before: Last, _ device: String) -> String {
    var name = device
    let shown = name.withUTF8 { unsafe TextCheck.shown($0) }
    if verdict == .backwards {
      return "time runs backwards: \(fix.time) of device \(shown) comes after \(before.time)"
    }
    return
      "device \(shown) is at two places at \(fix.time): \(place(before.coordinate)) and \(place(fix.coordinate))"
  }

  private static func place(_ coordinate: Coordinate) -> String {
    "\(coordinate.latitude), \(coordinate.longitude)"
  }
}
