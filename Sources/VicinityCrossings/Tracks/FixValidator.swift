package import VicinityGeodesy

/// Checks that every fix of a device can follow the one before.
///
/// This is the only place where fixes are checked. Whoever has checked a fix hands it on to what takes
/// validated fixes, such as ``CrossingDetector/advance(toValidated:into:)``.
package struct FixValidator: Sendable {
  /// What a fix is, if it is not an error.
  package enum Verdict: Hashable, Sendable {
    /// The next fix of the track.
    case accepted
    /// An exact repeat of the last fix, to be dropped.
    case repeated
    /// A fix of negative accuracy, to be dropped.
    case invalid
  }

  package private(set) var counts = FixCounts()
  /// When the last fix was made; nil before the first.
  package var lastTime: Timestamp?
  private var lastCoordinate = Coordinate(latitude: .nan, longitude: .nan)

  package init() {}

  /// Accepts a fix as the last one, or drops it.
  ///
  /// - Returns: Whether the fix was accepted.
  /// - Throws: ``TrackError`` for a fix that cannot follow the last one; nothing has changed then.
  package mutating func accept(_ fix: Fix) throws(TrackError) -> Bool {
    let verdict = try Self.check(fix, after: lastTime, at: lastCoordinate)
    counts.count(verdict)
    guard verdict == .accepted else { return false }
    (lastTime, lastCoordinate) = (fix.time, fix.coordinate)
    return true
  }

  /// Checks a fix.
  ///
  /// - Parameters:
  ///   - lastTime: When the fix before was made; nil for a first fix.
  ///   - lastCoordinate: Where the fix before was made; not used for a first fix.
  /// - Throws: ``TrackError`` for a fix that cannot follow the one before.
  @inline(__always)
  package static func check(
    _ fix: Fix, after lastTime: Timestamp?, at lastCoordinate: Coordinate
  ) throws(TrackError) -> Verdict {
    if fix.horizontalAccuracy < 0 { return .invalid }
    guard !fix.horizontalAccuracy.isNaN else {
      throw .invalidAccuracy(fix.horizontalAccuracy, at: fix.time)
    }
    guard fix.coordinate.isValid else { throw .invalidCoordinate(fix.coordinate, at: fix.time) }
    guard let lastTime, fix.time <= lastTime else { return .accepted }
    guard fix.time == lastTime else { throw .timeBackwards(fix.time, after: lastTime) }
    // Of a fix that an earlier process had only the time is known.
    guard lastCoordinate.latitude.isNaN || lastCoordinate.isSamePosition(as: fix.coordinate) else {
      throw .twoPlaces(lastCoordinate, fix.coordinate, at: fix.time)
    }
    return .repeated
  }
}
