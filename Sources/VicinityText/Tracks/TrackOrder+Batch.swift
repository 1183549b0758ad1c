package import VicinityCrossings
internal import VicinityGeodesy

extension TrackOrder {
  /// How many fixes of a batch were dropped.
  package struct Tally {
    package var repeats = 0
    package var invalid = 0
    package var conflicts = 0
    /// Bad rows: fixes out of order.
    package var refused = 0
  }

  /// How a batch is judged.
  package struct Judging {
    /// How many bad rows to describe.
    package var maximumDiagnostics: Int
    /// Whether conflicting fixes are dropped and counted instead of being bad rows; for sorted batches.
    package var dropsConflicts = false
    /// Whether each fix is judged by those before it alone, because those after it may take their time to
    /// come.
    package var follows = false

    package init(maximumDiagnostics: Int, dropsConflicts: Bool = false, follows: Bool = false) {
      self.maximumDiagnostics = maximumDiagnostics
      self.dropsConflicts = dropsConflicts
      self.follows = follows
    }
  }

  /// Drops the fixes of `batch` that may not follow: repeats and invalid fixes silently, fixes out of order
  /// as bad rows.
  ///
  /// - Parameter next: The batch behind it, whose fixes may contradict those of this one; it is judged later.
  /// ``takeBack()`` makes this undone, for a batch with bad rows.
  ///
  /// - Complexity: O(fixes), and O(n log n) for devices with n fixes that are out of order.
  package mutating func apply(
    to batch: inout TrackBatch, before next: TrackBatch?, devices: DeviceNames, _ judging: Judging
  ) -> Tally {
    let judged = judgeContradictions(in: batch, before: next, judging)
    var tally = Tally()
    let fixes = batch.fixes
    var kept = 0
    var described = 0
    var runs: [TrackBatch.Run] = []
    var breaks = Breaks(batch.breaks, pending: pendingBreaks)
    // Most batches are in order, and then nothing is moved.
    var isWhole = true
    for run in batch.runs {
      let device = run.device
      let start = kept
      for i in run.range {
        let fix = fixes[i]
        let verdict = judged.verdicts[i] ?? admit(fix, device: device)
        if let restart = judged.restarts[i] {
          batch.skippedCount += 1
          if described < judging.maximumDiagnostics {
            described += 1
            batch.skipped.append(
              Diagnostic(
                place: batch.place(of: i), message: restart.words(fix.time, Self.shown(devices[device]))))
          }
        }
        switch verdict {
        case .accepted:
          breaks.keep(i, at: kept, device: device, restart: judged.restarts[i])
          if kept != i { batch.keep(i, at: kept) }
          kept += 1
          continue
        case .repeated: tally.repeats += 1
        case .invalid: tally.invalid += 1
        case .conflicting where judging.dropsConflicts: tally.conflicts += 1
        case .conflicting, .backwards, .contradicted:
          tally.refused += 1
          batch.skippedCount += 1
          if described < judging.maximumDiagnostics {
            described += 1
            let words = verdict.words(fix, device: Self.shown(devices[device])) ?? ""
            let fault = RowFault(words, cure: verdict.isForSorting(fix) ? batch.orderCure : nil)
            batch.skipped.append(Diagnostic(place: batch.place(of: i), fault))
          }
        }
        breaks.drop(i, device: device, isRepeat: verdict == .repeated)
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
    batch.breaks = breaks.kept
    pendingBreaks = breaks.pending
    return tally
  }

  /// What has been decided about the fixes of devices whose times run backwards, by the fixes' indices.
  private struct Judged {
    var verdicts: [Int: Verdict] = [:]
    var restarts: [Int: Restart] = [:]
  }

  private mutating func judgeContradictions(
    in batch: TrackBatch, before next: TrackBatch?, _ judging: Judging
  ) -> Judged {
    var suspects: [Int: [Int]] = [:]
    if !hasScannedNext {
      beginScan()
      scanRuns(of: batch, &suspects)
    }
    if let next { scanRuns(of: next, &suspects) }
    hasScannedNext = next != nil && suspects.isEmpty
    // A batch with bad rows may fail.
    keep(suspects.isEmpty && batch.skippedCount == 0 ? [] : Set(batch.runs.map(\.device)))
    var judged = Judged()
    guard !suspects.isEmpty else { return judged }
    for run in batch.runs where suspects[run.device] != nil {
      suspects[run.device]?.append(contentsOf: run.range)
    }
    var following: [Int: [Fix]] = [:]
    if let next {
      for run in next.runs where suspects[run.device] != nil {
        following[run.device, default: []].append(contentsOf: next.fixes[run.range])
      }
    }
    for (device, places) in suspects.sorted(by: { $0.key < $1.key }) {
      let fixes = places.map { batch.fixes[$0] }
      if judging.follows {
        for (place, fix) in zip(places, fixes) { judge([fix], of: device, at: [place], &judged) }
      } else {
        judge(fixes + following[device, default: []], of: device, at: places, &judged)
      }
    }
    return judged
  }

  /// Adds the devices whose fixes in a batch do not come after those scanned before.
  private mutating func scanRuns(of batch: TrackBatch, _ suspects: inout [Int: [Int]]) {
    for run in batch.runs where !scanIsInOrder(batch.fixes[run.range].span, device: run.device) {
      suspects[run.device] = []
    }
  }

  private mutating func judge(_ fixes: [Fix], of device: Int, at places: [Int], _ judged: inout Judged) {
    let judgement = judge(fixes, device: device, deciding: places.count)
    for (place, verdict) in zip(places, judgement.verdicts) { judged.verdicts[place] = verdict }
    if let restart = judgement.restart { judged.restarts[places[restart.index]] = restart }
  }

  /// Where the breaks are once fixes have been dropped.
  private struct Breaks {
    private let old: [TrackBatch.Break]
    private var next = 0
    /// Devices whose fix behind a break has been dropped: the break is before their next one.
    private(set) var pending: Set<Int>
    private(set) var kept: [TrackBatch.Break] = []

    init(_ old: [TrackBatch.Break], pending: Set<Int>) { (self.old, self.pending) = (old, pending) }

    private mutating func isBroken(before fix: Int) -> Bool {
      guard next < old.count, old[next].fix == fix else { return false }
      next += 1
      return true
    }

    mutating func drop(_ fix: Int, device: Int, isRepeat: Bool) {
      let wasBroken = isBroken(before: fix)
      if isRepeat {
        // The device is where it was when the break began, at the same time: nothing is unknown.
        pending.remove(device)
      } else if wasBroken {
        pending.insert(device)
      }
    }

    mutating func keep(_ fix: Int, at place: Int, device: Int, restart: Restart?) {
      let wasBroken = isBroken(before: fix)
      let isPending = !pending.isEmpty && pending.remove(device) != nil
      guard wasBroken || isPending || restart != nil else { return }
      kept.append(TrackBatch.Break(fix: place, since: restart?.since))
    }
  }

  private static func shown(_ device: String) -> String {
    var name = device
    return name.withUTF8 { unsafe TextCheck.shown($0) }
  }
}
