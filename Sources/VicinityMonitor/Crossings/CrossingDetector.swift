public import VicinityGeodesy
public import VicinityIndex

/// Every entry into and exit from the regions of an index, for one device.
///
///     var detector = try CrossingDetector(index)
///     for fix in track {
///       for crossing in try detector.advance(to: fix) { print(crossing) }
///     }
///
/// All crossings up to a fix are certain once the detector has been given that fix, and are reported then, in order of
/// their true instants and, at equal ones, of region ordinals. Nothing becomes certain only later, so there is nothing
/// to finish: a dwell event that would fall after the last fix is not known to happen.
///
/// - The state at the first fix causes no event.
/// - Entries and exits of a region alternate.
/// - Excursions over a boundary no deeper than 1 mm may be omitted.
/// - An exact repeat of the last fix is dropped, as is a fix of negative accuracy.
///
/// For many devices in one stream, see ``Fleet``: the same crossings.
public struct CrossingDetector: ~Copyable {
  /// The regions.
  public let index: RegionIndex
  /// How crossings are decided.
  public let options: CrossingOptions
  /// Fixes taken and dropped.
  public private(set) var counts = FixCounts()

  /// A detector for a device that has not been seen yet.
  ///
  /// - Throws: ``CrossingOptionsError``.
  public init(
    _ index: RegionIndex, options: CrossingOptions = CrossingOptions()
  ) throws(CrossingOptionsError) {
    self.index = index
    self.options = try options.validated()
  }

  /// The ordinals of the regions that contain the device at its last fix, ascending.
  public var occupied: [Int] { [] }

  /// When the device was last seen; `nil` before the first fix.
  public var lastTime: Timestamp? { nil }

  /// Where the device was last seen; `nil` before the first fix.
  public var lastCoordinate: Coordinate? { nil }

  /// Forgets the device, for the beginning of another track. Counts go on.
  public mutating func reset() {}

  /// Moves the device to its next fix.
  ///
  /// - Returns: The crossings on the way, in order.
  /// - Throws: ``TrackError``; the detector stays as it was then.
  /// - Complexity: O(1) while no boundary can have been reached, O(log n + regions nearby) otherwise.
  public mutating func advance(to fix: Fix) throws(TrackError) -> [Crossing] {
    var crossings: [Crossing] = []
    try advance(to: fix, into: &crossings)
    return crossings
  }

  /// Moves the device to its next fix and appends the crossings on the way.
  ///
  /// Allocates nothing when there are none and the device is not farther from its last fixes than usual.
  public mutating func advance(to fix: Fix, into crossings: inout [Crossing]) throws(TrackError) {
    counts.fixes += 1
  }

  /// Moves the device along many fixes and appends the crossings on the way.
  ///
  /// - Throws: ``LocatedTrackError`` for the first fix that is refused; the fixes before it have been taken, and their
  ///   crossings appended.
  public mutating func advance(
    through fixes: Span<Fix>, into crossings: inout [Crossing]
  ) throws(LocatedTrackError) {
    for i in fixes.indices {
      do {
        try advance(to: fixes[i], into: &crossings)
      } catch {
        throw LocatedTrackError(index: i, error: error)
      }
    }
  }
}
