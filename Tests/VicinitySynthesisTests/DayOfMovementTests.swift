import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinitySimulation

@testable import VicinitySynthesis

@Suite("Days of movement")
struct DayOfMovementTests {
  private func day(_ seed: UInt64, interval: Double = 1) -> [Fix] {
    DayOfMovement(
      around: Coordinate(latitude: 52.5, longitude: 13.4),
      start: Timestamp(microseconds: 1_700_000_000_000_000),
      interval: interval, seed: seed
    ).fixes()
  }

  @Test("A day has a fix a second, stands still for most of it, and goes nowhere too fast", arguments: 1...20)
  func plausible(seed: UInt64) throws {
    let fixes = day(seed)
    #expect(fixes.count == 86_401)
    let track = try TrueTrack(fixes)
    let stood = track.stays.reduce(0.0) { $0 + $1.end.seconds(since: $1.start) }
    #expect(stood > 16 * 3600 && stood < 23.9 * 3600, "seed \(seed): \(stood / 3600) h")
    for (a, b) in zip(fixes, fixes.dropFirst()) {
      let step = try Geodesic.distance(from: a.coordinate, to: b.coordinate)
      #expect(step < 15, "seed \(seed): \(step) m at \(b.time)")
    }
  }

  @Test("The same seed is the same day; another is another")
  func seeds() {
    #expect(day(3, interval: 60) == day(3, interval: 60))
    #expect(day(3, interval: 60) != day(4, interval: 60))
  }

  @Test("A day on the antimeridian keeps its longitudes within 180 degrees")
  func antimeridian() throws {
    let fixes = DayOfMovement(
      around: Coordinate(latitude: -16.8, longitude: 179.99), start: Timestamp(microseconds: 0), interval: 30,
      seed: 7
    ).fixes()
    #expect(fixes.allSatisfy { $0.coordinate.longitude >= -180 && $0.coordinate.longitude < 180 })
    #expect(fixes.contains { $0.coordinate.longitude < 0 } && fixes.contains { $0.coordinate.longitude > 0 })
    _ = try TrueTrack(fixes)
  }
}
