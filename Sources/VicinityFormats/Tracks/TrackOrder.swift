public import VicinityCrossings
public import VicinityGeodesy

/// Whether each fix may follow the one before of its device: the rules of time that a detector relies on.
///
/// - A fix of negative accuracy is not valid; nothing is compared with it.
/// - A fix at the time and place of the last accepted one repeats it.
/// - A fix at its time and another place, or before it, is out of order.
///
/// 24 bytes for each device.
public struct TrackOrder: Sendable {
  /// What becomes of a fix.
  public enum Verdict: Hashable, Sendable {
    /// It follows the fix before.
    case accepted
    /// It repeats the fix before; to be dropped and counted.
    case repeated
    /// Its accuracy is negative; to be dropped and counted.
    case invalid
    /// It is at the time of the fix before, at another place.
    case conflicting
    /// It is earlier than the fix before.
    case backwards
  }

  /// The last accepted fix of a device.
  public struct Last: Hashable, Sendable {
    /// When it was.
    public var time: Timestamp
    /// Where it was; a latitude that is no number says that there was none.
    public var coordinate: Coordinate

    /// The last accepted fix of a device.
    public init(time: Timestamp, coordinate: Coordinate) {
      self.time = time
      self.coordinate = coordinate
    }

    static let none = Last(
      time: Timestamp(microseconds: .min), coordinate: Coordinate(latitude: .nan, longitude: .nan))

    /// The verdict on `fix` as the next of this device; the fix before stays what it is.
    @inline(__always)
    public func verdict(on fix: Fix) -> Verdict {
      if fix.horizontalAccuracy < 0 { return .invalid }
      if fix.time > time || coordinate.latitude.isNaN { return .accepted }
      if fix.time < time { return .backwards }
      return fix.coordinate == coordinate ? .repeated : .conflicting
    }
  }

  private var lasts: [Last] = []

  /// An order in which no device has had a fix.
  public init() {}

  /// The verdict on `fix` as the next of device `device`; an accepted fix becomes the one before.
  ///
  /// - Precondition: `device >= 0`.
  /// - Complexity: O(1), amortised
  @inline(__always)
  public mutating func admit(_ fix: Fix, device: Int) -> Verdict {
    if device >= lasts.count { grow(to: device + 1) }
    let verdict = lasts[device].verdict(on: fix)
    if verdict == .accepted { lasts[device] = Last(time: fix.time, coordinate: fix.coordinate) }
    return verdict
  }

  /// The last accepted fix of a device; `nil` where there is none. To be set when a run is taken up again.
  public subscript(device: Int) -> Last? {
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
