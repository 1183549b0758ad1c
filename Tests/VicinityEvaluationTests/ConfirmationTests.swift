import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Answers are confirmed where they were not chosen")
struct ConfirmationTests {
  private static let place = Coordinate(latitude: 46.2, longitude: 6.15)

  /// Devices that pass three circles at speeds of their own.
  private func study(devices: Int, seeds: [UInt64] = [1, 2]) throws -> Study {
    let frame = LocalFrame(Self.place)
    let regions = try RegionIndex(
      (1...3).map {
        Region(
          identifier: "r\($0)", center: frame.coordinate(at: Offset(east: Double($0) * 2000, north: 0)),
          radius: 200)
      })
    let made = (0..<devices).map { device in
      StudyDevice(name: "d\(device)") {
        var fixes: [Fix] = []
        for second in stride(from: 0.0, through: 1200, by: 10) {
          let east = second * (4 + Double(device % 5))
          fixes.append(
            Fix(
              time: Timestamp(microseconds: 1_600_000_000_000_000).advanced(bySeconds: second),
              coordinate: frame.coordinate(at: Offset(east: east, north: Double(device)))))
        }
        return try TrueTrack(fixes)
      }
    }
    var study = Study(
      of: [FixedIntervalPolicy(), ContinuousTrackingPolicy(.best)], watching: regions, on: made, seeds: seeds,
      profile: try DeviceProfile.named("modern-phone"))
    study.resampling.count = 200
    return study
  }

  @Test("The confirming part shares no device and no seed with the choosing one", arguments: [4, 5, 12, 13])
  func isApart(count: Int) throws {
    let search = PolicySearch(
      try study(devices: count, seeds: [3, 9]), for: try Requirement.parse("recall>=0.5"))
    let (choosing, confirming) = search.split()
    #expect(Set(choosing).isDisjoint(with: confirming))
    #expect((choosing + confirming).sorted() == Array(0..<count))
    #expect(abs(choosing.count - confirming.count) <= 1)
    let seeds = search.confirmingSeeds()
    #expect(seeds == [10, 11])
    var last = search
    last.study.seeds = [.max, 0]
    #expect(last.confirmingSeeds() == [1, 2])
  }

