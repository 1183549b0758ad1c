import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinitySimulation

@Suite("True tracks")
struct TrueTrackTests {
  /// A phone that walks east for two minutes at 1.5 m/s, stands for ten, and walks on.
  private func walk() throws -> TrueTrack {
    let frame = LocalFrame(Coordinate(latitude: 46.2, longitude: 6.15))
    var fixes: [Fix] = []
    for second in 0...1000 {
      let moved = second < 120 ? second : second < 720 ? 120 : second - 600
      let place = frame.coordinate(at: Offset(east: 1.5 * Double(moved), north: 0))
      fixes.append(Fix(time: Timestamp(microseconds: Int64(second) * 1_000_000), coordinate: place))
    }
    return try TrueTrack(fixes)
  }

  @Test("A stay lasts from coming within its radius to leaving it")
  func stays() throws {
    let stay = try #require(try walk().stays.first)
    // 15 m take ten seconds: the stay begins as many before the stop, and ends as many after.
    #expect(abs(stay.start.seconds - 110) <= 1)
    #expect(abs(stay.end.seconds - 720) <= 1)
    #expect(try walk().stays.count == 1)
  }
}
