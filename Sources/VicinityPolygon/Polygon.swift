public import VicinityGeodesy

/// A polygon on the WGS84 ellipsoid: geodesic edges, possibly several parts, possibly holes.
///
///     let park = try Polygon(exterior: [a, b, c, d], holes: [[e, f, g]])
///     try park.signedBoundaryDistance(from: here)  // metres, negative inside
///
/// Either winding is welcome, and the closing vertex may be repeated or not. Rings across the antimeridian or
/// around a pole need nothing special: edges take the shortest way, and the inside of a ring is its smaller
/// side. The region is the union of the parts, each its exterior less its holes. Edges on the
/// antimeridian traversed in both directions (a region clipped there) are no boundary.
///
/// Rings must not cross themselves or each other, as geodesics, to within 1 mm. In longitude and latitude a
/// long edge bends: towards the pole, by up to 5 m for 15 km along the parallel of 48 degrees, and by 2 km
/// for 300 km.
///
/// Immutable, `Sendable`, and cheap to copy: it holds one buffer of packed bytes.
public struct Polygon: Hashable, Sendable {
  /// One exterior with its holes.
  public struct Part: Hashable, Sendable {
    /// The outer ring.
    public var exterior: [Coordinate]
    /// Rings whose insides are left out.
    public var holes: [[Coordinate]]

    /// A part from its rings.
    public init(exterior: [Coordinate], holes: [[Coordinate]] = []) {
      self.exterior = exterior
      self.holes = holes
    }
  }

  /// The radius given to a region that no circle smaller than a hemisphere encloses, metres.
  ///
  /// Twice the greatest distance there is, so that "distance to the centre less radius" bounds the signed
  /// boundary distance from below even there.
  package static let unboundedRadius: Meters = 40_008_000

  /// The packed bytes.
  package let blob: PolygonBlob
  /// The centre of a circle around the region.
  public let boundingCenter: Coordinate
  /// The radius of that circle, metres, rounded up.
  ///
  /// Every point of the region lies within it by geodesic distance, and `geodesic(position, boundingCenter) -
  /// boundingRadius` is nowhere above the signed boundary distance. 40 008 km for a region that no
  /// circle smaller than a hemisphere encloses.
  public let boundingRadius: Meters

  package init(blob: PolygonBlob) {
    self.blob = blob
    (boundingCenter, boundingRadius) = blob.withView { ($0.boundingCenter, $0.boundingRadius) }
  }

  /// A polygon of one part.
  ///
  /// - Parameters:
  ///   - exterior: three or more distinct vertices, degrees.
  ///   - holes: rings inside the exterior.
  /// - Throws: ``PolygonError`` naming what is wrong and where.
  /// - Complexity: O(n log n)
  public init(exterior: [Coordinate], holes: [[Coordinate]] = []) throws(PolygonError) {
    try self.init(parts: [Part(exterior: exterior, holes: holes)])
  }

  /// A polygon of several parts.
  ///
  /// - Throws: ``PolygonError`` naming what is wrong and where.
  /// - Complexity: O(n log n)
  public init(parts: [Part]) throws(PolygonError) {
    try self.init(parts: parts, meaning: .geodesic)
  }

  /// A polygon from rings that are known not to cross.
  ///
  /// - Parameter holds: Whether a place that is not near the boundary lies in the region, by another way than
  ///   the edges' directions; `nil` where that does not tell.
  package init(
    uncheckedParts parts: [Part], meaning: RingMeaning, holds: (Coordinate) -> Bool? = { _ in nil }
  ) throws(PolygonError) {
    try self.init(rings: try Self.cleaned(parts, meaning: meaning), holds: holds)
  }

  /// A polygon whose rings are taken in their own meaning; nothing is repaired.
  ///
  /// - Throws: ``PolygonError``, also for rings that cross.
  package init(parts: [Part], meaning: RingMeaning) throws(PolygonError) {
    let rings = try Self.cleaned(parts, meaning: meaning)
    if let (_, fault) = try Self.frameIfFaulty(parts, meaning: meaning) { throw fault }
    try self.init(rings: rings)
  }

  private init(
    rings: [CleanRing], holds: (Coordinate) -> Bool? = { _ in nil }
  ) throws(PolygonError) {
    var wound: [[Coordinate]] = []
    var areaBeyond = 0.0
    for ring in rings {
      wound.append(try ring.wound(interiorOnLeft: ring.place.ring == 0))
      if ring.place.ring == 0 { areaBeyond += ring.areaBeyond }
    }
    // What lies outside a circle smaller than a hemisphere is larger than half a sphere of the polar radius.
    let isSmall = areaBeyond < 2 * .pi * WGS84.b * WGS84.b
    self.init(
      blob: try PolygonBlob(chains: SeamCancellation.chains(of: wound)) { circle in
        if isSmall { return false }
        // The region holds all of what lies outside the circle or nothing of it, for there is no boundary
        // there. So one place tells. All are asked, because one that is drawn twice, such as beyond the end
        // of a cylinder, may be looked for at the wrong one of the two.
        let answers = circle.placesBeyond.compactMap(holds)
        return answers.isEmpty || answers.contains(true)
      })
  }

  private static func cleaned(_ parts: [Part], meaning: RingMeaning) throws(PolygonError) -> [CleanRing] {
    guard !parts.isEmpty else { throw .empty }
    var rings: [CleanRing] = []
    for (i, part) in parts.enumerated() {
      rings.append(try CleanRing(part.exterior, meaning: meaning, place: .init(part: i, ring: 0)))
      for (k, hole) in part.holes.enumerated() {
        rings.append(try CleanRing(hole, meaning: meaning, place: .init(part: i, ring: k + 1)))
      }
    }
    return rings
  }

  /// The boundary as oriented chains, the region on the left; closed ones repeat their first vertex.
  ///
  /// None for the whole Earth. The order is that of packing, not of the parts.
  package var chains: [[Coordinate]] { blob.withView { $0.chains } }

  /// How many geodesic edges the boundary has.
  public var edgeCount: Int { blob.withView { $0.edgeCount } }

  /// How many vertices the boundary has; a chain's repeated closing vertex counts once.
  public var vertexCount: Int {
    chains.reduce(0) { $0 + $1.count - ($1.first == $1.last ? 1 : 0) }
  }

  /// Signed geodesic distance from `position` to the boundary, metres: negative inside.
  ///
  /// Within 1 mm of ``bruteForceSignedBoundaryDistance(from:)``, which asks the reference about every edge.
  ///
  /// - Throws: `GeodesyError.invalidCoordinate`.
  /// - Complexity: O(log n) on boundaries as nature makes them; O(n) at worst. No allocation.
  public func signedBoundaryDistance(from position: Coordinate) throws(GeodesyError) -> Meters {
    let ecef = try ECEF(position)
    return blob.withView { $0.signedBoundaryDistance(from: position, ecef: ecef) }
  }

  /// Whether `position` lies in the region or on its boundary.
  ///
  /// - Throws: `GeodesyError.invalidCoordinate`.
  public func contains(_ position: Coordinate) throws(GeodesyError) -> Bool {
    try signedBoundaryDistance(from: position) <= 0
  }
}