  @Test("The confirmed figures are those of a study of just these devices and seeds")
  func isAStudy() throws {
    var search = PolicySearch(try study(devices: 6), for: try Requirement.parse("recall>=0.5"))
    search.refinements = 1
    search.restarts = 0
    search.references = [ContinuousTrackingPolicy(.best)]
    let outcome = try search.run(threads: 2)
    let confirmation = try #require(outcome.confirmation)
    let chosen = try #require(outcome.policy)
    var study = search.study
    study.devices = search.split().confirming.sorted().map { study.devices[$0] }
    study.seeds = search.confirmingSeeds()
    study.policies = [chosen]
    let card = try study.run().cards[0]
    #expect(confirmation.card.headline == card.headline)
    #expect(
      confirmation.seeds == study.seeds && confirmation.deviceCount == 3 && !confirmation.isOfSameDevices)
    #expect(confirmation.probability == search.requirement.probability(of: card))
    #expect(outcome.finalists.first?.policy == chosen.label)
    #expect(confirmation.references.map(\.card.policy) == ["always-best"])
    #expect(outcome.words.contains("than always-best"))
  }

  @Test("A study of its own chooses, with all its devices, regions and seeds; then all devices confirm")
  func ownStudyChooses() throws {
    let requirement = try Requirement.parse("recall>=0.5")
    var search = PolicySearch(try study(devices: 6), for: requirement)
    (search.restarts, search.refinements, search.leastDevices) = (0, 0, 5)
    var other = try study(devices: 5, seeds: [7])
    let frame = LocalFrame(Self.place)
    other.regions = try RegionIndex([
      Region(identifier: "own", center: frame.coordinate(at: Offset(east: 1500, north: 0)), radius: 300)
    ])
    search.choosing = other
    #expect(search.split().choosing.sorted() == Array(0..<5) && search.split().confirming == Array(0..<6))
    #expect(search.confirmingSeeds() == [8, 9])
    let outcome = try search.run(threads: 2)
    let confirmation = try #require(outcome.confirmation)
    #expect(confirmation.deviceCount == 6 && !confirmation.isOfSameDevices)
    // What it was chosen by is the other study's.
    other.policies = [try #require(outcome.policy)]
    #expect(try other.run().cards[0].headline == outcome.finalists[0].headline)
    var whole = search.study
    (whole.policies, whole.seeds) = (other.policies, [8, 9])
    #expect(try whole.run().cards[0].headline == confirmation.card.headline)
    search.choosing?.seeds = []
    #expect(throws: StudyError.nothing(of: "seeds")) { try search.run() }
  }

  @Test("Each policy has the same search for itself, and its own settings stand beside what is found")
  func tuned() throws {
    var search = PolicySearch(try study(devices: 6), for: try Requirement.parse("recall>=0.5"))
    (search.restarts, search.refinements) = (0, 1)
    search.study.policies.append(MonitorAdaptivePolicy())
    let tuned = try search.tuned(threads: 2)
    #expect(tuned.map(\.preset.policy) == search.study.policies.map(\.label))
    #expect(tuned.contains { $0.tunedNeeds != $0.presetNeeds })
    let permission = "; permission always"
    #expect(tuned.map(\.presetNeeds) == search.study.policies.map { $0.needs + permission })
    var confirming = search.study
    confirming.devices = search.split().confirming.sorted().map { confirming.devices[$0] }
    confirming.seeds = search.confirmingSeeds()
    let presets = try confirming.run().cards
    for (place, entry) in tuned.enumerated() {
      #expect(entry.preset.headline == presets[place].headline)
      #expect(entry.presetProbability == search.requirement.probability(of: presets[place]))
      #expect(entry.tuned.policy.hasPrefix(search.study.policies[place].name) && entry.tried > 1)
      var alone = search
      alone.study.policies = [search.study.policies[place]]
      let outcome = try alone.run()
      #expect(outcome.confirmation?.card.headline == entry.tuned.headline)
      #expect(outcome.policy.map { $0.needs + permission } == entry.tunedNeeds)
    }
    // A fix a minute is more than half the crossings need.
    #expect(tuned[0].tuned.policy != tuned[0].preset.policy)
  }

  @Test("What is chosen is surer than an answer must be, where there is such a setting")
  func choosesWithRoom() throws {
    let search = PolicySearch(try study(devices: 4), for: try Requirement.parse("recall>=0.9"))
    let made = try search.study.run().cards[0]
    func card(_ name: String, energy: Double, below: Int) -> ScoreCard {
      var card = made
      card.policy = name
      card.headline = [.recall: Estimate(value: 0.95), .energy: Estimate(value: energy)]
      card.resamples = [.recall: (0..<1000).map { $0 < below ? 0.5 : 0.95 }]
      return card
    }
    let cards = [
      card("just sure", energy: 1, below: 50), card("amply sure", energy: 2, below: 5),
      card("certain", energy: 3, below: 0), card("not sure", energy: 0.5, below: 51),
    ]
    let order = search.ranked(Dictionary(uniqueKeysWithValues: cards.map { ($0.policy, $0) })).map(\.key)
    #expect(order == ["amply sure", "certain", "just sure", "not sure"])
  }

  @Test("Probabilities are rounded down, and never all")
  func percentages() {
    let texts = [0.905, 0.9999, 1, 0.99, 0.995, 0.29, 0].map { SearchOutcome.percent($0) }
    #expect(texts == ["90 %", "99.9 %", "99.9 %", "99 %", "99.5 %", "29 %", "0 %"])
  }

  @Test("Few devices confirm by other seeds alone, and the answer says so; one says nothing about others")
  func fewDevices() throws {
    var search = PolicySearch(try study(devices: 2), for: try Requirement.parse("recall>=0.5"))
    search.restarts = 0
    search.refinements = 0
    let outcome = try search.run()
    #expect(outcome.confirmation?.isOfSameDevices == true)
    #expect(outcome.words.contains("on the same 2 devices"))
    var single = PolicySearch(try study(devices: 1), for: try Requirement.parse("recall>=0.5"))
    single.restarts = 0
    single.refinements = 0
    let one = try single.run()
    #expect(one.confirmation?.probability == nil && !one.isSure)
  }

  @Test("What cannot be had is not met, however it was chosen")
  func notMet() throws {
    var search = PolicySearch(
      try study(devices: 4), for: try Requirement.parse("recall>=1,p95-latency<=0.001"))
    (search.restarts, search.refinements) = (0, 0)
    let outcome = try search.run()
    #expect(!outcome.isMet && !outcome.isSure && outcome.best == nil)
    #expect(outcome.policy != nil && outcome.confirmation != nil)
  }

  @Test("Neighbours move one number or two by a quarter, and are what the policy accepts")
  func neighbours() throws {
    let policy = RateAdaptivePolicy()
    let found = SettingNeighbours.settings(of: policy)
    #expect(found.count == SettingNeighbours.limit)
    #expect(Set(found.map(\.label)).count == found.count)
    #expect(!found.contains { $0.label == policy.label })
    for setting in found {
      try setting.check()
      let moved = zip(policy.parameters, setting.parameters).filter { $0.value != $1.value }
      #expect((1...2).contains(moved.count))
      for (before, after) in moved {
        let ratio = (Double(after.value) ?? 0) / (Double(before.value) ?? 1)
        #expect((0.74...0.86).contains(ratio) || (1.15...1.3).contains(ratio), "\(setting.label)")
      }
    }
    #expect(SettingNeighbours.text(31.25) == "31" && SettingNeighbours.text(0.3125) == "0.31")
    #expect(SettingNeighbours.text(1234) == "1200" && SettingNeighbours.text(8) == "8")
  }

  @Test("The chosen policy joins the study, once, with the figures of all its devices")
  func joins() throws {
    var study = try study(devices: 3)
    let whole = try study.run()
    study.policies = [FixedIntervalPolicy().setting(\.interval, to: 45), ContinuousTrackingPolicy(.best)]
    let more = try study.run()
    let joined = whole.adding(more)
    #expect(joined.policies.map(\.label) == ["fixed-interval", "always-best", "fixed-interval:interval=45"])
    #expect(joined.cards[2].headline == more.cards[0].headline)
    #expect(joined.cards[0].headline == whole.cards[0].headline)
    #expect(joined.scores[2].allSatisfy { $0.policy == 2 })
    #expect(joined.comparisons().count == 3)
  }

  @Test("Phones side by side agree, or not, by the policy that each chooses")
  func phones() throws {
    func entry(_ phone: String, _ cards: [(String, Double, Double)]) throws -> PhoneComparison.Entry {
      var study = try study(devices: 2, seeds: [1])
      study.profile = try DeviceProfile.named(phone)
      var entry = PhoneComparison.Entry(try study.run())
      entry.cards = cards.map { name, recall, energy in
        var card = entry.cards[0]
        card.policy = name
        card.headline = [.recall: Estimate(value: recall), .energy: Estimate(value: energy)]
        return card
      }
      return entry
    }
    let one = try entry("iphone-6", [("a:x=1", 0.95, 2), ("b", 0.99, 3), ("c", 0.5, 1)])
    #expect(one.choice == "a")
    let same = try entry("nexus-6", [("a:x=9", 0.9, 1), ("b", 0.95, 1.5)])
    let other = try entry("modern-phone", [("a", 0.89, 1), ("b", 0.95, 2)])
    #expect(PhoneComparison([one, same]).isUnanimous)
    #expect(!PhoneComparison([one, same, other]).isUnanimous)
    #expect(
      PhoneComparison([one, other]).words.contains("depends on the phone (iphone-6: a:x=1, modern-phone: b)"))
    #expect(
      PhoneComparison([one, same]).words.contains(
        "is the same on all phones, with settings of its own on each (iphone-6: a:x=1, nexus-6: a:x=9)."))
    #expect(PhoneComparison([other, other]).words.contains("is the same on all phones (modern-phone: b"))
    #expect(!PhoneComparison([]).isUnanimous)
    let none = try entry("modern-phone", [("a", 0.5, 1)])
    #expect(
      PhoneComparison([none, none]).words == "No policy notices 90 % of crossings on any of these phones.")
    #expect(PhoneComparison([one, none]).words.contains("(iphone-6: a:x=1, modern-phone: none)"))
  }
}
