package import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// A region's shape, read in place.
package enum RegionOutline {
  case circle(NearbyCircle)
  case polygon(NearbyPolygon)
}

package struct NearbyCircle {
  package var ordinal: UInt32
  package var center: Coordinate
  package var radius: Meters
}

extension NearbyCircle {
  init(_ record: RegionRecord) {
    self.init(ordinal: record.ordinal, center: record.center, radius: record.radius)
  }
}

/// A polygon of an index, and its boundary distance at the point where that was last computed.
@safe package struct NearbyPolygon {
  package let ordinal: UInt32
  let view: PolygonView
  /// Where the boundary distance was last computed.
  package private(set) var anchor: ECEF
  /// The signed boundary distance there, metres.
  package private(set) var distance: Meters

  /// A polygon, with its boundary distance from a point.
  init(ordinal: UInt32, view: PolygonView, from coordinate: Coordinate, _ ecef: ECEF) {
    self.init(
      ordinal: ordinal, view: view, anchor: ecef,
      distance: view.signedBoundaryDistance(from: coordinate, ecef: ecef))
  }

  /// A polygon whose boundary distance from a point is known.
  init(ordinal: UInt32, view: PolygonView, anchor: ECEF, distance: Meters) {
    self.ordinal = ordinal
    self.view = view
    self.anchor = anchor
    self.distance = distance
  }

  /// The largest possible error of a boundary distance, metres.
  package static let error: Meters = 1e-3

  /// A lower bound of the distance from a point to the boundary, metres, by the distance known elsewhere.
  @inline(__always)
  package func clearance(at ecef: ECEF) -> Meters {
    abs(distance) - GeodesicBounds.fastUpperBound(chord: ecef.chord(to: anchor)) - Self.error
  }

  /// The signed boundary distance, metres.
  package func boundaryDistance(from coordinate: Coordinate, _ ecef: ECEF) -> Meters {
    view.signedBoundaryDistance(from: coordinate, ecef: ecef)
  }

  /// Computes the boundary distance at another point.
  package mutating func move(to coordinate: Coordinate, _ ecef: ECEF) {
    distance = view.signedBoundaryDistance(from: coordinate, ecef: ecef)
    anchor = ecef
  }

  /// Calls `body` with the ends of every piece of edge that may come within `radius` metres of a point, in a
  /// straight line.
  package func forEachPiece(near ecef: ECEF, radius: Meters, _ body: (ECEF, ECEF) -> Void) {
    view.forEachPiece(near: ecef, radius: radius, body)
  }

  /// The radius of the largest circle in the polygon, metres; see ``PolygonView/inradius(enough:)``.
  package func inradius(enough: Meters) -> Meters { view.inradius(enough: enough) }
}
