import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Advice on radii")
struct RadiusAdvisorTests {
  /// A phone that looks every ten seconds and is never wrong: no cushion, 20 s to remain.
  private static func exactPhone(cushion: Double = 0) throws -> DeviceProfile {
    var phone = try DeviceProfile.named("iphone-6")
    phone.sources["test"] = "made up"
    func quantiles(_ value: Double) throws -> Quantiles {
      try #require(Quantiles([.init(0, value), .init(1, value)], basis: .assumed, source: "test"))
    }
    phone.regions.interval = try quantiles(10)
    phone.regions.positions.error = try quantiles(0)
    phone.regions.inwardShare = Figure(0.5, low: 0, high: 1, basis: .assumed, source: "test")
    phone.regions.cushion = Figure(cushion, low: 0, high: 1000, basis: .assumed, source: "test")
    return phone
  }

  private static func east(_ metres: Double, north: Double = 0) -> Coordinate {
    Coordinate(latitude: north / 110_574.27, longitude: metres / 111_319.490793)
  }

  /// East along the equator at a speed, a fix a second.
  private static func drive(_ speed: Double, from: Double = -6000, to: Double = 6000) throws -> TrueTrack {
    let seconds = Int((to - from) / speed)
    return try TrueTrack(
      (0...seconds).map {
        Fix(
          time: Timestamp(microseconds: Int64($0) * 1_000_000), coordinate: east(from + speed * Double($0)))
      })
  }

  private static func index(_ circles: [(east: Double, north: Double, radius: Double)]) throws -> RegionIndex
  {
    try RegionIndex(
      circles.enumerated().map { number, circle in
        Region(
          identifier: "r\(number)", center: east(circle.east, north: circle.north), radius: circle.radius)
      })
  }

  @Test("Straight through the middle: half the way in the time that is needed")
  func throughTheMiddle() throws {
    let advisor = RadiusAdvisor(profile: try Self.exactPhone())
    // 20 s to remain and 9 of the 10 s between looks, for nine passes of ten: 29 s.
    for speed in [1.5, 5, 14, 30] {
      let advice = try advisor.advise(
        try Self.index([(0, 0, 0.5 * speed * 15)]),
        tracks: [try Self.drive(speed, from: -100 * speed, to: 100 * speed)]
      )
      let row = try #require(advice.rows.first)
      #expect(row.passes == 1 && row.possible == 0 && row.expected == 0)
      #expect(row.verdict == .undetectable)
      let advised = try #require(row.advisedRadius)
      #expect(abs(advised - 14.5 * speed) <= speed + 1, "\(speed) m/s: \(advised)")
      #expect(abs(row.medianDuration - 15) < 0.1)
      #expect(row.passesAtAdvisedRadius == 1)
    }
  }

  @Test("Beside the middle the chord is what counts; cushion and accuracy come on top")
  func chords() throws {
    // 20 m/s: a chord of 580 m, 300 m off the middle.
    let inner = (300.0 * 300 + 290 * 290).squareRoot()
    for (cushion, expected) in [(0.0, inner), (100, inner + 100), (1000, 2 * inner)] {
      let advisor = RadiusAdvisor(profile: try Self.exactPhone(cushion: cushion))
      let advice = try advisor.advise(
        try Self.index([(0, 300, 350)]), tracks: [try Self.drive(20)])
      let advised = try #require(advice.rows.first?.advisedRadius)
      #expect(abs(advised - expected) < 25 * (cushion == 1000 ? 2 : 1), "\(cushion): \(advised), \(expected)")
    }
  }

  @Test("What lasts long enough now and then is unreliable, what always does is fine")
  func verdicts() throws {
    let advisor = RadiusAdvisor(profile: try Self.exactPhone())
    // At 10 m/s: 24 s, 10 s and 60 s long.
    let advice = try advisor.advise(
      try Self.index([(0, 0, 120), (1000, 0, 50), (2000, 0, 300), (0, 5000, 100)]),
      tracks: [try Self.drive(10)])
    #expect(advice.rows.map(\.identifier) == ["r1", "r0", "r2"])
    #expect(advice.rows.map(\.verdict) == [.undetectable, .unreliable, .fine])
    #expect(advice.unpassed == 1)
    // 4 of the 10 s between two looks are left.
    #expect(abs(advice.rows[1].expected - 0.4) < 0.11, "\(advice.rows[1].expected)")
    #expect(advice.rows[2].advisedRadius == 300 && advice.rows[2].passesAtAdvisedRadius == nil)
    #expect(advice.counts == [.undetectable: 1, .unreliable: 1, .fine: 1])
  }

  @Test("Nothing helps a region that is passed too fast for the largest radius")
  func tooFast() throws {
    var phone = try Self.exactPhone()
    phone.regions.maximumRadius = Figure(200, low: 200, high: 200, basis: .assumed, source: "test")
    let advice = try RadiusAdvisor(profile: phone).advise(
      try Self.index([(0, 0, 100)]), tracks: [try Self.drive(30)])
    #expect(advice.rows.first?.verdict == .undetectable)
    #expect(advice.rows.first?.advisedRadius == nil)
  }

