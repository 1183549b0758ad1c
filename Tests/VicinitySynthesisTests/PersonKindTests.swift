import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinitySimulation

@testable import VicinitySynthesis

@Suite("Kinds of people")
struct PersonKindTests {
  private static let vienna = Coordinate(latitude: 48.2082, longitude: 16.3738)
  /// A Monday.
  private static let monday = Timestamp(microseconds: 1_780_272_000_000_000)

  private func week(_ kind: PersonKind, _ number: Int, spread: Meters = 8000) throws -> [Fix] {
    try Population(
      count: 20, kind: kind, around: Self.vienna, spread: spread, start: Self.monday, days: 7, interval: 1,
      pause: 60, seed: 1
    ).person(number).fixes()
  }

  /// The time of a day of the week, in hours.
  private func time(_ day: Int, _ hour: Double) -> Timestamp {
    Self.monday.advanced(by: .seconds(Double(day) * 86_400 + hour * 3600))
  }

  private func distance(_ a: Coordinate, _ b: Coordinate) throws -> Meters {
    try Geodesic.distance(from: a, to: b)
  }

  private func hours(_ stay: TrueTrack.Stay) -> Double { stay.end.seconds(since: stay.start) / 3600 }

  /// A day's stays of two minutes or nearly so, which are none at corners, cut at midnight; and which of them
  /// are at home, where the week begins.
  private func stays(_ track: TrueTrack, _ day: Int) throws -> [(stay: TrueTrack.Stay, isHome: Bool)] {
    let (start, end) = (time(day, 0), time(day, 24))
    return try track.stays.filter { $0.start < end && $0.end > start && hours($0) > 110 / 3600.0 }.map {
      stay in
      var stay = stay
      stay.start = max(stay.start, start)
      stay.end = min(stay.end, end)
      return (stay, try distance(stay.position, track.stays[0].position) < 20)
    }
  }

