import Testing
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation
@testable import VicinityGeodesy

@Suite("Requirements and the Pareto front")
struct RequirementTests {
  @Test("What is written is what is meant, and is written again the same")
  func good() throws {
    let requirement = try Requirement.parse("recall>=0.99,p95-latency<=60s")
    #expect(
      requirement.bounds == [
        .init(.recall, isMinimum: true, limit: 0.99), .init(.p95Latency, isMinimum: false, limit: 60),
      ])
    #expect(requirement.text == "recall>=0.99,p95-latency<=60s")
    #expect(requirement.words == "recall of at least 0.99 and p95-latency of at most 60 s")
    for (text, metric, limit) in [
      ("recall >= 99%", Metric.recall, 0.99), (" visit-recall>= 1 ", .visitRecall, 1),
      ("entry-p95-latency<=1min", .entryP95Latency, 60), ("exit-p95-latency<=90s", .exitP95Latency, 90),
      ("entry-recall>=95%", .entryRecall, 0.95), ("p95-latency<=1min", .p95Latency, 60),
      ("p95-latency <= 1.5 h", .p95Latency, 5400),
      ("p95-distance<=2km", .p95Distance, 2000), ("p50-distance<=75", .p50Distance, 75),
      ("energy<=1.5%/h", .energy, 1.5), ("net-energy<=1.5 %", .netEnergy, 1.5), ("wakeups<=3/h", .wakeups, 3),
      ("flaps<=0", .flaps, 0), ("background-time<=30s/h", .backgroundTime, 30),
      ("precision>=7%", .precision, 0.07), ("battery-days>=2", .batteryDays, 2),
      ("battery-days>=36h", .batteryDays, 1.5),
      ("entries-within-60s>=95%", .entriesWithin(seconds: 60), 0.95),
      ("exits-within-86400s >= 0.5", .exitsWithin(seconds: 86_400), 0.5),
    ] {
      let parsed = try Requirement.parse(text)
      #expect(parsed.bounds.map(\.metric) == [metric] && parsed.bounds.map(\.limit) == [limit], "\(text)")
      #expect(try Requirement.parse(parsed.text) == parsed, "\(text)")
    }
  }

  @Test(
    "What is wrong is named, with its place",
    arguments: [
      ("", RequirementError.empty(column: 1)), ("recall>=0.9,", .empty(column: 13)),
      (",recall>=0.9", .empty(column: 1)), ("recall>=0.9, ,flaps<=1", .empty(column: 14)),
      ("recall", .noComparison("recall", column: 1)), ("recall=0.9", .noComparison("recall=0.9", column: 1)),
      ("recall>0.9", .noComparison("recall>0.9", column: 1)),
      ("recall>=0.9,flaps<1", .noComparison("flaps<1", column: 13)),
      ("recall>", .noComparison("recall>", column: 1)), (">=1", .unknownMetric("", column: 1)),
      ("recal>=0.9", .unknownMetric("recal", column: 1)),
      ("Recall>=0.9", .unknownMetric("Recall", column: 1)),
      ("recall>=0.9, speed<=3", .unknownMetric("speed", column: 14)),
      ("entries-within-0s>=0.9", .unknownMetric("entries-within-0s", column: 1)),
      ("entries-within-86401s>=0.9", .unknownMetric("entries-within-86401s", column: 1)),
      ("entries-within-060s>=0.9", .unknownMetric("entries-within-060s", column: 1)),
      ("entries-within-1min>=0.9", .unknownMetric("entries-within-1min", column: 1)),
      ("entries-within-s>=0.9", .unknownMetric("entries-within-s", column: 1)),
      (
        "exits-within-60s>=2", .invalidNumber("2", metric: .exitsWithin(seconds: 60), column: 19)
      ),
      ("recall>=", .invalidNumber("", metric: .recall, column: 9)),
      ("recall>=x", .invalidNumber("x", metric: .recall, column: 9)),
      ("recall>= nan", .invalidNumber("nan", metric: .recall, column: 10)),
      ("p95-latency<=inf", .invalidNumber("inf", metric: .p95Latency, column: 14)),
      ("recall>=-0.1", .invalidNumber("-0.1", metric: .recall, column: 9)),
      ("recall>=1.01", .invalidNumber("1.01", metric: .recall, column: 9)),
      ("recall>=101%", .invalidNumber("101%", metric: .recall, column: 9)),
      ("recall>=0.9.9", .invalidNumber("0.9.9", metric: .recall, column: 9)),
      ("recall>=>=0.9", .invalidNumber(">=0.9", metric: .recall, column: 9)),
      ("recall>=1e5", .invalidNumber("1e5", metric: .recall, column: 9)),
      ("recall>=1e", .invalidUnit("e", metric: .recall, allowed: ["%"], column: 9)),
      ("recall>=0.9s", .invalidUnit("s", metric: .recall, allowed: ["%"], column: 9)),
      ("p95-latency<=60m", .invalidUnit("m", metric: .p95Latency, allowed: ["s", "min", "h"], column: 14)),
      ("energy<=5W", .invalidUnit("W", metric: .energy, allowed: ["%/h", "%"], column: 9)),
      ("recall>=0.9,recall>=0.95", .twice(.recall, column: 13)),
      (
        "energy<=3, recall<=95%",
        .wrongDirection(.init(.recall, isMinimum: false, limit: 0.95), column: 12)
      ),
      (
        "p95-latency>=60",
        .wrongDirection(.init(.p95Latency, isMinimum: true, limit: 60), column: 1)
      ),
      ("battery-days<=2", .wrongDirection(.init(.batteryDays, isMinimum: false, limit: 2), column: 1)),
      ("recall>=\u{661}", .invalidNumber("\u{661}", metric: .recall, column: 9)),
      (
        "p95-latency<=" + String(repeating: "9", count: 400),
        .invalidNumber(String(repeating: "9", count: 400), metric: .p95Latency, column: 14)
      ),
    ])
  func bad(text: String, error: RequirementError) {
    #expect(throws: error) { try Requirement.parse(text) }
    #expect(!error.description.isEmpty)
  }

  @Test(
    "Times that are not in seconds are told in seconds",
    arguments: [
      ("entries-within-2min", "entries-within-120s"), ("exits-within-1h", "exits-within-3600s"),
      ("entries-within-60", "entries-within-60s"), ("entries-within-060s", "entries-within-60s"),
      ("entries-within-25h", nil), ("entries-within-s", nil), ("entries-within-2days", nil),
      ("within-2min", nil),
      ("entries-within-9223372036854775807min", nil),
    ])
  func inSeconds(name: String, meant: String?) {
    let told = RequirementError.unknownMetric(name, column: 1).description
    #expect(told.contains("whose time is in seconds") == (meant != nil), "\(told)")
    if let meant { #expect(told.contains("in seconds: \(meant); there are"), "\(told)") }
  }

  @Test(
    "The metrics of windows are told in the plural",
    arguments: [
      ("entry-within-120s", "entries-within-120s"), ("exit-within-2min", "exits-within-120s"),
      ("entry-within-2days", nil), ("entry-recal", nil),
    ])
  func inPlural(name: String, meant: String?) {
    let told = RequirementError.unknownMetric(name, column: 1).description
    #expect(told.contains("it is called") == (meant != nil), "\(told)")
    if let meant { #expect(told.contains("it is called \(meant); there are"), "\(told)") }
  }

  @Test("Every metric has a name of its own, and the name names it")
  func names() {
    let all =
      Metric.allCases + [.entriesWithin(seconds: 1), .exitsWithin(seconds: 1), .entriesWithin(seconds: 2)]
    #expect(Set(all.map(\.rawValue)).count == all.count)
    for metric in all { #expect(Metric(rawValue: metric.rawValue) == metric) }
    #expect(Metric.allCases.allSatisfy { !$0.isOnRequest })
  }

  @Test("No text is a trap", arguments: 0..<300)
  func noise(seed: UInt64) {
    var random = RandomStream(seed: seed, "requirement noise")
    let pieces = [
      "recall", "p95-latency", ">=", "<=", ">", "=", ",", " ", "0.9", "60", "s", "%", "-", "\u{0}", "é",
      "1e999", "min",
    ]
    var text = ""
    for _ in 0..<Int(random.unit() * 12) { text += pieces[Int(random.unit() * Double(pieces.count))] }
    if let parsed = try? Requirement.parse(text) {
      #expect((try? Requirement.parse(parsed.text)) == parsed, "\(text.debugDescription)")
    }
  }

  /// A card with a headline and nothing else.
  private func card(_ name: String, _ values: [Metric: Double]) -> ScoreCard {
    var card = MadeScores.card([], [])
    card.policy = name
    card.headline = values.mapValues { Estimate(value: $0) }
    return card
  }

  @Test("Shortfalls are parts of what is asked for, and decide who is nearer")
  func shortfall() throws {
    let requirement = try Requirement.parse("recall>=0.8,p95-latency<=60")
    let good = card("good", [.recall: 0.8, .p95Latency: 60, .energy: 2])
    let dear = card("dear", [.recall: 1, .p95Latency: 5, .energy: 3])
    let half = card("half", [.recall: 0.4, .p95Latency: 120, .energy: 1])
    let none = card("none", [.recall: 0, .energy: 0])
    #expect(requirement.isMet(by: good) && requirement.isMet(by: dear) && !requirement.isMet(by: half))
    // One bound of two is not enough, whichever it is.
    let late = card("late", [.recall: 1, .p95Latency: 61, .energy: 1])
    let deaf = card("deaf", [.recall: 0.79, .p95Latency: 1, .energy: 1])
    #expect(!requirement.isMet(by: late) && !requirement.isMet(by: deaf))
    #expect(requirement.shortfall(of: good) == 0)
    #expect(requirement.shortfall(of: half) == 1)
    #expect(requirement.shortfall(of: none) == 2)
    #expect(requirement.isBetter(good, than: dear) && !requirement.isBetter(dear, than: good))
    #expect(requirement.isBetter(dear, than: half) && requirement.isBetter(half, than: none))
    func outcome(_ card: ScoreCard, probability: Double?, devices: Int = 6) -> SearchOutcome {
      var outcome = SearchOutcome(requirement: requirement, tried: 3, policies: 1, finalists: [card])
      outcome.confirmation = SearchConfirmation(
        card: card, probability: probability, deviceCount: devices, isOfSameDevices: false, seeds: [7])
      return outcome
    }
    let missed = outcome(half, probability: 0)
    #expect(missed.best == nil && !missed.isMet && !missed.isSure)
    #expect(
      missed.words
        == "None of 3 settings of 1 policy is found to meet recall of at least 0.8 and p95-latency of at most 60 s. The nearest is "
        + "half. On 6 devices that it was not chosen on, it takes 1.000 %/h of the battery, with recall 0.400, p95-latency 120.0 s."
    )
    // One that met it where it was chosen says nothing of the others, but for those that ran beside it.
    var failed = missed
    failed.finalists = [good]
    let beginning =
      "half met recall of at least 0.8 and p95-latency of at most 60 s where it was chosen among 3 settings of 1 policy"
    #expect(failed.isMetWhereChosen && !missed.isMetWhereChosen)
    #expect(
      failed.words.hasPrefix(
        beginning
          + ", but does not on other devices, and no other setting that was found was tried there. On 6 devices"
      ))
    #expect(!failed.words.contains("does what was asked"))
    failed.confirmation?.isOfSameDevices = true
    #expect(failed.words.contains(beginning + ", but does not with other seeds, and no other"))
    let unpaired = PairedComparison(first: 0, second: 1, differences: [])
    failed.confirmation?.references = [(dear, unpaired), (good, unpaired), (half, unpaired)]
    #expect(failed.words.hasSuffix(". There good does what was asked."))
    let sure = outcome(good, probability: 0.97)
    #expect(sure.isMet && sure.isSure)
    #expect(
      sure.words
        == "good is the cheapest found among 3 settings of 1 policy for recall of at least 0.8 and p95-latency of at most 60 s. On 6 "
        + "devices that it was not chosen on, it takes 2.000 %/h of the battery, with recall 0.800, p95-latency 60.0 s. "
        + "That it meets the requirement elsewhere too is 97 % sure.")
    // Five people say too little of others, however alike they are.
    let few = outcome(good, probability: 0.999, devices: 5)
    #expect(few.isMet && !few.isSure)
    #expect(
      few.words.hasSuffix(
        " It meets the requirement there, but 5 devices cannot make that sure: at least 6 have to confirm it."
      ))
    let unsure = outcome(good, probability: 0.9)
    #expect(unsure.isMet && !unsure.isSure)
    #expect(
      unsure.words.hasSuffix(
        "but that is not sure: the probability is 90 %, and from 95 % on it counts as sure; more devices or seeds may decide."
      ))
    var same = sure
    same.confirmation?.isOfSameDevices = true
    same.confirmation?.deviceCount = 3
    #expect(
      same.words.hasPrefix(
        "Chosen and tried on the same devices, as they are few, which says little about other days, routes and people: good is the cheapest found among 3 settings"
      )
        && same.words.hasSuffix("but 3 devices cannot make that sure: at least 6 have to confirm it.")
    )
    var sameMissed = missed
    sameMissed.confirmation?.isOfSameDevices = true
    #expect(
      sameMissed.words.contains("days, routes and people: none of 3 settings of 1 policy is found to meet"))
    // One that is cheaper, and less sure.
    var rival = card("rival", [.recall: 0.9, .p95Latency: 50, .energy: 1])
    rival.deviceCount = 3
    rival.resamples = [.recall: [0.9, 0.7, 0.9, 0.9], .p95Latency: [50, 50, 50, 50]]
    let dearer = card("dearer", [.recall: 1, .p95Latency: 5, .energy: 3])
    var beside = sure
    beside.finalists = [good, dearer, half, rival]
    #expect(beside.cheaper?.policy == "rival")
    #expect(
      beside.words.hasSuffix(
        " Where this was chosen, rival met the requirement too, for 1.000 %/h in place of 2.000 %/h, with a probability of 75 %, less than the 99.5 % that the search looks for."
      ))
    beside.finalists = [rival, good]
    #expect(beside.cheaper == nil)
    #expect(outcome(good, probability: nil).words.hasSuffix("One device says nothing about others."))
    #expect(
      SearchOutcome(requirement: requirement, tried: 0, policies: 0, finalists: []).words
        == "There was nothing to try.")
  }

  @Test(
    "An answer says the energy and what was asked for, and nothing else",
    arguments: [
      ("energy<=3", "2.000 %/h of the battery."),
      ("recall>=0.5", "2.000 %/h of the battery, with recall 0.800."),
      ("precision>=0.5", "2.000 %/h of the battery, with precision 0.900."),
      ("p95-latency<=60,energy<=3", "2.000 %/h of the battery, with p95-latency 60.0 s."),
      (
        "recall>=0.5,precision>=0.5",
        "2.000 %/h of the battery, with recall 0.800, precision 0.900."
      ),
    ])
  func saysWhatWasAskedFor(text: String, figures: String) throws {
    let found = card("found", [.recall: 0.8, .precision: 0.9, .p95Latency: 60, .energy: 2])
    var outcome = SearchOutcome(
      requirement: try Requirement.parse(text), tried: 3, policies: 1, finalists: [found])
    outcome.confirmation = SearchConfirmation(
      card: found, probability: 0.97, deviceCount: 6, isOfSameDevices: false, seeds: [7])
    #expect(outcome.isMet)
    #expect(
      outcome.words.hasSuffix(
        " On 6 devices that it was not chosen on, it takes \(figures) "
          + "That it meets the requirement elsewhere too is 97 % sure."))
  }

  @Test("The probability is the share of resamples in which all bounds hold at once")
  func probability() throws {
    let requirement = try Requirement.parse("recall>=0.8,p95-latency<=60")
    var card = card("made", [.recall: 0.9, .p95Latency: 50, .energy: 1])
    card.deviceCount = 3
    card.resamples = [.recall: [0.9, 0.9, 0.7, .nan], .p95Latency: [50, 70, 50, 50]]
    #expect(requirement.probability(of: card) == 0.25)
    card.deviceCount = 1
    #expect(requirement.probability(of: card) == nil)
    card.deviceCount = 3
    card.resamples = [:]
    #expect(requirement.probability(of: card) == nil)
  }

  @Test("A figure that is none, or not finite, meets nothing; one at the limit does")
  func limits() {
    let most = Requirement.Bound(.p95Latency, isMinimum: false, limit: 60)
    let least = Requirement.Bound(.recall, isMinimum: true, limit: 0.8)
    for bound in [most, least] {
      #expect(bound.isMet(by: bound.limit) && bound.shortfall(of: bound.limit) == 0)
      for value in [nil, Double.nan] {
        #expect(!bound.isMet(by: value) && bound.shortfall(of: value) == 1)
      }
    }
    #expect(!most.isMet(by: 60.0.nextUp) && most.isMet(by: 0))
    #expect(!least.isMet(by: 0.8.nextDown) && least.isMet(by: 1))
    #expect(most.shortfall(of: 80) == 0.25 && most.shortfall(of: .infinity) == 1)
    #expect(abs(least.shortfall(of: 0.6) - 0.25) < 1e-12 && least.shortfall(of: 0) == 1)
  }

  @Test("Of two that are as near the cheaper is better, and one of unknown energy is not")
  func ties() throws {
    let requirement = try Requirement.parse("recall>=0.8")
    for recall in [0.4, 0.9] {
      let cheap = card("cheap", [.recall: recall, .energy: 1])
      let dear = card("dear", [.recall: recall, .energy: 2])
      let unknown = card("unknown", [.recall: recall])
      #expect(requirement.isBetter(cheap, than: dear) && !requirement.isBetter(dear, than: cheap))
      #expect(requirement.isBetter(dear, than: unknown) && !requirement.isBetter(unknown, than: dear))
    }
  }

  @Test("The front has what nothing beats, ties and all", arguments: 0..<100)
  func front(seed: UInt64) {
    var random = RandomStream(seed: seed, "front")
    let cards = (0..<Int(random.unit() * 12)).map { index -> ScoreCard in
      var values: [Metric: Double] = [
        .energy: (random.unit() * 4).rounded(), .recall: (random.unit() * 4).rounded() / 4,
        .p95Latency: (random.unit() * 4).rounded(),
      ]
      if random.unit() < 0.2 { values[.p95Latency] = nil }
      return card("\(index)", values)
    }
    func better(_ a: ScoreCard, _ b: ScoreCard) -> Bool {
      let (ea, eb) = (a.value(.energy) ?? .infinity, b.value(.energy) ?? .infinity)
      let (ra, rb) = (a.value(.recall) ?? -.infinity, b.value(.recall) ?? -.infinity)
      let (la, lb) = (a.value(.p95Latency) ?? .infinity, b.value(.p95Latency) ?? .infinity)
      return ea <= eb && ra >= rb && la <= lb && (ea < eb || ra > rb || la < lb)
    }
    let expected = cards.indices.filter { place in !cards.contains { better($0, cards[place]) } }
    #expect(ParetoFront.indices(of: cards) == expected, "seed \(seed)")
  }
}
