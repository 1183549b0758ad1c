import Synchronization
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPolygon
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Studies")
struct StudyTests {
  private static let names = (0..<12).map { "region \($0)" }

  private func study(
    names: [String] = Self.names, order: [Int]? = nil, devices: Int = 5,
    _ policies: [any MonitoringPolicy] = [
      ContinuousTrackingPolicy(.best), ContinuousTrackingPolicy(.hundredMeters), CommonRecipePolicy(),
      MonitorSlotsPolicy(),
    ]
  ) throws -> Study {
    var study = Study(
      of: policies, watching: try MadeResult.regions(names, order: order), on: MadeResult.devices(devices),
      seeds: [1, 2], profile: try DeviceProfile.named("iphone-6"))
    study.resampling.count = 50
    return study
  }

  /// Everything in a result that is to be the same, whatever the threads.
  private func facts(_ result: StudyResult) -> [[Metric: Estimate]] {
    result.cards.flatMap { [$0.metrics, $0.headline] + $0.classes.map(\.metrics) }
  }

  @Test("One thread or several, many devices or few: the same to the last bit")
  func threads() throws {
    for devices in [3, 9] {
      let study = try study(devices: devices)
      let one = try study.run(threads: 1)
      for threads in [2, 3] {
        let other = try study.run(threads: threads)
        #expect(facts(one) == facts(other))
        #expect(one.cards.map(\.hourlyMilliwatts) == other.cards.map(\.hourlyMilliwatts))
        #expect(one.scores.map { $0.map(\.outcomes) } == other.scores.map { $0.map(\.outcomes) })
        #expect(one.scores.map { $0.map(\.joules) } == other.scores.map { $0.map(\.joules) })
        #expect(one.cards.map(\.isOnFront) == other.cards.map(\.isOnFront))
      }
      for (policy, scores) in one.scores.enumerated() {
        #expect(scores.map(\.policy) == Array(repeating: policy, count: 2 * devices))
        for (index, score) in scores.enumerated() {
          #expect(score.device == index / 2 && score.seed == UInt64(1 + index % 2))
        }
      }
    }
  }

  @Test("Renamed regions change nothing; in another order they have other ordinals and nothing else")
  func names() throws {
    let plain = try study().run(threads: 2)
    let renamed = try study(names: (0..<12).map { "\(11 - $0) € \"x\"" }).run(threads: 2)
    #expect(facts(plain) == facts(renamed))
    #expect(plain.scores.map { $0.map(\.outcomes) } == renamed.scores.map { $0.map(\.outcomes) })
    let order = [7, 2, 11, 0, 5, 9, 1, 10, 3, 8, 4, 6]
    let reordered = try study(order: order).run(threads: 2)
    for (one, other) in zip(plain.devices, reordered.devices) {
      #expect(one.crossings.map(\.crossing.time) == other.crossings.map(\.crossing.time))
      #expect(one.visits.map(\.region) == other.visits.map { order[$0.region] })
    }
    #expect(facts(plain) == facts(reordered))
  }

  @Test("The truth is where the phone goes, visits and all")
  func truth() throws {
    let regions = try MadeResult.regions(Self.names)
    let fixes = (0...400).map {
      Fix(time: MadeScores.time(Double($0) * 10), coordinate: MadeScores.place(400 + 10 * Double($0)))
    }
    // A gap of an hour, in which it goes on at the same pace.
    let holed = fixes.filter { $0.time < MadeScores.time(200) || $0.time > MadeScores.time(3800) }
    let whole = try DeviceTruth(device: "a", track: TrueTrack(fixes), regions: regions)
    let gap = try DeviceTruth(device: "a", track: TrueTrack(holed), regions: regions)
    #expect(whole.crossings.map(\.crossing.region) == gap.crossings.map(\.crossing.region))
    for (one, other) in zip(whole.crossings, gap.crossings) {
      #expect(abs(one.crossing.time.seconds(since: other.crossing.time)) < 0.01)
      #expect(!other.crossing.isInferred && abs(other.speed - 1) < 1e-6)
    }
    // It begins in the first, and ends 200 m past the middle of the seventh, of 80 m.
    #expect(whole.visits.map(\.region) == [0, 1, 2, 3, 4, 5, 6])
    #expect(whole.visits[0].entry == nil && abs(whole.visits[0].seconds - 80) < 0.01)
    #expect(whole.visits[1].radius == 150 && abs(whole.visits[1].seconds - 300) < 0.01)
    #expect(whole.visits[6].exit != nil)
    let short = try DeviceTruth(device: "a", track: TrueTrack(Array(fixes.prefix(62))), regions: regions)
    #expect(short.visits.map(\.region) == [0, 1])
    #expect(short.visits[1].exit == nil && short.visits[1].end == MadeScores.time(610))
  }

