import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

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

  @Test("A track of more than 100 years is refused, however far apart its times are")
  func tooLong() throws {
    let place = Coordinate(latitude: 46.2, longitude: 6.15)
    let longest = TrueTrack.longest / .microseconds(1)
    let first = Timestamp(microseconds: -1)
    for last in [first.microseconds + Int64(longest), Int64.max - 1] {
      let end = Timestamp(microseconds: last)
      let fixes = [first, end].map { Fix(time: $0, coordinate: place) }
      guard last == .max - 1 else {
        #expect(try TrueTrack(fixes).stays.count == 1)
        continue
      }
      #expect(throws: SimulationError.tooLong(from: first, to: end)) { try TrueTrack(fixes) }
    }
    let ends = [Timestamp(microseconds: .min), Timestamp(microseconds: .max)]
    #expect(throws: SimulationError.tooLong(from: ends[0], to: ends[1])) {
      try TrueTrack(ends.map { Fix(time: $0, coordinate: place) })
    }
  }

  @Test("A track within 100 years of the first or the last time is refused, however short it is")
  func tooFar() throws {
    let place = Coordinate(latitude: 46.2, longitude: 6.15)
    func track(_ times: ClosedRange<Int64>) throws -> TrueTrack {
      let ends = [times.lowerBound, times.upperBound]
      return try TrueTrack(ends.map { Fix(time: Timestamp(microseconds: $0), coordinate: place) })
    }
    let room = Int64(TrueTrack.longest / .microseconds(1))
    for (times, wrong) in [
      (Int64.max - 1_000_001...Int64.max - 1, Int64.max - 1),
      (Int64.max - room...Int64.max - room + 1, Int64.max - room + 1),
      (Int64.min + 1...Int64.min + 1_000_001, Int64.min + 1),
      (Int64.min + room - 1...Int64.min + room, Int64.min + room - 1),
    ] {
      let error = SimulationError.tooFar(Timestamp(microseconds: wrong))
      #expect(throws: error) { try track(times) }
      #expect("\(error)".contains("Leave out the fixes"))
    }
    for times in [Int64.max - room - 1...Int64.max - room, Int64.min + room...Int64.min + room + 1] {
      let days = try track(times).stretchedToDays()
      #expect(days.start.duration(to: days.end) == .seconds(86_400))
    }
  }

  @Test("A stay lasts from coming within its radius to leaving it")
  func stays() throws {
    let stay = try #require(try walk().stays.first)
    // 15 m take ten seconds: the stay begins as many before the stop, and ends as many after.
    #expect(abs(stay.start.seconds - 110) <= 1)
    #expect(abs(stay.end.seconds - 720) <= 1)
    #expect(try walk().stays.count == 1)
  }

  /// Seconds and speeds, one after the other, eastwards, with a fix a second.
  private func track(_ legs: [(seconds: Int, speed: Double)]) throws -> TrueTrack {
    let frame = LocalFrame(Coordinate(latitude: 46.2, longitude: 6.15))
    var fixes = [
      Fix(time: Timestamp(microseconds: 0), coordinate: frame.coordinate(at: Offset(east: 0, north: 0)))
    ]
    var (second, east) = (0, 0.0)
    for leg in legs {
      for _ in 0..<leg.seconds {
        (second, east) = (second + 1, east + leg.speed)
        fixes.append(
          Fix(
            time: Timestamp(microseconds: Int64(second) * 1_000_000),
            coordinate: frame.coordinate(at: Offset(east: east, north: 0))))
      }
    }
    return try TrueTrack(fixes)
  }

  private func ways(_ track: TrueTrack) -> [String] {
    track.ways.map { "\(Int($0.start.seconds)) \($0.way?.rawValue ?? "none")" }
  }

  @Test("The speed tells a walk from a road, and a jam of three minutes belongs to the road")
  func tellsWays() throws {
    #expect(ways(try track([(300, 1.4), (600, 12), (300, 1.4)])) == ["0 foot", "300 road", "900 foot"])
    #expect(ways(try track([(300, 12), (180, 0.5), (300, 12)])) == ["0 road"])
    #expect(ways(try track([(300, 12), (240, 0.5), (300, 12)])) == ["0 road", "300 foot", "540 road"])
    // A slow end belongs to no journey.
    #expect(ways(try track([(300, 12), (120, 0.5)])) == ["0 road", "300 foot"])
    #expect(ways(try track([])) == [])
    #expect(ways(try track([(30, 12)])) == ["0 road"])
  }

  @Test("Ways are laid over other changes of the surroundings, in order of time")
  func laysWays() throws {
    let track = try track([(300, 1.4), (600, 12)])
    let roof = PhoneSurroundings(isIndoors: true)
    let timeline = SurroundingsTimeline(
      changes: [100, 300, 500].map { second in
        .init(
          time: Timestamp(microseconds: second * 1_000_000),
          surroundings: second == 300 ? roof : PhoneSurroundings())
      }
    ).withWays(of: track)
    let text = timeline.changes.map {
      "\(Int($0.time.seconds)) \($0.surroundings.isIndoors ? "roof" : "sky") \($0.surroundings.way?.rawValue ?? "none")"
    }
    #expect(timeline.initial.way == .foot)
    // Of the changes at 300 s the last one holds.
    #expect(text == ["100 sky foot", "300 roof foot", "300 roof road", "500 sky road"])
    // A base with a way keeps it.
    let rail = SurroundingsTimeline.inferred(from: track, base: PhoneSurroundings(way: .rail))
    #expect(rail.initial.way == .rail && rail.changes.isEmpty)
  }

  @Test("Another way is no event: nothing but positions in motion changes by it")
  func waysAreSilent() throws {
    let track = try track([(300, 1.4), (600, 12), (300, 1.4)])
    func run(_ surroundings: SurroundingsTimeline) throws -> [TimelineEntry] {
      try Simulation.run(
        Scenario(track: track, surroundings: surroundings, profile: SampleProfile.phone), recording: .all
      ) {
        ScriptedApp { phone, event in
          guard case .launched = event else { return }
          phone.startUpdatingLocation()
          phone.startMonitoring(MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100))
        }
      }.timeline
    }
    #expect(try run(SurroundingsTimeline()) == run(SurroundingsTimeline().withWays(of: track)))
  }
}
