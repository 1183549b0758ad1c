public import VicinityGeodesy

/// Why a fix cannot follow those before it.
public enum TrackError: Error, Sendable {
  /// The fix is older than the one before.
  case timeBackwards(Timestamp, after: Timestamp)
  /// The fix has the time of the one before and another position.
  case twoPlaces(Coordinate, Coordinate, at: Timestamp)
  /// A latitude that is NaN or beyond ±90 degrees, or a longitude that is not finite.
  case invalidCoordinate(Coordinate, at: Timestamp)
  /// An accuracy that is NaN.
  case invalidAccuracy(Meters, at: Timestamp)
}

extension TrackError: Hashable {
  // Two refusals are the same when they carry the same bits: NaN equals itself here, so that a test can state
  // the error it expects.
  private var bits: [UInt64] {
    func bits(_ c: Coordinate) -> [UInt64] { [c.latitude.bitPattern, c.longitude.bitPattern] }
    func bits(_ t: Timestamp) -> UInt64 { UInt64(bitPattern: t.microseconds) }
    switch self {
    case .timeBackwards(let time, let last): return [0, bits(time), bits(last)]
    case .twoPlaces(let a, let b, let time): return [1, bits(time)] + bits(a) + bits(b)
    case .invalidCoordinate(let c, let time): return [2, bits(time)] + bits(c)
    case .invalidAccuracy(let accuracy, let time): return [3, bits(time), accuracy.bitPattern]
    }
  }

  public static func == (a: TrackError, b: TrackError) -> Bool { a.bits == b.bits }

  public func hash(into hasher: inout Hasher) { hasher.combine(bits) }
}

extension TrackError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .timeBackwards(let time, let last): "time runs backwards: \(time) after \(last)"
    case .twoPlaces(let a, let b, let time): "two places at \(time): \(a) and \(b)"
    case .invalidCoordinate(let c, let time):
      "invalid coordinate at \(time): latitude \(c.latitude), longitude \(c.longitude)"
        + " (latitude must lie in -90...90, both must be finite)"
    case .invalidAccuracy(let accuracy, let time): "invalid accuracy at \(time): \(accuracy) m"
    }
  }
}

/// A ``TrackError`` and which of several fixes it was.
public struct LocatedTrackError: Error, Hashable, Sendable {
  /// The position of the refused fix among those given, from zero.
  public var index: Int
  /// Why it was refused.
  public var error: TrackError

  @inlinable
  public init(index: Int, error: TrackError) {
    self.index = index
    self.error = error
  }
}

extension LocatedTrackError: CustomStringConvertible {
  public var description: String { "fix \(index): \(error)" }
}