  @Test(
    "A courier has 20 to 60 stops of 2 to 10 minutes in 6 to 9 hours, and is then at home", arguments: 0..<12)
  func courier(number: Int) throws {
    let track = try TrueTrack(try week(.courier, number))
    for day in 0..<6 {
      let stays = try stays(track, day)
      // The depot is the first place, or home where there is none.
      let isFromDepot = stays.count > 1 && hours(stays[1].stay) > 0.24 && stays[1].stay.start < time(day, 9.5)
      let stops = stays.dropFirst(isFromDepot ? 2 : 1).dropLast().map(\.stay)
      #expect((20...60).contains(stops.count), "\(stops.count) stops on day \(day)")
      // Another stop may be at a corner nearby.
      for stop in stops { #expect((118...650).contains(stop.end.seconds(since: stop.start))) }
      let first = stays[isFromDepot ? 1 : 0].stay.end
      let tour = (stops.last?.end ?? first).seconds(since: first) / 3600
      #expect((6...9).contains(tour), "\(tour) h on day \(day)")
      #expect(stays.first?.isHome == true && stays.last?.isHome == true)
      #expect(first < time(day, 10) && stays.last.map { $0.stay.start < time(day, 21) } == true)
      // All over the city.
      let reach = try stops.map { stop in
        try stops.map { try distance(stop.position, $0.position) }.max() ?? 0
      }.max()
      #expect(try #require(reach) > 5000, "\(reach ?? 0) m on day \(day)")
      for stop in stops { #expect(try distance(stop.position, Self.vienna) < 8100) }
      let atHome = stays.filter(\.isHome).reduce(0) { $0 + hours($1.stay) }
      #expect((12...18.5).contains(atHome), "\(atHome) h at home on day \(day)")
    }
    let sunday = try stays(track, 6).filter(\.isHome).reduce(0) { $0 + hours($1.stay) }
    #expect(sunday > 20, "\(sunday) h at home on Sunday")
  }

  @Test(
    "A courier's stops are as many and as long in a village and in a region",
    arguments: [100.0, 1000, 30_000])
  func widths(spread: Meters) throws {
    for number in 0..<4 {
      let track = try TrueTrack(try week(.courier, number, spread: spread))
      // Without home and depot, where stays are longer.
      let stops = try stays(track, 1).map(\.stay).filter { $0.end.seconds(since: $0.start) < 700 }
      #expect((20...60).contains(stops.count), "\(stops.count) stops")
      let tour = try #require(stops.last).end.seconds(since: try #require(stops.first).start) / 3600
      #expect((5.3...9).contains(tour), "\(tour) h")
    }
  }

  @Test("Who is at home goes out twice a day at most, and not at all on some days")
  func home() throws {
    var outings = [0, 0, 0]
    for number in 0..<20 {
      let track = try TrueTrack(try week(.home, number))
      var atHome = 0.0
      for day in 0..<7 {
        let stays = try stays(track, day).filter(\.isHome)
        let count = stays.count - 1
        try #require((0...2).contains(count), "\(count) outings of \(number) on day \(day)")
        outings[count] += 1
        let hours = stays.reduce(0) { $0 + self.hours($1.stay) }
        #expect(hours > 20, "\(hours) h at home")
        atHome += hours
        for (a, b) in zip(stays, stays.dropFirst()) {
          #expect(a.stay.end >= time(day, 9) && b.stay.start <= time(day, 21))
          #expect(b.stay.start.seconds(since: a.stay.end) < 7200)
        }
      }
      #expect(atHome > 0.93 * 7 * 24, "\(atHome / 168)")
    }
    // Of 140 days: a fifth, a half, and the others.
    #expect((18...40).contains(outings[0]) && (50...90).contains(outings[1]), "\(outings)")
  }

  @Test(
    "No kind is faster than commuters, or changes its speed more", arguments: [PersonKind.courier, .home])
  func limits(kind: PersonKind) throws {
    // Commuters are held to 34 m/s; these are never on a motorway. Speeds change at corners at once, as
    // commuters' do, by what a turn at the greatest speed of streets is.
    for number in 0..<4 {
      let frame = try week(kind, number)
      var last: (north: Double, east: Double)?
      for (a, b) in zip(frame, frame.dropFirst()) {
        let seconds = b.time.seconds(since: a.time)
        #expect(seconds > 0 && seconds <= 61)
        let speed = try distance(a.coordinate, b.coordinate) / seconds
        #expect(speed <= 14.2, "\(speed) m/s")
        let north = (b.coordinate.latitude - a.coordinate.latitude) * 111_132 / seconds
        let east = (b.coordinate.longitude - a.coordinate.longitude) * 74_100 / seconds
        if let last {
          let change = ((north - last.north) * (north - last.north) + (east - last.east) * (east - last.east))
            .squareRoot()
          #expect(change <= 14.2 * 2.0.squareRoot(), "\(change) m/s")
        }
        last = (north, east)
      }
    }
  }

  @Test("Commuters are what people were before there were kinds")
  func commuters() throws {
    // FNV-1a over the times and coordinates of two people's week, as made before.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bits: UInt64) {
      for byte in 0..<8 { hash = (hash ^ (bits >> UInt64(8 * byte)) & 0xff) &* 0x0000_0100_0000_01b3 }
    }
    let people = try Population(
      count: 2, around: Self.vienna, start: Self.monday, days: 7, interval: 10, seed: 1)
    #expect(people.kind == .commuter)
    for number in 0..<2 {
      people.person(number).forEachFix { fix in
        add(UInt64(bitPattern: fix.time.microseconds))
        add(UInt64(bitPattern: Int64((fix.coordinate.latitude * 1e7).rounded())))
        add(UInt64(bitPattern: Int64((fix.coordinate.longitude * 1e7).rounded())))
      }
    }
    #expect(hash == 1_141_226_426_986_873_205)
  }

  @Test("The kinds are different people of the same seed, and the same seed gives the same again")
  func seeds() throws {
    for kind in PersonKind.allCases { #expect(try week(kind, 3) == week(kind, 3)) }
    #expect(try week(.courier, 3) != week(.commuter, 3))
    #expect(try week(.courier, 3) != week(.courier, 4))
    #expect(try week(.home, 3) != week(.commuter, 3))
  }
}
