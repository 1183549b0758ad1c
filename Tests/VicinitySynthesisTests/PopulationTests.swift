import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinitySimulation

@testable import VicinitySynthesis

@Suite("Made-up people")
struct PopulationTests {
  private static let vienna = Coordinate(latitude: 48.2082, longitude: 16.3738)
  /// A Monday.
  private static let monday = Timestamp(microseconds: 1_780_272_000_000_000)

  private func population(
    _ count: Int = 5, days: Int = 7, interval: Double = 10, pause: Double = 60, seed: UInt64 = 1,
    start: Timestamp = monday
  ) throws -> Population {
    try Population(
      count: count, around: Self.vienna, start: start, days: days, interval: interval, pause: pause,
      seed: seed)
  }

  @Test("Weeks are plausible: whole, mostly still, nowhere too fast, at home at night", arguments: 0..<8)
  func plausible(number: Int) throws {
    let person = try population(8).person(number)
    let fixes = person.fixes()
    #expect(fixes.first?.time == Self.monday)
    #expect(fixes.last?.time == Self.monday.advanced(by: .seconds(7 * 86_400)))
    for (a, b) in zip(fixes, fixes.dropFirst()) {
      let seconds = b.time.seconds(since: a.time)
      #expect(seconds > 0 && seconds <= 70)
      #expect(try Geodesic.distance(from: a.coordinate, to: b.coordinate) <= 34 * seconds)
    }
    let track = try TrueTrack(fixes)
    let stood = track.stays.reduce(0.0) { $0 + $1.end.seconds(since: $1.start) }
    #expect(stood > 0.7 * 7 * 86_400 && stood < 0.995 * 7 * 86_400, "\(stood / 3600) h")
    let nights = track.positions(
      at: (0..<7).map { Self.monday.advanced(by: .seconds(Double($0) * 86_400 + 4 * 3600)) })
    for night in nights { #expect(try Geodesic.distance(from: night, to: nights[0]) < 1) }
  }

  @Test("Workdays are spent at work, weekends are not")
  func weekends() throws {
    var worked = 0
    var idle = 0
    for number in 0..<20 {
      let track = try TrueTrack(try population(20).person(number).fixes())
      let noons = track.positions(
        at: (0..<7).map { Self.monday.advanced(by: .seconds(Double($0) * 86_400 + 10.5 * 3600)) })
      let home = track.positions(at: [Self.monday])[0]
      // Where the person is on most workdays at half past ten.
      let work = noons[0..<5].max { a, b in
        noons[0..<5].count { near($0, a) } < noons[0..<5].count { near($0, b) }
      }
      guard let work, !near(work, home) else { continue }
      worked += noons[0..<5].count { near($0, work) }
      idle += noons[5..<7].count { near($0, work) }
    }
    #expect(worked > 70 && idle == 0, "\(worked), \(idle)")
  }

  private func near(_ a: Coordinate, _ b: Coordinate) -> Bool {
    ((try? Geodesic.distance(from: a, to: b)) ?? .infinity) < 1
  }

  @Test("The day of the week is the local one, whatever the time zone", arguments: [-11.0, -5, 0, 5.5, 11])
  func zones(hours: Double) throws {
    // The same local days, so the same movements.
    let here = try population(1, start: Self.monday).person(0).fixes()
    let there = try population(1, start: Self.monday.advanced(by: .seconds(-hours * 3600))).person(0).fixes()
    #expect(here.map(\.coordinate) == there.map(\.coordinate))
  }

  @Test("Fewer fixes while staying are the same way")
  func pauses() throws {
    let whole = try population(2, days: 2, pause: 0).person(1).fixes()
    let thinned = try population(2, days: 2, pause: 120).person(1).fixes()
    #expect(thinned.count < whole.count / 2)
    let places = try TrueTrack(thinned).positions(at: whole.map(\.time))
    for (fix, place) in zip(whole, places) {
      #expect(try Geodesic.distance(from: fix.coordinate, to: place) < 1e-3)
    }
  }

  @Test("A person is the same whatever the number of others, and others are others")
  func independence() throws {
    let alone = try population(1, days: 1).person(0)
    #expect(alone == (try population(5, days: 1).person(0)))
    let people = try (0..<5).map { try population(5, days: 1).person($0) }
    #expect(Set(people.map(\.name)).count == 5 && Set(people.map(\.seed)).count == 5)
    #expect(people[0].fixes() != people[1].fixes())
    #expect(alone.fixes() != (try population(1, days: 1, seed: 2).person(0).fixes()))
  }

  @Test("Parameters out of their ranges are refused by name")
  func refusals() {
    func refused(_ name: String, _ make: () throws -> Population) {
      do {
        _ = try make()
        Issue.record("\(name) was taken")
      } catch { #expect("\(error)".contains(name), "\(error)") }
    }
    refused("the number of devices") { try population(-1) }
    refused("the number of days") { try population(days: 0) }
    refused("the interval") { try population(interval: 0) }
    refused("the interval") { try population(interval: .nan) }
    refused("the pause") { try population(pause: .infinity) }
    refused("the start") { try population(start: Timestamp(microseconds: .max)) }
    refused("place 1 is none") {
      try Population(
        count: 1, around: Coordinate(latitude: .nan, longitude: 0), start: Self.monday, days: 1, seed: 1)
    }
  }
}
