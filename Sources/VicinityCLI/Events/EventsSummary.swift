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
      emptyNote(index, lastCoordinates), droppedNote, gapNote(maximumGap: maximumGap), heldNote,
    ] {
      if let note { Notices.print("note", note) }
    }
    Notices.print("done", done)
  }

  /// `8,357 fixes of 1 device, 12 events in 0.1 s (83,570 fixes a second); dropped 3 repeats`
  var done: String {
    "\(Self.count(totals.fixes, "fix", "fixes")) of \(Self.count(devices, "device", "devices")), "
      + "\(Self.count(events, "event", "events")) in \(DecimalText.string(seconds, decimals: 1)) s "
      + "(\(DecimalText.grouped(Int(Double(fixesRead) / max(seconds, 1e-3)))) fixes a second)"
      + Self.dropped(totals)
  }

  /// `; dropped 3 repeats`, or nothing.
  static func dropped(_ totals: EventTotals) -> String {
    let dropped = [
      (totals.repeats, "repeats"), (totals.invalidFixes, "fixes of negative accuracy"),
      (totals.conflicts, "fixes at the time of another"), (totals.skipped, "bad rows"),
    ].filter { $0.0 > 0 }.map { "\(DecimalText.grouped($0.0)) \($0.1)" }
    return dropped.isEmpty ? "" : "; dropped " + dropped.joined(separator: ", ")
  }

  private static func count(_ count: Int, _ one: String, _ many: String) -> String {
    "\(DecimalText.grouped(count)) \(count == 1 ? one : many)"
  }

  // MARK: Notes

  /// Where tracks and regions lie, for a run that found no event.
  func emptyNote(_ index: RegionIndex, _ lastCoordinates: [Coordinate]) -> String? {
    guard events == 0, held == 0 else { return nil }
    if totals.fixes == 0 { return "no events: there are no fixes" }
    guard let bounds = index.details().bounds else { return "no events: there are no regions" }
    let extent = totals.extent
    let regions = CoordinateExtent(
      south: bounds.south, west: bounds.west, north: bounds.north, east: bounds.east)
    var text =
      "no events: the fixes lie in \(Self.text(extent)), the centres of the regions in \(Self.text(regions))"
    // The nearest of a thousand devices tells enough.
    var nearest: Neighbor?
    for coordinate in lastCoordinates {
      guard let found = try? index.nearest(1, to: coordinate).first.map({ $0.neighbor }) else { continue }
      if found.distance < nearest?.distance ?? .infinity { nearest = found }
    }
    if let nearest {
      let name = index.identifier(of: nearest.ordinal)
      text +=
        nearest.distance > 0
        ? "; the region nearest to a device's last fix is \(name), \(Self.distance(nearest.distance)) away"
        : "; a device's last fix is inside \(name), as its first one was"
    }
    let swapped = CoordinateExtent(
      south: extent.west, west: extent.south, north: extent.east, east: extent.north)
    if swapped.south >= -90, swapped.north <= 90, !Self.meet(extent, regions), Self.meet(swapped, regions) {
      text +=
        "; with latitude and longitude swapped the fixes would lie among the regions: they may be swapped in the tracks "
        + "or in the regions"
    }
    return text
  }

  /// How much did not count, where that is more than a tenth.
  var droppedNote: String? {
    let rows = totals.fixes + totals.dropped
    guard totals.dropped + totals.warnings > rows / 10, totals.dropped + totals.warnings > 0 else {
      return nil
    }
    let share = DecimalText.string(100 * Double(totals.dropped) / Double(max(rows, 1)), decimals: 1)
    return
      "of \(Self.count(rows, "row", "rows")) with \(Self.count(devices, "device", "devices")), "
      + "\(DecimalText.grouped(totals.dropped)) (\(share) %) were dropped"
      + (totals.warnings > 0 ? ", and there are \(Self.count(totals.warnings, "warning", "warnings"))" : "")
  }

  /// What gaps hide, where there are more than a few.
  func gapNote(maximumGap: Double) -> String? {
    guard totals.gaps >= 10 || totals.gaps > 0 && totals.gaps * 10 >= totals.steps else { return nil }
    let share = DecimalText.string(100 * Double(totals.gaps) / Double(max(totals.steps, 1)), decimals: 1)
    return
      "\(DecimalText.grouped(totals.gaps)) of \(Self.count(totals.steps, "step", "steps")) between fixes (\(share) %) take "
      + "longer than --max-gap \(maximumGap.formatted) seconds: a visit that begins and ends within one is missed, and an "
      + "entry or exit is inferred (\(DecimalText.grouped(inferred)) of the events), at the fix after it"
  }

  private var heldNote: String? {
    guard held > 0 else { return nil }
    return "\(Self.count(held, "event", "events")) held back, which the next batch may precede (--in-order)"
  }

  // MARK: Words

  private static func text(_ extent: CoordinateExtent) -> String {
    func degrees(_ value: Double) -> String { DecimalText.string(value, decimals: 4) }
    return "latitude \(degrees(extent.south)) to \(degrees(extent.north)), "
      + "longitude \(degrees(extent.west)) to \(degrees(extent.east))"
  }

  private static func distance(_ metres: Double) -> String {
    metres < 10_000
      ? "\(DecimalText.grouped(Int(metres.rounded()))) m"
      : "\(DecimalText.grouped(Int((metres / 1000).rounded()))) km"
  }

  /// Whether two extents have a position in common; where one crosses the antimeridian, its longitudes are not compared.
  private static func meet(_ a: CoordinateExtent, _ b: CoordinateExtent) -> Bool {
    guard a.south <= b.north, b.south <= a.north else { return false }
    return a.west > a.east || b.west > b.east || a.west <= b.east && b.west <= a.east
  }
}

extension Double {
  /// Without decimals where there are none.
  fileprivate var formatted: String { self == rounded() && magnitude < 1e15 ? "\(Int(self))" : "\(self)" }
}
