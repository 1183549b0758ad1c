package import VicinityCrossings
package import VicinityGeodesy

/// Decides whether each fix may follow the previous one of its device, as crossing detectors require.
///
/// - A fix of negative accuracy is invalid and is not compared with others.
/// - A fix at the time and coordinate of the last accepted one repeats it.
/// - A fix at the same time and another coordinate, or before that time, is out of order.
///
/// Takes 24 bytes for each device.
package struct TrackOrder: Sendable {
  /// The decision about a fix.
  package enum Verdict: Hashable, Sendable {
    /// It follows the previous fix.
    case accepted
    /// It repeats the previous fix; to be dropped and counted.
    case repeated
    /// Its accuracy is negative; to be dropped and counted.
    case invalid
    /// It has the time of the previous fix and another coordinate.
    case conflicting
    /// It is earlier than the previous fix.
    case backwards
  }

  /// The last accepted fix of a device.
  package struct Last: Hashable, Sendable {
    package var time: Timestamp
    /// The fix's coordinate; its latitude is NaN if there has been no fix.
    package var coordinate: Coordinate

    /// The last accepted fix of a device.
    package init(time: Timestamp, coordinate: Coordinate) {
      self.time = time
      self.coordinate = coordinate
    }

    static let none = Last(
      time: Timestamp(microseconds: .min), coordinate: Coordinate(latitude: .nan, longitude: .nan))

    @inline(__always)
    package func verdict(on fix: Fix) -> Verdict {
      if fix.horizontalAccuracy < 0 { return .invalid }
      if fix.time > time || coordinate.latitude.isNaN { return .accepted }
      if fix.time < time { return .backwards }
      return fix.coordinate == coordinate ? .repeated : .conflicting
    }
  }

  private var lasts: [Last] = []

  package init() {}

  /// The verdict on `fix` as the next of device `device`; an accepted fix becomes the last one.
  ///
  /// - Precondition: `device >= 0`.
  /// - Complexity: O(1), amortised
  @inline(__always)
  package mutating func admit(_ fix: Fix, device: Int) -> Verdict {
    if device >= lasts.count { grow(to: device + 1) }
    let verdict = lasts[device].verdict(on: fix)
    if verdict == .accepted { lasts[device] = Last(time: fix.time, coordinate: fix.coordinate) }
    return verdict
  }

  /// The last accepted fix of a device; `nil` if there is none. Set it to resume a run.
  package subscript(device: Int) -> Last? {
    get {
      guard device < lasts.count, !lasts[device].coordinate.latitude.isNaN else { return nil }
      return lasts[device]
    }
    set {
      if device >= lasts.count { grow(to: device + 1) }
      lasts[device] = newValue ?? .none
    }
  }

  @inline(never)
  private mutating func grow(to count: Int) {
    lasts.append(contentsOf: repeatElement(.none, count: count - lasts.count))
  }
}

extension TrackOrder {
  /// How many fixes of a batch were dropped.
  package struct Tally {
    package var repeats = 0
    package var invalid = 0
    package var conflicts = 0
  }

  /// Drops the fixes of `batch` that may not follow: repeats and invalid fixes silently, fixes out of order as bad rows.
  ///
  /// - Parameter dropsConflicts: Whether conflicting fixes are dropped and counted instead of being bad rows; for sorted
  ///   batches.
  /// - Complexity: O(fixes)
  package mutating func apply(
    to batch: inout TrackBatch, devices: DeviceNames, maximumDiagnostics: Int, dropsConflicts: Bool = false
  ) -> Tally {
    var tally = Tally()
    let fixes = batch.fixes
    var kept = 0
    var next = 0
    var runs: [TrackBatch.Run] = []
    // Most batches are in order, and then nothing is moved.
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
