import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityRuns

/// What a run of `vicinity events` says at its end, for people.
struct EventsSummary {
  var totals: EventTotals
  var devices: Int
  var events: Int
  var inferred = 0
  /// How many events are held back for the next batch.
  var held = 0
  /// How many events are earlier than what the batches before may have written, where batches are in order.
  var late = 0
  /// How many stays go on and are left to the next batch.
  var openStays = 0
  /// How many fixes an earlier run had read.
  var known = 0
  var seconds: Double
  /// How many fixes were read in that time.
  var fixesRead: Int

  /// Prints all of it.
  ///
  /// - Parameters:
  ///   - index: The regions, for a run that found nothing.
  ///   - maximumGap: Seconds.
  ///   - lastCoordinates: Where some of the devices were last seen.
  func print(index: RegionIndex, maximumGap: Double, lastCoordinates: [Coordinate]) {
    for note in [
      emptyNote(index, lastCoordinates), droppedNote, gapNote(maximumGap: maximumGap), lateNote,
      heldNote, openNote,
    ] {
      if let note { Notices.print("note", note) }
    }
    Notices.print("done", done)
  }

  /// `8,357 fixes of 1 device, 12 events in 0.1 s (83,570 fixes a second); dropped 3 repeats`
  var done: String {
    "\(DecimalText.count(totals.fixes, "fix", "fixes")) of \(DecimalText.count(devices, "device", "devices")), "
      + "\(DecimalText.count(events, "event", "events")) in \(DecimalText.string(seconds, decimals: 1)) s "
      + "(\(DecimalText.count(Int(Double(fixesRead) / max(seconds, 1e-3)), "fix", "fixes")) a second)"
      + Self.dropped(totals)
      + (known > 0 ? "; \(DecimalText.count(known, "fix was", "fixes were")) read before" : "")
  }

  /// `; dropped 3 repeats`, or nothing.
  static func dropped(_ totals: EventTotals) -> String {
    let dropped = [
      (totals.repeats, "repeat", "repeats"),
      // A negative accuracy and AIS's position for "not available" are counted as one.
      (
        totals.invalidFixes, "fix without a position (negative accuracy, or 91/181)",
        "fixes without a position (negative accuracy, or 91/181)"
      ),
      (totals.conflicts, "fix at the time of another", "fixes at the time of another"),
      (totals.skipped, "bad row", "bad rows"),
    ].filter { $0.0 > 0 }.map { DecimalText.count($0.0, $0.1, $0.2) }
    return dropped.isEmpty ? "" : "; dropped " + dropped.joined(separator: ", ")
  }

  // MARK: Notes

  /// Where tracks and regions lie, for a run that found no event.
  func emptyNote(_ index: RegionIndex, _ lastCoordinates: [Coordinate]) -> String? {
    guard events == 0, held == 0 else { return nil }
    return totals.extent.emptyNote(index, totals.fixes == 0 ? [] : lastCoordinates)
  }

  /// How much did not count, where that is more than a tenth.
  var droppedNote: String? {
    let rows = totals.fixes + totals.dropped
    guard totals.dropped + totals.warnings > rows / 10, totals.dropped + totals.warnings > 0 else {
      return nil
    }
    let share = DecimalText.string(100 * Double(totals.dropped) / Double(max(rows, 1)), decimals: 1)
    return
      "of \(DecimalText.count(rows, "row", "rows")) with \(DecimalText.count(devices, "device", "devices")), "
      + "\(DecimalText.grouped(totals.dropped)) (\(share) %) \(totals.dropped == 1 ? "was" : "were") dropped"
      + (totals.warnings > 0
        ? ", and there \(totals.warnings == 1 ? "is" : "are") \(DecimalText.count(totals.warnings, "warning", "warnings"))"
        : "")
  }

  /// What gaps hide, where there are more than a few.
  func gapNote(maximumGap: Double) -> String? {
    StepCounts(steps: totals.steps, gaps: totals.gaps)
      .note(maximumGap: maximumGap, option: "--max-gap", inferred: inferred)
  }

  private var openNote: String? {
    guard openStays > 0 else { return nil }
    let goOn = openStays == 1 ? "goes on, and comes" : "go on, and come"
    return
      "\(DecimalText.count(openStays, "stay", "stays")) \(goOn) with the batch in which the device leaves; with --last also in this one"
  }

  private var lateNote: String? {
    guard late > 0 else { return nil }
    return
      "\(DecimalText.count(late, "event is", "events are")) earlier than what the batches before may have written: a fix came "
      + "later than --in-order waits for, so their outputs, one after the other, may not be in order"
  }

  private var heldNote: String? {
    guard held > 0 else { return nil }
    return
      "\(DecimalText.count(held, "event", "events")) held back, which the next batch may precede (--in-order)"
  }
}