  @Test("A polygon is as large as the circle of its area, less its holes")
  func polygonSize() throws {
    func square(_ half: Double) -> [Coordinate] {
      let degrees = half / 111_319.49079327358
      let north = half / 110_574.2727
      return [
        .init(latitude: -north, longitude: -degrees), .init(latitude: -north, longitude: degrees),
        .init(latitude: north, longitude: degrees), .init(latitude: north, longitude: -degrees),
      ]
    }
    let index = try RegionIndex([
      Region(identifier: "whole", polygon: try Polygon(exterior: square(500))),
      Region(identifier: "holed", polygon: try Polygon(exterior: square(500), holes: [square(300)])),
      Region(identifier: "circle", center: MadeScores.place(0), radius: 77),
    ])
    let sizes = [1_000_000, 640_000].map { area in (area / Double.pi).squareRoot() }
    #expect(abs(index.size(of: 0) - sizes[0]) < 0.1)
    #expect(abs(index.size(of: 1) - sizes[1]) < 0.1)
    #expect(index.size(of: 2) == 77)
    #expect(index.size(of: 3).isNaN)
  }

  @Test("Hours add up to the day, and lie where the track's zone has them")
  func hours() throws {
    let result = try study(devices: 2).run(threads: 1)
    for score in result.scores.joined() {
      let count = EnergyComponent.allCases.count
      for component in 0..<count {
        let sum = (0..<24).reduce(0) { $0 + score.hourlyJoules[$1 * count + component] }
        #expect(abs(sum - score.joules[component]) <= 1e-9 * max(1, score.joules[component]))
      }
      // From 13:46:40 UTC on, at longitude 0, for two hours.
      #expect(score.hourlySeconds[13] == 800 && score.hourlySeconds[14] == 3600)
      #expect(score.hourlySeconds[15] == 2800 && score.hourlySeconds.reduce(0, +) == 7200)
    }
  }

  /// Longitude, seconds since 1970, hour of the day.
  private static let hourCases: [(Double, Double, Int)] = [
    (0, 0, 0), (0, 84_600, 23), (7.4, 0, 0), (7.6, 0, 1), (-100, 0, 17), (179.9, 0, 12), (-180, 0, 12),
    (0, -1800, 23), (0, -91_800, 22), (15, -1800, 0),
  ]

  @Test("The hour is that of the longitude, on either side of 1970 and of midnight", arguments: hourCases)
  func zones(longitude: Double, start: Double, hour: Int) throws {
    let place = Coordinate(latitude: 10, longitude: longitude)
    let track = try TrueTrack(
      [0, 600, 1200].map { Fix(time: MadeScores.time(start + $0), coordinate: place) })
    let profile = try DeviceProfile.named("iphone-6")
    let regions = try RegionIndex([Region]())
    let result = try Simulation.run(Scenario(track: track, profile: profile), recording: .hours) {
      ContinuousTrackingPolicy(.best).makeApp(watching: regions)
    }
    let score = try DayScore(
      result, truth: DeviceTruth(device: "a", track: track, regions: regions), track: track, regions: regions,
      seed: 1, profile: profile)
    #expect(score.hourlySeconds[hour] == 1200)
    #expect(score.hourlySeconds.reduce(0, +) == 1200)
  }

  @Test("The same runs can be asked about other visits")
  func about() throws {
    var study = try study(devices: 3)
    let all = try study.run(threads: 2)
    study.filter = .minuteInHundredMeters
    let some = try study.run(threads: 2)
    #expect(facts(all.about(.minuteInHundredMeters)) == facts(some))
    #expect(facts(some.about(.all)) == facts(all))
  }

