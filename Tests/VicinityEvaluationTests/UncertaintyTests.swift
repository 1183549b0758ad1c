import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Where uncertainty comes from")
struct UncertaintyTests {
  private static let place = Coordinate(latitude: 46.2, longitude: 6.15)

  /// Phones that stand still for hours of their own, and whose only energy is idle.
  private func study(devices: Int, seeds: [UInt64], _ profile: DeviceProfile) throws -> Study {
    let regions = try RegionIndex([Region(identifier: "r", center: Self.place, radius: 100)])
    let made = (0..<devices).map { device in
      StudyDevice(name: "d\(device)") {
        let start = Timestamp(microseconds: 1_600_000_000_000_000)
        let frame = LocalFrame(Self.place)
        return try TrueTrack(
          (0...60).map { minute in
            Fix(
              time: start.advanced(bySeconds: Double(minute) * 60),
              coordinate: frame.coordinate(
                at: Offset(east: Double(minute * (20 + device)) - 600, north: Double(device) * 10)))
          })
      }
    }
    return Study(
      of: [ContinuousTrackingPolicy(.best), MonitorSlotsPolicy()], watching: regions, on: made, seeds: seeds,
      profile: profile)
  }

  /// The profile with every figure at its value: no ranges, and no days.
  private func certain() throws -> DeviceProfile {
    var profile = try DeviceProfile.named("modern-phone").noiseless
    func fix(_ path: WritableKeyPath<DeviceProfile, Figure>) {
      let figure = profile[keyPath: path]
      profile[keyPath: path] = Figure(
        figure.value, low: figure.value, high: figure.value, basis: .published, source: figure.source)
    }
    for path in [
      \DeviceProfile.battery, \.idle, \.screen, \.awake, \.work, \.regions.look, \.regions.watching,
      \.significantChange.report, \.significantChange.listening, \.beacons.scan, \.beacons.advertising,
      \.heading.power,
    ] { fix(path) }
    for accuracy in DesiredAccuracy.allCases {
      guard var tier = profile.tiers[accuracy] else { continue }
      func fixed(_ figure: Figure) -> Figure {
        Figure(figure.value, low: figure.value, high: figure.value, basis: .published, source: figure.source)
      }
      (tier.gnss, tier.wifi, tier.cell) = (fixed(tier.gnss), fixed(tier.wifi), fixed(tier.cell))
      (tier.processor, tier.motion) = (fixed(tier.processor), fixed(tier.motion))
      tier.fix = fixed(tier.fix)
      profile.tiers[accuracy] = tier
    }
    return profile
  }

