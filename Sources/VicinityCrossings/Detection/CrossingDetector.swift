public import VicinityGeodesy
public import VicinityIndex

/// Every entry into and exit from the regions of an index, for one device.
///
///     var detector = try CrossingDetector(index)
///     for fix in track {
///       for crossing in try detector.advance(to: fix) { print(crossing) }
///     }
///
/// All crossings up to a fix are certain once the detector has been given that fix, and are reported then, in
/// the order of time and, at equal times, of region ordinals. Nothing becomes certain only later, so there is
/// nothing to finish: a dwell event after the last fix is not known to happen.
///
/// - The state at the first fix causes no event.
/// - Entries and exits of a region alternate.
/// - Excursions over a boundary no deeper than 1 mm may be omitted.
/// - An exact repeat of the last fix is dropped, as is a fix of negative accuracy.
///
/// Under other rules than the geometric one (``CrossingOptions/rule``), crossings are decided at fixes: see
/// <doc:Rules>. For many devices in one stream, see ``Fleet``: the same crossings.
public struct CrossingDetector: ~Copyable {
  public let index: RegionIndex
  /// How crossings are decided.
  public let options: CrossingOptions
  /// Fixes taken and dropped.
  public private(set) var counts = FixCounts()

  private let engine: CrossingEngine
  private var state = DeviceState()
  private var neighborhood = Neighborhood()
  private var scratch = DetectorScratch()

  /// A detector for a device that has not been seen yet.
  ///
  /// - Throws: ``CrossingOptionsError``.
  public init(
    _ index: RegionIndex, options: CrossingOptions = CrossingOptions()
  ) throws(CrossingOptionsError) {
    engine = CrossingEngine(.packed(index), validated: try options.validated())
    self.index = index
    self.options = options
  }

  deinit {
    var state = state
    state.deallocate()
  }

  /// The ordinals of the regions that the device is in at its last fix by the rule, ascending.
  public var occupied: [Int] { state.occupied }

  /// When the device was last seen; `nil` before the first fix.
  public var lastTime: Timestamp? { state.isSeen ? Timestamp(microseconds: state.time) : nil }

  /// Where the device was last seen; `nil` before the first fix.
  public var lastCoordinate: Coordinate? { state.isSeen ? state.coordinate : nil }

  /// Forgets the device, for the beginning of another track. Counts go on, and memory is kept.
  public mutating func reset() { state.deallocate() }

  /// Breaks the track before the next fix: what ``Fleet/breakTrack(of:before:since:)`` does.
  public mutating func breakTrack(before next: Timestamp, since: Timestamp? = nil) {
    state.breakTrack(since: since?.microseconds ?? .max, before: next.microseconds, delay: engine.delay)
  }

  /// Moves the device to its next fix.
  ///
  /// - Returns: The crossings on the leg, in order.
  /// - Throws: ``TrackError``; the detector stays as it was then.
  /// - Complexity: O(1) while no boundary can have been reached, O(log n + regions nearby) otherwise.
  public mutating func advance(to fix: Fix) throws(TrackError) -> [Crossing] {
    var crossings: [Crossing] = []
    try advance(to: fix, into: &crossings)
    return crossings
  }

  /// Moves the device to its next fix and appends the crossings.
  ///
  /// A warm detector allocates nothing beyond what `crossings` needs.
  ///
  /// - Throws: ``TrackError``; the detector stays as it was then.
  public mutating func advance(to fix: Fix, into crossings: inout [Crossing]) throws(TrackError) {
    if state.skipIfUnaffected(fix, usesDisc: engine.usesDisc) {
      counts.fixes += 1
      return
    }
    try engine.advance(to: fix, &state, &counts, &neighborhood, &scratch, &crossings)
  }

  /// Moves the device along many fixes and appends the crossings.
  ///
  /// An array has a `span` from iOS 26 and macOS 26 on; before, and on every system,
  /// `fixes[0..<fixes.count].span` does.
  ///
  /// - Throws: ``LocatedTrackError`` for the first fix that is refused; the fixes before it have been taken,
  ///   and their crossings appended.
  public mutating func advance(
    through fixes: Span<Fix>, into crossings: inout [Crossing]
  ) throws(LocatedTrackError) {
    try engine.advance(through: fixes, &state, &counts, &neighborhood, &scratch, &crossings)
  }

  // MARK: States

  /// A detector for a device of which only the regions are known that it was reported to be in: the next fix
  /// reports what has changed since.
  ///
  /// - Parameters:
  ///   - occupied: The regions' ordinals; those that the index does not have are left out.
  ///   - time: A time that no later fix is before.
  /// - Precondition: `options.dwell` is nil.
  package init(
    _ index: RegionIndex, options: CrossingOptions, occupied: [Int], at coordinate: Coordinate,
    time: Timestamp
  ) throws(CrossingOptionsError) {
    precondition(options.dwell == nil, "the times of stays are not known")
    try self.init(index, options: options)
    state.move(to: coordinate, at: time.microseconds)
    for ordinal in Set(occupied).filter({ $0 >= 0 && $0 < index.count }).sorted() {
      state.insert(UInt32(ordinal), due: nil)
    }
  }

  /// How many regions the device is reported to be in.
  package var occupiedCount: Int { Int(state.occupiedCount) }

  /// Whether it is known of every region on which side of its boundary the device is reported to be.
  package var isSettled: Bool {
    guard state.isSeen, state.nextDue != .min else { return false }
    return !(0..<Int(state.watchCount)).contains {
      state.watch(at: $0, hasDues: options.dwell != nil).since == RuleState.unknown
    }
  }
}
