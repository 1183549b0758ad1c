public import VicinityGeodesy

/// A device entering a region, leaving it, or having stayed in it.
///
/// Between two fixes the device is taken to move along the geodesic, the shortest path, at constant speed. An
/// entry or exit is the instant at which the boundary distance passes zero on that path; inside means a
/// boundary distance of zero or less. Under the rules that decide at fixes (<doc:Rules>), time and position
/// are those of the fix that decided.
public struct Crossing: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The device entered the region.
    case enter
    /// The device left the region.
    case exit
    /// The device has been inside for the loitering delay.
    case dwell
  }

  /// The region's ordinal in the index.
  public var region: Int
  public var kind: Kind
  /// When, to the microsecond.
  public var time: Timestamp
  /// Where, degrees: on the boundary to 1e-6 m for circles and 1e-3 m for polygons, to 1e-9 degrees.
  public var coordinate: Coordinate
  /// The gap between fixes, when it was too long to tell what happened in between: somewhere within this
  /// interval. Time and position are then those of the fix that ended the gap.
  public var inferred: ClosedRange<Timestamp>?

  /// Whether a gap between fixes hides the instant.
  @inlinable
  public var isInferred: Bool { inferred != nil }

  @inlinable
  public init(
    region: Int, kind: Kind, time: Timestamp, coordinate: Coordinate,
    inferred: ClosedRange<Timestamp>? = nil
  ) {
    self.region = region
    self.kind = kind
    self.time = time
    self.coordinate = coordinate
    self.inferred = inferred
  }
}