  @Test("Ten metres at rest are not told from best: what was measured does not tell them apart")
  func tenMetersAtRest() throws {
    let place = Self.place
    let regions = try RegionIndex([Region(identifier: "r", center: place, radius: 100)])
    let devices = (0..<6).map { number in
      StudyDevice(name: "d\(number)") { profile in
        let start = Timestamp(microseconds: 1_600_000_000_000_000)
        let track = try TrueTrack([
          Fix(time: start, coordinate: place),
          Fix(time: start.advanced(bySeconds: 20_000 + 500 * Double(number)), coordinate: place),
        ])
        return Scenario(
          track: track, surroundings: SurroundingsTimeline(PhoneSurroundings(isIndoors: true)),
          actions: StudyDevice.openedOnce(at: start), profile: profile)
      }
    }
    var study = Study(
      of: [
        ContinuousTrackingPolicy(.best), ContinuousTrackingPolicy(.nearestTenMeters),
        ContinuousTrackingPolicy(.hundredMeters),
      ], watching: regions, on: devices, seeds: [1, 2, 3], profile: try DeviceProfile.named("iphone-6"))
    study.phones = .drawn
    for seeds: [UInt64] in [[1], [1, 2, 3]] {
      study.seeds = seeds
      let result = try study.run()
      for entry in result.comparison(of: 0, with: 1).differences {
        #expect(!entry.isClear, "\(entry)")
        if let surety = entry.surety { #expect(surety < 0.95, "\(entry)") }
      }
      // A hundred metres are: they draw less than half.
      let energy = result.comparison(of: 0, with: 2).differences.first { $0.metric == .energy }
      #expect((energy?.surety ?? 0) >= 0.95)
    }
  }

  @Test("Without ranges drawn energies change nothing; with one, the interval is that of the range")
  func energies() throws {
    var study = try study(devices: 4, seeds: [1], try certain())
    study.resampling.count = 400
    let plain = try study.run().cards[0]
    study.phones = .drawn
    let drawn = try study.run().cards[0]
    #expect(drawn.headline == plain.headline)
    // The idle power between a half and four times: 95 % of its share of the energy.
    let idle = study.profile.idle
    study.profile.idle = Figure(
      idle.value, low: idle.value / 2, high: idle.value * 4, basis: .assumed, source: idle.source)
    let wide = try study.run().cards[1]
    let share = try #require(wide.value(.energy)) - (try #require(wide.value(.netEnergy)))
    let rest = try #require(wide.value(.netEnergy))
    let interval = try #require(wide.headline[.energy]?.interval)
    #expect(abs(interval.lowerBound - (rest + share / 2)) < 0.2 * share)
    #expect(abs(interval.upperBound - (rest + share * 4)) < 0.5 * share)
    // Energy above idle does not know it.
    #expect(wide.headline[.netEnergy]?.interval == (try self.run(study, plainly: true)))
    let parts = try #require(wide.shares[.energy])
    #expect(abs(parts.devices + parts.seeds + parts.energies - 1) < 1e-12)
    #expect(parts.energies > 0.95 && parts.seeds == 0)
  }

  @Test(
    "An energy's interval has two parts; that of a difference leaves out the phone, the same for both"
  )
  func parts() throws {
    var phone = try certain()
    phone.era = .iOS13
    var study = try study(devices: 5, seeds: [1], phone)
    study.resampling.count = 200
    let plain = try study.run()
    #expect(plain.cards[0].energyIntervals.isEmpty)
    let difference = try #require(plain.comparison(of: 0, with: 1).differences.first { $0.metric == .energy })
    #expect(difference.phone == nil)
    // A battery of half to twice as much.
    study.phones = .drawn
    let battery = study.profile.battery
    study.profile.battery = Figure(
      battery.value, low: battery.value / 2, high: battery.value * 2, basis: .assumed, source: battery.source)
    let drawn = try study.run()
    for (card, certain) in zip(drawn.cards, plain.cards) {
      let parts = try #require(card.energyIntervals[.netEnergy])
      #expect(parts.days == certain.headline[.netEnergy]?.interval)
      let (value, own) = (try #require(card.value(.netEnergy)), try #require(parts.phone))
      #expect(abs(own.lowerBound / value - 0.5) < 0.1 && abs(own.upperBound / value - 2) < 0.3)
      let whole = try #require(card.headline[.netEnergy]?.interval)
      #expect(whole.lowerBound < 0.7 * value && whole.upperBound > 1.5 * value)
    }
    let apart = try #require(drawn.comparison(of: 0, with: 1).differences.first { $0.metric == .energy })
    #expect(apart.difference == difference.difference)
    let (value, ends) = (try #require(apart.difference.value), try #require(apart.phone))
    #expect(abs(ends.lowerBound / value - 0.5) < 0.1 && abs(ends.upperBound / value - 2) < 0.3)
    #expect(drawn.comparison(of: 0, with: 1).differences.first { $0.metric == .recall }?.phone == nil)
  }

  private func run(_ study: Study, plainly: Bool) throws -> ClosedRange<Double>? {
    var study = study
    if plainly { study.phones = .none }
    return try study.run().cards[1].headline[.netEnergy]?.interval
  }

  @Test("The first seed has the phone of the profile, every other one a phone of its own")
  func phones() throws {
    let profile = try DeviceProfile.named("modern-phone")
    #expect(PhoneDraws.drawn.phone(ofSeed: 1, at: 0, profile) == profile)
    #expect(PhoneDraws.none.phone(ofSeed: 2, at: 1, profile) == profile)
    let two = PhoneDraws.drawn.phone(ofSeed: 2, at: 1, profile)
    #expect(two != profile && two != PhoneDraws.drawn.phone(ofSeed: 3, at: 2, profile))
    var study = try study(devices: 2, seeds: [1, 2], profile)
    study.phones = .drawn
    let scores = try study.run().scores[0]
    study.profile = two
    study.phones = .none
    study.seeds = [2]
    let own = try study.run().scores[0]
    #expect(scores[1].joules == own[0].joules && scores[3].joules == own[1].joules)
    #expect(scores[1].counts == own[0].counts)
  }

  @Test("A resample takes the runs of one seed of each drawn device")
  func resamples() {
    var draws = Resamples(Resampling(seed: 4), deviceCount: 5, seedCount: 3, profile: nil)
    var weights = [Int32](repeating: 0, count: 15)
    var seeds: Set<Int> = []
    for _ in 0..<50 {
      #expect(draws.next(into: &weights) == nil)
      #expect(weights.reduce(0, +) == 5)
      let used = Set(weights.indices.filter { weights[$0] > 0 }.map { $0 % 3 })
      #expect(used.count == 1)
      seeds.formUnion(used)
    }
    #expect(seeds == [0, 1, 2])
    _ = draws.next(into: &weights, varying: .devices)
    for device in 0..<5 {
      #expect(Set(weights[(3 * device)..<(3 * device + 3)]).count == 1)
    }
    #expect(weights.reduce(0, +) == 15)
    _ = draws.next(into: &weights, varying: .seeds)
    #expect(weights.count { $0 == 1 } == 5 && weights.count { $0 == 0 } == 10)
  }

  @Test("The order of a policy that is always cheaper is sure, of one with itself it is not")
  func surety() throws {
    // Of an era that suspends none of the policies.
    var phone = try DeviceProfile.named("modern-phone")
    phone.era = .iOS13
    var study = try study(devices: 4, seeds: [1, 2], phone)
    study.phones = .drawn
    let result = try study.run()
    let entry = try #require(result.comparison(of: 1, with: 0).differences.first { $0.metric == .energy })
    #expect(try #require(entry.surety) > 0.99)
    let same = try #require(result.comparison(of: 0, with: 0).differences.first { $0.metric == .energy })
    #expect(same.surety == 0.5)
  }

  @Test("Tolerance bounds are those of the tables; few phones that disagree are sure of little")
  func mostPhones() {
    // The one-sided factors for nine of ten (Hahn and Meeker 1991, chapter 4).
    for (count, factor, confidence) in [
      (2, 20.581, 0.95), (3, 6.155, 0.95), (5, 3.407, 0.95), (10, 2.355, 0.95), (30, 1.777, 0.95),
      (5, 5.362, 0.99),
    ] {
      let root = Double(count).squareRoot()
      let found = StudyResult.studentProbability(
        of: factor * root, count - 1, noncentrality: 1.2815515655446004 * root)
      // As far as three decimals tell.
      #expect(abs(found - confidence) < 2e-4, "\(count), \(factor): \(found)")
    }
    // Without a noncentrality it is Student's own (Abramowitz and Stegun 1964, table 26.10).
    for (t, degrees, probability) in [
      (6.314, 1, 0.95), (12.706, 1, 0.975), (2.920, 2, 0.95), (2.353, 3, 0.95), (2.132, 4, 0.95),
      (2.776, 4, 0.975), (4.604, 4, 0.995), (2.262, 9, 0.975), (1.697, 30, 0.95),
    ] {
      let (above, below) = (
        StudyResult.studentProbability(of: t, degrees, noncentrality: 0),
        StudyResult.studentProbability(of: -t, degrees, noncentrality: 0)
      )
      #expect(abs(above - probability) < 5e-5, "\(t), \(degrees)")
      #expect(abs(below - (1 - probability)) < 5e-5, "\(t), \(degrees)")
    }
    // Fewer than three of four coins; and 29 phones that all agree are the fewest that make nine of ten 95 %
    // sure.
    #expect(StudyResult.probability(ofFewerThan: 3, of: 4, 0.5) == 11.0 / 16)
    #expect(StudyResult.probability(ofFewerThan: 28, of: 28, 0.9) < 0.95)
    #expect(StudyResult.probability(ofFewerThan: 29, of: 29, 0.9) > 0.95)
    let surety = StudyResult.suretyOnMostPhones
    #expect(surety(3, [3, 3.1, 2.9, 3, 3]) > 0.999 && surety(-3, [-3, -3.1, -2.9, -3, -3]) > 0.999)
    // All five are better, and most others need not be.
    let wide = surety(3, [0.1, 1, 3, 5, 6])
    #expect(abs(wide - 0.3914) < 5e-5)
    #expect(surety(2, [2, 2]) == 1 && surety(0, [1, -1]) == 0.5)
    #expect(abs(surety(2, [.infinity, 1, 2]) - (1 - 0.729)) < 1e-12)
  }
}
