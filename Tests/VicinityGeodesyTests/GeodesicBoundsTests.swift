import Testing
import VicinityGeodesy

@Suite struct GeodesicBoundsTests {
  @Test("both bounds are tight where the curvature is extreme")
  func tight() {
    // Across the pole every section has radius R₊ nearly; along the meridian at the equator R₋.
    let pole = Pair(latitude: 89.95, longitude: 0, azimuth: 0, length: 11_169)
    let c1 = ECEF(unchecked: pole.start).chord(to: ECEF(unchecked: pole.end))
    #expect(abs(GeodesicBounds.lowerBound(chord: c1) - pole.length) < 2e-8)
    let equator = Pair(latitude: -0.045, longitude: 0, azimuth: 0, length: 9951)
    let c2 = ECEF(unchecked: equator.start).chord(to: ECEF(unchecked: equator.end))
    #expect(abs(GeodesicBounds.upperBound(chord: c2) - equator.length) < 2e-8)
    // Neither constant could be the other's: 0.1 mm of curvature's effect at 10 km would show at 50 km.
    let far = Pair(latitude: 89.77, longitude: 0, azimuth: 0, length: 51_000)
    let c3 = ECEF(unchecked: far.start).chord(to: ECEF(unchecked: far.end))
    #expect(GeodesicBounds.upperBound(chord: c3) - far.length > 1e-3)
  }

  @Test("order of the bounds over all chords")
  func order() {
    for step in 0...12_757 {
      let c = min(Double(step) * 1000, 2 * WGS84.a)
      let lower = GeodesicBounds.lowerBound(chord: c)
      let upper = GeodesicBounds.upperBound(chord: c)
      #expect(lower <= upper)
      #expect(GeodesicBounds.fastUpperBound(chord: c) >= upper * (1 - 4e-16))
    }
  }

  @Test("half a meridian is the longest distance")
  func longest() {
    let north = Coordinate(latitude: 90, longitude: 0)
    let south = Coordinate(latitude: -90, longitude: 0)
    let half = Geodesic.uncheckedDistance(north, south)
    #expect(half <= GeodesicBounds.longestDistance)
    #expect(half > GeodesicBounds.longestDistance - 1e-3)
    #expect(GeodesicBounds.longestDistance < .pi * WGS84.maximumCurvatureRadius)
    #expect(GeodesicBounds.certainChord > 12_570_000)
  }

  /// The proof's two inequalities, κ and h, at points and directions all over the ellipsoid.
  @Test("normal curvature and depth stay within the bounds of the proof")
  func proof() {
    var source = PairSource(seed: 3)
    let (a2, b2) = (WGS84.a * WGS84.a, WGS84.b * WGS84.b)
    for _ in 0..<20_000 {
      let pair = source.next()
      let (p, q) = (ECEF(unchecked: pair.start), ECEF(unchecked: pair.end))
      let (dx, dy, dz) = (q.x - p.x, q.y - p.y, q.z - p.z)
      let c2 = dx * dx + dy * dy + dz * dz
      guard c2 > 1 else { continue }
      let m = (dx * dx + dy * dy) / a2 + dz * dz / b2
      let g = ((q.x * q.x + q.y * q.y) / (a2 * a2) + q.z * q.z / (b2 * b2)).squareRoot()
      let curvature = m / (c2 * g)
      #expect(curvature >= 1 / WGS84.maximumCurvatureRadius * (1 - 1e-14), "\(pair)")
      #expect(curvature <= 1 / WGS84.minimumCurvatureRadius * (1 + 1e-14), "\(pair)")
      // h = ΔᵀMΔ / 2|Mγ| is the depth below the tangent plane.
      let depth = (dx * q.x / a2 + dy * q.y / a2 + dz * q.z / b2) / g
      #expect(abs(depth - m / (2 * g)) < 1e-8, "\(pair)")
    }
  }
}
