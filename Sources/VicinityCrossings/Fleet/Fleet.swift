public import VicinityGeodesy
public import VicinityIndex

/// Every entry and exit of many devices whose fixes come in one stream.
///
///     var fleet = try Fleet(index)
///     var names = DeviceNames()
///     for (device, fix) in stream {
///       let number = names.insert(device)
///       fleet.reserveDevices(names.count)
///       try fleet.advance(number, to: fix, into: &crossings)
///     }
///
/// The crossings are those that a ``CrossingDetector`` for each device reports. A device takes at most 300
/// bytes with up to 16 occupied regions, and 4 bytes for each further one (with dwell events 12, four at a
/// time; an eighth more from 4096 on). Rules other than the geometric one need more while something is
/// pending: <doc:Rules>. Devices are dense numbers from zero; their names are kept apart (``DeviceNames``).
@safe public struct Fleet: ~Copyable {
  public let index: RegionIndex
  /// How crossings are decided.
  public let options: CrossingOptions
  /// Fixes taken and dropped, of all devices.
  public internal(set) var counts = FixCounts()
  /// How the regions differ from those of the snapshot that the fleet was restored from; nil where that was
  /// of the same index, or where there was none.
  public internal(set) var regionChanges: RegionChanges?
  /// How many devices there are: numbers 0 ..< `deviceCount`.
  public private(set) var deviceCount = 0

  let engine: CrossingEngine
  private var states: UnsafeMutablePointer<DeviceState>
  private var capacity: Int
  /// Neighbourhoods: a device's own while there are no more devices than this, shared beyond.
  private var neighborhoods: UnsafeMutablePointer<Neighborhood>
  private var neighborhoodCount = 0
  private var scratch = DetectorScratch()

  /// About three megabytes of neighbourhoods.
  private static let mostNeighborhoods = 1024

  /// A fleet of devices that have not been seen yet.
  ///
  /// - Throws: ``CrossingOptionsError``.
  public init(
    _ index: RegionIndex, options: CrossingOptions = CrossingOptions(), deviceCount: Int = 0
  ) throws(CrossingOptionsError) {
    self.init(
      index, CrossingEngine(.packed(index), validated: try options.validated()), options,
      deviceCount: deviceCount)
  }

  init(
    _ index: RegionIndex, _ engine: consuming CrossingEngine, _ options: CrossingOptions, deviceCount: Int
  ) {
    self.index = index
    self.engine = engine
    self.options = options
    capacity = max(16, deviceCount)
    unsafe states = .allocate(capacity: capacity)
    unsafe neighborhoods = .allocate(capacity: Self.mostNeighborhoods)
    reserveDevices(deviceCount)
  }

  deinit {
    for i in 0..<deviceCount { unsafe states[i].deallocate() }
    unsafe states.deallocate()
    unsafe neighborhoods.deinitialize(count: neighborhoodCount)
    unsafe neighborhoods.deallocate()
  }

  /// How many bytes the neighbourhoods take.
  var neighborhoodByteCount: Int {
    var sum = 0
    for i in 0..<neighborhoodCount { sum += unsafe neighborhoods[i].byteCount }
    return sum
  }

  /// Makes sure that there are at least `count` devices; new ones have not been seen yet.
  ///
  /// - Complexity: amortised O(new devices)
  public mutating func reserveDevices(_ count: Int) {
    guard count > deviceCount else { return }
    if count > capacity {
      // By a quarter, so that little is held for devices that never come.
      let newCapacity = max(count, capacity + capacity / 4)
      let new = UnsafeMutablePointer<DeviceState>.allocate(capacity: newCapacity)
      unsafe new.moveInitialize(from: states, count: deviceCount)
      unsafe states.deallocate()
      unsafe states = new
      capacity = newCapacity
    }
    unsafe (states + deviceCount).initialize(repeating: DeviceState(), count: count - deviceCount)
    deviceCount = count
    while neighborhoodCount < min(count, Self.mostNeighborhoods) {
      unsafe (neighborhoods + neighborhoodCount).initialize(to: Neighborhood())
      neighborhoodCount += 1
    }
  }

