import Testing
import VicinityGeodesy

@Suite struct ChordSeriesTests {
  @Test("coincident points are 0 m apart")
  func coincident() {
    for latitude in [-90.0, -45, 0, 1e-300, 45, 90] {
      let p = ECEF(unchecked: Coordinate(latitude: latitude, longitude: 30))
      #expect(ChordSeries.distance(from: p, to: p) == 0)
    }
  }

  @Test("the error bound")
  func errorBound() {
    #expect(ChordSeries.errorBound(chord: 0) == 3e-8)
    #expect(abs(ChordSeries.errorBound(chord: 0, inputError: 1e-8) - 5.1e-8) < 1e-20)
    #expect(ChordSeries.errorBound(chord: ChordSeries.submicronChord) <= 1e-7)
    #expect(ChordSeries.errorBound(chord: ChordSeries.maximumChord) < 1e-4)
    #expect(ChordSeries.errorBound(chord: ChordSeries.maximumChord.nextUp) == .infinity)
    #expect(ChordSeries.errorBound(chord: .nan) == .infinity)
  }

  /// The terms beyond the circle's are what the text says they are: without them the error along the meridian
  /// at the equator is e'² (c/2a)⁴ / 10 of the distance.
  @Test("the circle alone errs as derived")
  func leadingTerm() {
    let a = WGS84.a
    let ep2 = WGS84.e2 / (1 - WGS84.e2)
    let length = 4e5
    let pair = Pair(latitude: -1.80874, longitude: 0, azimuth: 0, length: length)
    let (p, q) = (ECEF(unchecked: pair.start), ECEF(unchecked: pair.end))
    let c = p.chord(to: q)
    let g2 =
      1 + (p.z + q.z) * (p.z + q.z) / 4 * (a * a - WGS84.b * WGS84.b)
      / (WGS84.b * WGS84.b * WGS84.b * WGS84.b)
    let (dx, dz) = (q.x - p.x, q.z - p.z)
    let m = dx * dx / (a * a) + dz * dz / (WGS84.b * WGS84.b)
    let w = m * m * a * a / (g2 * c * c)
    let circle = c * (1 + w / 24 + 3 * w * w / 640 + 5 * w * w * w / 7168)
    let h = c / (2 * a)
    let derived = length * ep2 * h * h * h * h / 10
    #expect(abs((circle - length) / derived - 1) < 0.03)
  }
}
