internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// The true track of a phone during a range, as far as it is known, for replays.
///
/// The reference covers trips only, from a minute after they begin. Between trips the phone is taken to stay
/// at its last known position until the next trip begins. The fixes of a control phone, if there are any,
/// fill the first minute of a trip. A range without a truth has a single position.
struct ReplayTruth: Sendable {
  /// A control phone's fix is used up to this accuracy, metres, and one in this many seconds.
  private static let controlAccuracy: Meters = 10
  private static let controlSpacing = 5.0
  /// A longer gap in the reference, seconds, is not compared with.
  static let longestGap = 10.0

  let track: TrueTrack
  /// The times at which the reference is known.
  private let known: [Double]

  init(_ range: MeasuredRange, in measurements: Measurements) throws(SimulationError) {
    var positions = measurements.truth[range.run] ?? []
    if positions.isEmpty { positions = [MeasuredPosition(time: range.start, coordinate: Self.site(range))] }
    known = positions.filter { !$0.isSuspect }.map(\.time)
    for trip in measurements.trips[range.run] ?? [] {
      let first = positions.first { $0.time > trip.lowerBound }?.time ?? trip.upperBound
      var last = -Double.infinity
      for fix in Self.control(range, measurements)
      where fix.time > trip.lowerBound - 60 && fix.time < first - 1 && fix.accuracy <= Self.controlAccuracy {
        guard fix.time - last >= Self.controlSpacing else { continue }
        last = fix.time
        positions.append(MeasuredPosition(time: fix.time, coordinate: fix.coordinate))
      }
    }
    positions.sort { $0.time < $1.time }
    var fixes: [Fix] = []
    func add(_ time: Double, _ position: Coordinate) {
      let stamp = Timestamp(microseconds: Int64((time * 1e6).rounded()))
      if let last = fixes.last, last.time >= stamp { return }
      fixes.append(Fix(time: stamp, coordinate: position))
    }
    let starts = (measurements.trips[range.run] ?? []).map(\.lowerBound)
    for (index, position) in positions.enumerated() {
      if index == 0 {
        add(min(range.start, position.time - 1), position.coordinate)
      } else {
        let before = positions[index - 1]
        // A trip begins between the two: the phone stays until then.
        for start in starts where start > before.time + 60 && start < position.time {
          add(start, before.coordinate)
        }
      }
      add(position.time, position.coordinate)
    }
    if let last = positions.last { add(range.end, last.coordinate) }
    track = try TrueTrack(fixes)
  }

  /// The position at which a phone lay: the median of its fixes, or an arbitrary one without fixes.
  private static func site(_ range: MeasuredRange) -> Coordinate {
    let good = range.fixes.filter { $0.accuracy <= 20 && $0.coordinate.isValid }
    guard let latitude = Sample(good.map(\.coordinate.latitude)).median,
      let longitude = Sample(good.map(\.coordinate.longitude)).median
    else { return Coordinate(latitude: 37.39, longitude: -122.08) }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func control(_ range: MeasuredRange, _ measurements: Measurements) -> [MeasuredFix] {
    let controls = measurements.ranges.filter {
      $0.run == range.run && $0.platform == .ios && !$0.isDutyCycled && $0.accuracy == .best
        && !$0.isStationary
    }
    return controls.first?.fixes ?? []
  }

  /// The seconds in motion between two times.
  func movingSeconds(from start: Double, to end: Double) -> Double {
    var still = 0.0
    for stay in track.stays {
      still += max(0, min(end, stay.end.seconds) - max(start, stay.start.seconds))
    }
    // Before and after the track the phone stands still.
    still += max(0, min(end, track.start.seconds) - start) + max(0, end - max(start, track.end.seconds))
    return max(0, end - start - still)
  }

  func isKnown(at time: Double) -> Bool {
    var low = 0
    var high = known.count
    while low < high {
      let middle = (low + high) / 2
      if known[middle] <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0, low < known.count else { return false }
    return known[low] - known[low - 1] <= Self.longestGap
  }

  func part(from start: Double, to end: Double) throws(SimulationError) -> TrueTrack {
    var cursor = TruthCursor(track)
    var fixes: [Fix] = []
    let first = Timestamp(microseconds: Int64((start * 1e6).rounded()))
    let last = Timestamp(microseconds: Int64((end * 1e6).rounded()))
    fixes.append(Fix(time: first, coordinate: cursor.position(at: first)))
    for (time, position) in zip(track.times, track.positions)
    where time > first.microseconds && time < last.microseconds {
      fixes.append(Fix(time: Timestamp(microseconds: time), coordinate: position))
    }
    if last > first { fixes.append(Fix(time: last, coordinate: cursor.position(at: last))) }
    return try TrueTrack(fixes)
  }
}