  @Test("What is recorded changes no bit of the sums")
  func recording() throws {
    let study = try study(devices: 1)
    let scenario = try study.devices[0].scenario(study.profile)
    let plain = try Simulation.run(scenario) {
      ContinuousTrackingPolicy(.best).makeApp(watching: study.regions)
    }
    let hourly = try Simulation.run(scenario, recording: [.hours, .power]) {
      ContinuousTrackingPolicy(.best).makeApp(watching: study.regions)
    }
    #expect(plain.joules == hourly.joules && plain.counts == hourly.counts && plain.hours.isEmpty)
    #expect(hourly.hours.count == 24)
  }

  @Test("A device that fails is named, the first of several, and a study that is nothing is refused")
  func failures() throws {
    struct Broken: Error, CustomStringConvertible {
      var description: String { "no such file" }
    }
    for threads in [1, 3] {
      for count in [4, 20] {
        var study = try study(devices: count, [ContinuousTrackingPolicy(.kilometer)])
        study.devices[3].scenario = { _ in throw Broken() }
        study.devices[2].scenario = { _ in throw Broken() }
        #expect(throws: StudyError.device("device 2", reason: "no such file")) {
          try study.run(threads: threads)
        }
      }
    }
    var study = try study()
    study.policies = []
    #expect(throws: StudyError.nothing(of: "policies")) { try study.run() }
    study = try self.study(devices: 0)
    #expect(throws: StudyError.nothing(of: "devices")) { try study.run() }
    study = try self.study()
    study.seeds = []
    #expect(throws: StudyError.nothing(of: "seeds")) { try study.run() }
    study.seeds = [4, 4]
    #expect(throws: StudyError.twice("seed", name: "4")) { try study.run() }
    study = try self.study()
    study.policies.append(MonitorSlotsPolicy())
    #expect(throws: StudyError.twice("policy", name: "monitor-slots")) { try study.run() }
    study = try self.study()
    study.resampling.level = .nan
    #expect(throws: StudyError.self) { try study.run() }
  }

  @Test("Progress counts every run, and can stop a study")
  func progress() throws {
    let study = try study(devices: 3)
    let seen = Mutex<[StudyProgress]>([])
    _ = try study.run(threads: 2) { progress in
      seen.withLock { $0.append(progress) }
      return true
    }
    let counted = (1...24).map { StudyProgress(done: $0, total: 24) }
    #expect(seen.withLock { $0 } == counted)
    #expect(throws: StudyError.cancelled) { try study.run(threads: 2) { $0.done < 5 } }
  }

  @Test("A study can be stopped in the middle of a run")
  func stoppedInARun() throws {
    var study = try study(devices: 1, [ContinuousTrackingPolicy(.best)])
    study.seeds = [1]
    let asked = Mutex(0)
    let finished = Mutex(0)
    #expect(throws: StudyError.cancelled) {
      try study.run(
        threads: 1,
        progress: { _ in
          finished.withLock { $0 += 1 }
          return true
        },
        isStopped: {
          // Before that it is asked ahead of the device and of the run.
          asked.withLock { count in
            count += 1
            return count > 2
          }
        })
    }
    #expect(finished.withLock { $0 } == 0)
  }

  @Test("Devices whose names differ in their bytes alone are two devices")
  func namesAreBytes() throws {
    var study = try study(devices: 2, [ContinuousTrackingPolicy(.best)])
    let names = ["caf\u{E9}", "cafe\u{301}"]
    for (number, name) in names.enumerated() { study.devices[number].name = name }
    let found = try study.run(threads: 1).devices.map { Array($0.device.utf8) }
    #expect(found == names.map { Array($0.utf8) })
    study.devices[1].name = names[0]
    #expect(throws: StudyError.twice("device", name: names[0])) { try study.run() }
  }

  @Test("Missed and late crossings are those of the filter, with their devices")
  func missed() throws {
    var study = try study()
    study.filter = .minuteInHundredMeters
    let result = try study.run()
    for policy in result.policies.indices {
      let (reported, missed) = result.latencies(of: policy)
      #expect(reported.count + missed == result.cards[policy].headlineCrossings)
      #expect(reported == reported.sorted())
      #expect(result.cards[policy].value(.maxLatency) == reported.last)
      let late = result.missedOrLate(of: policy, laterThan: 60)
      #expect(late.count == missed + reported.count { $0 > 60 })
      #expect(result.missedOrLate(of: policy, laterThan: .infinity).allSatisfy { $0.outcome == nil })
    }
  }
}
