package import VicinityGeodesy

/// Made-up polygons, and positions that try them.
package enum PolygonSample {
  /// A ring whose vertices lie at ascending azimuths around `center`, between two distances.
  package static func star(
    _ center: Coordinate, count: Int, radii: ClosedRange<Meters>, _ random: inout SplitMix64
  ) -> [Coordinate] {
    let phase = random.uniform(0...360)
    return (0..<count).map { i in
      Geodesic.uncheckedDirect(
        center, azimuth: phase + 360 * (Double(i) + random.uniform(-0.3...0.3)) / Double(count),
        distance: random.uniform(radii)
      ).coordinate
    }
  }
}
