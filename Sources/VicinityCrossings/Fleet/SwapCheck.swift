package import VicinityGeodesy
package import VicinityIndex

/// Whether latitude and longitude may be swapped in points that were asked about: none of the first few is
/// near a region, and all would be.
package struct SwapCheck: Sendable {
  private var sample: [Coordinate] = []
  /// How near to a region's boundary a point is, metres, as far as the answers tell.
  private var nearest = Double.infinity

  private static let sampleCount = 16
  /// Points that are nearer to a region than this, metres, are where they should be: degrees that are swapped
  /// by mistake lie farther away but for places near the equator and the meridian of Greenwich, or the
  /// diagonal between them. There are few places on land as far from every region of a worldwide set.
  private static let far = 500_000.0
  /// Points that are this near to a region, metres, lie among the regions.
  private static let near = 100_000.0

  package init() {}

  /// Whether nothing will be told, whatever else is added.
  package var isSettled: Bool { nearest <= Self.far }

  /// Takes a point, and how near to a region's boundary it is, metres; nil where its answer has no region.
  @inline(__always)
  package mutating func add(_ coordinate: Coordinate, nearest found: Double?) {
    nearest = min(nearest, found ?? .infinity)
    if sample.count < Self.sampleCount { sample.append(coordinate) }
  }

  /// Whether a point has a region that is no farther away; `nil` for a point that is none.
  ///
  /// - Complexity: what is farther is not searched: up to a few hundred times faster than the nearest region.
  private static func hasRegion(
    within distance: Double, of point: Coordinate, _ index: RegionIndex
  ) -> Bool? {
    // With a limit, the answers to come do not depend on what is asked here, either.
    let options = QueryOptions(maximumDistance: distance)
    return (try? index.nearest(1, to: point, options: options)).map { !$0.isEmpty }
  }

  /// Whether a point is farther from every region than points are that are where they should be; no where
  /// there are no regions.
  package static func isFar(_ point: Coordinate, _ index: RegionIndex) -> Bool {
    !index.isEmpty && hasRegion(within: far, of: point, index) == false
  }

  /// What is told of the points; nil where there is nothing to tell.
  ///
  /// - Complexity: some thirty queries, and none where an answer has a region that is not far away.
  package func note(_ index: RegionIndex) -> String? {
    guard nearest > Self.far, !sample.isEmpty else { return nil }
    for point in sample {
      let swapped = Coordinate(latitude: point.longitude, longitude: point.latitude)
      guard abs(point.longitude) <= 90, Self.isFar(point, index),
        Self.hasRegion(within: Self.near, of: swapped, index) == true
      else { return nil }
    }
    let (points, are) = sample.count == 1 ? ("the point is", "it is") : ("the first points are", "they are")
    return
      "\(points) more than \(Int(Self.far / 1000)) km from every region, and with latitude and longitude swapped \(are) less than "
      + "\(Int(Self.near / 1000)) km from one: they may be swapped in the points or in the regions"
  }
}