  /// Moves a device to its next fix and appends the crossings on the way.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  /// - Throws: ``TrackError``; the device stays as it was then.
  /// - Complexity: O(1) while no boundary can have been reached, O(log n + regions nearby) otherwise.
  public mutating func advance(
    _ device: Int, to fix: Fix, into crossings: inout [Crossing]
  ) throws(TrackError) {
    check(device)
    if unsafe states[device].skipIfUnaffected(fix, usesDisc: engine.usesDisc) {
      counts.fixes += 1
      return
    }
    unsafe try engine.advance(
      to: fix, &states[device], &counts, &neighborhoods[device % Self.mostNeighborhoods], &scratch, &crossings
    )
  }

  /// Moves a device along many fixes and appends the crossings: what ``advance(_:to:into:)`` does for one
  /// after the other, with stretches that no boundary is near taken at once.
  ///
  /// An array has a `span` from iOS 26 and macOS 26 on; before, and on every system,
  /// `fixes[0..<fixes.count].span` does.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  /// - Throws: ``LocatedTrackError`` for the first fix that is refused; the fixes before it have been taken,
  ///   and their crossings appended.
  public mutating func advance(
    _ device: Int, through fixes: Span<Fix>, into crossings: inout [Crossing]
  ) throws(LocatedTrackError) {
    check(device)
    unsafe try engine.advance(
      through: fixes, &states[device], &counts, &neighborhoods[device % Self.mostNeighborhoods], &scratch,
      &crossings)
  }

  /// Whether ``takeBeginnings()`` is to tell anything.
  package var recordsBeginnings: Bool {
    get { scratch.recordsBeginnings }
    set { scratch.recordsBeginnings = newValue }
  }

  /// The regions that devices are in at the first fix that shows it, as if they were entered there; since the
  /// last call, in the order of finding.
  package mutating func takeBeginnings() -> [Crossing] {
    if scratch.beginnings.isEmpty { return [] }
    defer { scratch.beginnings.removeAll(keepingCapacity: true) }
    return scratch.beginnings
  }

  /// Breaks a device's track before its next fix: what happens in between is not known, and what has changed
  /// is reported as inferred.
  ///
  /// To be called right before that fix is given: a snapshot does not keep the break. Nothing happens for a
  /// device not yet seen.
  ///
  /// - Parameters:
  ///   - device: A device's number.
  ///   - next: When the next fix is; it may be earlier than the last one, which was wrong then.
  ///   - since: Since when nothing is known; `nil` for since the last fix.
  /// - Precondition: `0 <= device < deviceCount`.
  /// - Complexity: O(1); with dwell events O(occupied regions) where time goes back.
  public mutating func breakTrack(of device: Int, before next: Timestamp, since: Timestamp? = nil) {
    check(device)
    unsafe states[device].breakTrack(
      since: since?.microseconds ?? .max, before: next.microseconds, delay: engine.delay)
  }

  /// The ordinals of the regions that a device is in at its last fix by the rule, ascending.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  public func occupied(by device: Int) -> [Int] { state(of: device).occupied }

  /// When a device was last seen; `nil` before its first fix.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  public func lastTime(of device: Int) -> Timestamp? {
    let state = state(of: device)
    return state.isSeen ? Timestamp(microseconds: state.time) : nil
  }

  /// Where a device was last seen; `nil` before its first fix.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  public func lastCoordinate(of device: Int) -> Coordinate? {
    let state = state(of: device)
    return state.isSeen ? state.coordinate : nil
  }

  /// How many bytes the state of all devices takes, room for devices to come included; the neighbourhoods,
  /// some kilobytes for each of at most 1024, are not.
  ///
  /// - Complexity: O(devices)
  public var stateByteCount: Int {
    var total = capacity * MemoryLayout<DeviceState>.stride
    for i in 0..<deviceCount {
      total += unsafe states[i].blockByteCount(hasDues: options.dwell != nil)
    }
    return total
  }

  /// A device's state; not to be kept.
  func state(of device: Int) -> DeviceState {
    check(device)
    return unsafe states[device]
  }

  /// Gives a device that has not been seen a state, and the block in it.
  mutating func setState(_ state: DeviceState, of device: Int) {
    check(device)
    unsafe states[device] = state
  }

  private func check(_ device: Int) {
    precondition(device >= 0 && device < deviceCount, "device \(device) is not in 0 ..< \(deviceCount)")
  }
}
