public import VicinityGeodesy
public import VicinityPolygon

/// Regions in columns. Readers fill it, and indexes are built from it.
///
/// A million `Region` values with a million `String`s cost more to make than an index over them costs
/// to build; a set keeps centres, radii and the identifiers' bytes in three growing arrays instead. The
/// order of appending is the order of ordinals, which breaks exact ties in every query.
///
///     var set = RegionSet()
///     try set.append(Region(identifier: "home", center: home, radius: 100))
///     let index = try RegionIndex(set)
///
/// Identifiers are not checked for duplicates here: ``RegionIndex`` does that once, and its error names both
/// regions.
public struct RegionSet: Sendable {
  /// Centres of circles; for polygons the centre of the bounding circle.
  @usableFromInline package internal(set) var centers: [Coordinate] = []
  /// Radii of circles; for polygons the radius of the bounding circle.
  @usableFromInline package internal(set) var radii: [Meters] = []
  /// Polygons by ordinal, in ascending order of ordinals.
  @usableFromInline package internal(set) var polygons: [(ordinal: Int, polygon: Polygon)] = []
  /// The identifiers' UTF-8, one after the other.
  @usableFromInline package internal(set) var identifierBytes: [UInt8] = []
  /// Where each identifier ends in `identifierBytes`.
  @usableFromInline package internal(set) var identifierEnds: [UInt32] = []

  /// The most regions a set, and so an index, can hold.
  public static let maximumCount = Int(UInt32.max >> 1)
  /// The most bytes the identifiers of a set can take together.
  public static let maximumIdentifierByteCount = Int(UInt32.max)

  /// An empty set.
  public init() {}

  /// A set of `regions`, in their order.
  ///
  /// - Throws: ``RegionError`` for the first region that is invalid.
  /// - Complexity: O(n)
  public init(_ regions: some Sequence<Region>) throws(RegionError) {
    for region in regions { try append(region) }
  }

  /// How many regions the set holds.
  public var count: Int { radii.count }

  /// Makes room for `count` regions.
  public mutating func reserveCapacity(_ count: Int, identifierByteCount: Int? = nil) {
    centers.reserveCapacity(count)
    radii.reserveCapacity(count)
    identifierEnds.reserveCapacity(count)
    identifierBytes.reserveCapacity(identifierByteCount ?? count * 8)
  }

  /// Appends a region.
  ///
  /// - Throws: ``RegionError``; the set is unchanged then.
  /// - Complexity: amortised O(1) for circles, O(edges) for polygons.
  public mutating func append(_ region: Region) throws(RegionError) {
    switch region.shape {
    case .circle(let center, let radius):
      try appendCircle(identifier: region.identifier.utf8, center: center, radius: radius)
    case .polygon(let polygon):
      try checkRoom(forIdentifierOf: region.identifier.utf8.count)
      polygons.append((count, polygon))
      push(region.identifier.utf8, center: polygon.boundingCenter, radius: polygon.boundingRadius)
    }
  }

  /// Appends a circle whose identifier is UTF-8 in any collection of bytes, with no `String` made.
  ///
  /// Invalid UTF-8 is kept byte for byte and shows as replacement characters.
  ///
  /// - Throws: ``RegionError``; the set is unchanged then.
  /// - Complexity: amortised O(1)
  @inlinable
  public mutating func appendCircle(
    identifier: some Collection<UInt8>, center: Coordinate, radius: Meters
  ) throws(RegionError) {
    try Self.checkCircle(identifier, center, radius)
    try checkRoom(forIdentifierOf: identifier.count)
    push(identifier, center: center, radius: radius)
  }

  /// The identifier of the region with `ordinal`.
  ///
  /// - Precondition: `0 <= ordinal < count`.
  public func identifier(of ordinal: Int) -> String {
    let start = ordinal == 0 ? 0 : Int(identifierEnds[ordinal - 1])
    return String(decoding: identifierBytes[start..<Int(identifierEnds[ordinal])], as: UTF8.self)
  }

  /// Throws when a circle's centre or radius is out of range.
  @inlinable
  static func checkCircle(
    _ identifier: some Collection<UInt8>, _ center: Coordinate, _ radius: Meters
  ) throws(RegionError) {
    guard center.isValid else {
      throw .invalidCenter(identifier: String(decoding: identifier, as: UTF8.self), center)
    }
    guard radius >= 0, radius.isFinite else {
      throw .invalidRadius(identifier: String(decoding: identifier, as: UTF8.self), radius)
    }
  }

  /// Lets go of all identifiers; what remains has none.
  mutating func dropIdentifiers() {
    identifierBytes = []
    identifierEnds = []
  }

  @usableFromInline
  func checkRoom(forIdentifierOf byteCount: Int) throws(RegionError) {
    guard count < Self.maximumCount else {
      throw .tooManyRegions(count: count + 1, maximum: Self.maximumCount)
    }
    guard identifierBytes.count + byteCount <= Self.maximumIdentifierByteCount else {
      throw .identifiersTooLong(
        byteCount: identifierBytes.count + byteCount, maximum: Self.maximumIdentifierByteCount)
    }
  }

  @inlinable
  mutating func push(_ identifier: some Collection<UInt8>, center: Coordinate, radius: Meters) {
    centers.append(center)
    radii.append(radius)
    identifierBytes.append(contentsOf: identifier)
    identifierEnds.append(UInt32(truncatingIfNeeded: identifierBytes.count))
  }
}
