public import VicinityGeodesy
public import VicinityIndex

/// Every entry and exit of many devices whose fixes come in one stream.
///
///     var fleet = try Fleet(index)
///     var names = DeviceNames()
///     for (device, fix) in stream {
///       let number = names.number(of: device)
///       fleet.reserveDevices(names.count)
///       try fleet.advance(number, to: fix, into: &crossings)
///     }
///
/// The crossings are those that a ``CrossingDetector`` for each device reports. A device takes at most 300 bytes with up
/// to 16 occupied regions, and 4 bytes for each further one (12 with dwell events). Devices are dense numbers from zero;
/// their names are kept apart (``DeviceNames``).
public struct Fleet: ~Copyable {
  /// The regions.
  public let index: RegionIndex
  /// How crossings are decided.
  public let options: CrossingOptions
  /// Fixes taken and dropped, of all devices.
  public private(set) var counts = FixCounts()
  /// How many devices there are: numbers 0 ..< `deviceCount`.
  public private(set) var deviceCount = 0

  /// A fleet of devices that have not been seen yet.
  ///
  /// - Throws: ``CrossingOptionsError``.
  public init(
    _ index: RegionIndex, options: CrossingOptions = CrossingOptions(), deviceCount: Int = 0
  ) throws(CrossingOptionsError) {
    self.index = index
    self.options = try options.validated()
    self.deviceCount = max(0, deviceCount)
  }

  /// Makes sure that there are at least `count` devices; new ones have not been seen yet.
  public mutating func reserveDevices(_ count: Int) { deviceCount = max(deviceCount, count) }

  /// Moves a device to its next fix and appends the crossings on the way.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  /// - Throws: ``TrackError``; the device stays as it was then.
  public mutating func advance(
    _ device: Int, to fix: Fix, into crossings: inout [Crossing]
  ) throws(TrackError) {
    counts.fixes += 1
  }

  /// The ordinals of the regions that contain a device at its last fix, ascending.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  public func occupied(by device: Int) -> [Int] { [] }

  /// When a device was last seen; `nil` before its first fix.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  public func lastTime(of device: Int) -> Timestamp? { nil }

  /// Where a device was last seen; `nil` before its first fix.
  ///
  /// - Precondition: `0 <= device < deviceCount`.
  public func lastCoordinate(of device: Int) -> Coordinate? { nil }

  /// How many bytes the state of all devices takes.
  public var stateByteCount: Int { 0 }
}