  @Test("A stay of a year is noticed, and not gone through")
  func year() throws {
    let drive = try Self.drive(20)
    let middle = drive.count / 2
    var fixes = (0...middle).map { drive.fix(at: $0) }
    let later = Duration.seconds(365 * 86_400)
    for index in middle..<drive.count {
      var fix = drive.fix(at: index)
      fix.time = fix.time.advanced(by: later)
      fixes.append(fix)
    }
    let phone = try DeviceProfile.named("iphone-6")
    let advice = try RadiusAdvisor(profile: phone).advise(
      try Self.index([(0, 0, 100)]), tracks: [try TrueTrack(fixes)])
    // The gap hides nothing of where it was: both ends are the same place.
    #expect(advice.rows.map(\.verdict) == [.fine])
    #expect((advice.rows.first?.medianDuration ?? 0) > 364 * 86_400)
  }

  @Test("A phone that is none is refused")
  func phone() throws {
    var phone = try DeviceProfile.named("iphone-6")
    phone.regions.maximumRadius.value = .nan
    #expect(throws: AdviceError.self) {
      try RadiusAdvisor(profile: phone).advise(try Self.index([(0, 0, 100)]), tracks: [try Self.drive(20)])
    }
  }

  @Test("Followed with best accuracy the same region is fine")
  func followed() throws {
    let phone = try DeviceProfile.named("iphone-6")
    let regions = try Self.index([(0, 0, 100)])
    let tracks = [try Self.drive(20)]
    let watched = try RadiusAdvisor(profile: phone).advise(regions, tracks: tracks)
    let followed = try RadiusAdvisor(profile: phone, method: .continuousTracking(.best)).advise(
      regions, tracks: tracks)
    #expect(watched.rows.first?.verdict == .undetectable)
    #expect(followed.rows.first?.verdict == .fine)
    #expect(followed.crowdedPlaces.isEmpty)
  }

  @Test("Thirty regions within reach are a crowd, nineteen are none")
  func crowds() throws {
    let advisor = RadiusAdvisor(profile: try Self.exactPhone())
    let track = try Self.drive(2, from: -1000, to: 1000)
    func advice(_ count: Int) throws -> RadiusAdvice {
      try advisor.advise(
        try Self.index((0..<count).map { (Double($0), 0.0, 200.0 + Double($0)) }), tracks: [track])
    }
    let crowd = try advice(30)
    #expect(crowd.rows.allSatisfy { $0.verdict == .crowded && $0.crowded == 1 })
    let place = try #require(crowd.crowdedPlaces.first)
    #expect(place.wanted == 30 && place.leftOut >= 10)
    let seconds = crowd.crowdedPlaces.reduce(0) { $0 + $1.seconds }
    #expect(abs(seconds - 1000) < 40, "\(seconds)")
    let few = try advice(19)
    #expect(few.rows.allSatisfy { $0.verdict == .fine } && few.crowdedPlaces.isEmpty)
  }

  @Test("The phone's slots are planned for, and fewer where the options say so, but no more")
  func capacity() throws {
    var android = try Self.exactPhone()
    android.regions.slots = 100
    let track = try Self.drive(2, from: -1000, to: 1000)
    let regions = try Self.index((0..<30).map { (Double($0), 0.0, 200.0 + Double($0)) })
    func advice(_ phone: DeviceProfile, _ capacity: Int?) throws -> RadiusAdvice {
      try RadiusAdvisor(profile: phone, plan: PlanOptions(capacity: capacity)).advise(
        regions, tracks: [track])
    }
    #expect(try advice(android, nil).slots == 100)
    #expect(try advice(android, nil).crowdedPlaces.isEmpty)
    let fewer = try advice(android, 20)
    let iPhone = try advice(Self.exactPhone(), nil)
    #expect(fewer.slots == 20 && fewer.rows == iPhone.rows && fewer.crowdedPlaces == iPhone.crowdedPlaces)
    #expect(try !iPhone.crowdedPlaces.isEmpty && advice(Self.exactPhone(), 60) == iPhone)
  }

  @Test("A larger region is entered by those who passed the smaller by")
  func passersBy() throws {
    let near = try Self.drive(20)
    let beside = try TrueTrack(
      (0...600).map {
        Fix(
          time: Timestamp(microseconds: Int64($0) * 1_000_000),
          coordinate: Self.east(-6000 + 20 * Double($0), north: 200))
      })
    let advice = try RadiusAdvisor(profile: try Self.exactPhone()).advise(
      try Self.index([(0, 0, 100)]), tracks: [near, beside])
    let row = try #require(advice.rows.first)
    #expect(row.passes == 1 && row.passesAtAdvisedRadius == 2)
  }

  @Test("The same advice on one thread and on three; a bad track is named")
  func threads() throws {
    let regions = try Self.index((0..<40).map { (Double($0) * 250 - 5000, 30.0, 60.0 + Double($0)) })
    let tracks = try [4.0, 9, 15, 22].map { try Self.drive($0) }
    let advisor = RadiusAdvisor(profile: try DeviceProfile.named("iphone-6"))
    #expect(
      try advisor.advise(regions, tracks: tracks, threads: 1)
        == advisor.advise(regions, tracks: tracks, threads: 3))
    #expect(throws: AdviceError.track(number: 2, reason: "the track has no valid fix")) {
      try advisor.advise(regions, trackCount: 4, threads: 2) { number in
        if number >= 2 { throw SimulationError.emptyTrack }
        return tracks[number]
      }
    }
  }

  @Test("The formula for a pass through the middle")
  func formula() throws {
    let detection = RadiusDetection(.regionMonitoring, on: try Self.exactPhone(cushion: 30))
    #expect(abs(detection.leastRadius(atSpeed: 30) - 330) < 1e-9)
    for radius in [10.0, 59, 60, 61, 500] {
      #expect(abs(detection.radius(reaching: detection.reach(of: radius)) - radius) < 1e-9)
    }
  }
}
