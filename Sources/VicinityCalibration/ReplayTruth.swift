internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinitySimulation

/// Where a phone was during a range, as far as it is known, made ready to be replayed.
///
/// The reference covers trips alone, and begins a minute into them. In between the phone is taken to have stayed where it was
/// last known to be until the next trip is said to have begun; a control phone's fixes, where there are any, fill a trip's
/// first minute. A range without a truth is one place.
struct ReplayTruth: Sendable {
  /// Fixes of a control phone are trusted up to this accuracy, metres, and taken every so many seconds.
  private static let controlAccuracy: Meters = 10
  private static let controlSpacing = 5.0
  /// Gaps in the reference beyond this many seconds are no truth to compare with.
  static let longestGap = 10.0

  let track: TrueTrack
  /// The times that are truth, as the reference has them.
  private let known: [Double]

  init(_ range: MeasuredRange, in measurements: Measurements) throws(SimulationError) {
    var places = measurements.truth[range.run] ?? []
    if places.isEmpty { places = [MeasuredPlace(time: range.start, coordinate: Self.site(range))] }
    known = places.filter { !$0.isSuspect }.map(\.time)
    for trip in measurements.trips[range.run] ?? [] {
      let first = places.first { $0.time > trip.lowerBound }?.time ?? trip.upperBound
      var last = -Double.infinity
      for fix in Self.control(range, measurements)
      where fix.time > trip.lowerBound - 60 && fix.time < first - 1 && fix.accuracy <= Self.controlAccuracy {
        guard fix.time - last >= Self.controlSpacing else { continue }
        last = fix.time
        places.append(MeasuredPlace(time: fix.time, coordinate: fix.coordinate))
      }
    }
    places.sort { $0.time < $1.time }
    var fixes: [Fix] = []
    func add(_ time: Double, _ place: Coordinate) {
      let stamp = Timestamp(microseconds: Int64((time * 1e6).rounded()))
      if let last = fixes.last, last.time >= stamp { return }
      fixes.append(Fix(time: stamp, coordinate: place))
    }
    let starts = (measurements.trips[range.run] ?? []).map(\.lowerBound)
    for (index, place) in places.enumerated() {
      if index == 0 {
        add(min(range.start, place.time - 1), place.coordinate)
      } else {
        let before = places[index - 1]
        // A trip begins between the two: the phone stays until then.
        for start in starts where start > before.time + 60 && start < place.time {
          add(start, before.coordinate)
        }
      }
      add(place.time, place.coordinate)
    }
    if let last = places.last { add(range.end, last.coordinate) }
    track = try TrueTrack(fixes)
  }

  /// Where a phone lay: the median of what it delivered, or anywhere.
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

  /// Seconds on the move between two times.
  func movingSeconds(from start: Double, to end: Double) -> Double {
    var still = 0.0
    for stay in track.stays {
      still += max(0, min(end, stay.end.seconds) - max(start, stay.start.seconds))
    }
    // Before and after the track the phone stands.
    still += max(0, min(end, track.start.seconds) - start) + max(0, end - max(start, track.end.seconds))
    return max(0, end - start - still)
  }

  /// Whether the truth is known around a time.
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

  /// The part of the track between two times.
  func part(from start: Double, to end: Double) throws(SimulationError) -> TrueTrack {
    var cursor = TruthCursor(track)
    var fixes: [Fix] = []
    let first = Timestamp(microseconds: Int64((start * 1e6).rounded()))
    let last = Timestamp(microseconds: Int64((end * 1e6).rounded()))
    fixes.append(Fix(time: first, coordinate: cursor.state(at: first).place))
    for (time, place) in zip(track.times, track.places)
    where time > first.microseconds && time < last.microseconds {
      fixes.append(Fix(time: Timestamp(microseconds: time), coordinate: place))
    }
    if last > first { fixes.append(Fix(time: last, coordinate: cursor.state(at: last).place)) }
    return try TrueTrack(fixes)
  }
}
