import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation
@testable import VicinityReports

@Suite("The page of a study")
struct ComparisonPageTests {
  private static let hostile = "</script><script>alert(1)</script>{{data}}"

  /// Ten stops along a street, one of a hostile name, and two phones that go past them at 5 m/s.
  private func study(_ names: (Int) -> String = { "stop-\($0)" }, devices: [String] = ["a", "b"]) throws
    -> Study
  {
    @Sendable func east(_ metres: Double) -> Coordinate {
      Coordinate(latitude: 0, longitude: metres / 111_319.490793)
    }
    let regions = try RegionIndex(
      (1...10).map { Region(identifier: names($0), center: east(1000 * Double($0)), radius: 200) })
    let list = devices.enumerated().map { number, name in
      StudyDevice(name: name) {
        try TrueTrack(
          (0...540).map { step in
            Fix(
              time: Timestamp(microseconds: Int64(1_000_000 + 10 * step) * 1_000_000),
              coordinate: east(5 * Double(min(10 * step, 3600)) + 40 * Double(number)))
          })
      }
    }
    return Study(
      of: [ContinuousTrackingPolicy(.best), MonitorSlotsPolicy()], watching: regions, on: list,
      profile: try DeviceProfile.named("iphone-6"))
  }

  private func page(_ study: Study, requirement: Requirement? = nil) throws -> String {
    let report = try ComparisonReport(try study.run(threads: 1), of: study, requirement: requirement)
    return String(decoding: report.html(), as: UTF8.self)
  }

  @Test("It refers to nothing outside")
  func isSelfContained() throws {
    let page = try page(try study())
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
    // The name of SVG elements, which nothing is fetched from.
    let rest = page.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
    for reference in ["http:", "https:", "src=", "href=", "@import", "url(", "//cdn", "fetch(", "XMLHttp"] {
      #expect(!rest.contains(reference), "\(reference)")
    }
    #expect(page.contains("default-src 'none'"))
    #expect(!page.contains("{{"))
  }

  @Test("Hostile names stay names")
  func isSafe() throws {
    let study = try study({ $0 == 3 ? Self.hostile : "stop-\($0)" }, devices: ["</title><b>", "b"])
    let page = try page(study)
    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(!page.contains("<b>") && !page.contains("<script>alert"))
    let data = try PageData.of(page)
    #expect((data["devices"] as? [String])?.first == "</title><b>")
    let regions = try #require(data["regions"] as? [[String: Any]])
    #expect(regions.contains { $0["id"] as? String == Self.hostile })
  }

  @Test("It says what the study found")
  func figures() throws {
    let study = try study()
    let result = try study.run(threads: 1)
    let data = try PageData.of(
      try page(study, requirement: try Requirement.parse("recall>=0.5,p95-latency<=10min")))
    let policies = try #require(data["policies"] as? [[String: Any]])
    #expect(policies.map { $0["label"] as? String } == result.cards.map(\.policy))
    for (row, card) in zip(policies, result.cards) {
      let metrics = try #require(row["metrics"] as? [String: [Any]])
      let recall = try #require(metrics["recall"]?.first as? Double)
      #expect(abs(recall - (card.value(.recall) ?? -1)) < 1e-6)
      let net = try #require(metrics["net-energy"]?.first as? Double)
      #expect(abs(net - 24 * (card.value(.netEnergy) ?? -1)) < 1e-4)
      let (arrivals, departures) = (try crossings(row, "arrivals"), try crossings(row, "departures"))
      #expect(arrivals.count + departures.count == card.headlineCrossings)
      let events = try #require(row["events"] as? [[Any]])
      let missed = try #require(row["missedCount"] as? Int)
      #expect(events.count == missed + (row["lateCount"] as? Int ?? 0))
      #expect(missed == card.headlineCrossings - arrivals.reported - departures.reported)
    }
    // Wake-ups never stand alone.
    let columns = try #require(data["columns"] as? [String])
    let place = try #require(columns.firstIndex(of: "wakeups"))
    #expect(columns[place...].prefix(2) == ["wakeups", "background-time"])
    #expect((data["lateSeconds"] as? Double) == 600)
    #expect((data["paths"] as? [[Any]])?.count == 2)
    #expect(((data["profile"] as? [Any])?.count ?? 0) == study.profile.listedFigures.count)
  }

  /// Of a policy's row, how many arrivals or departures there are, how many of them were reported, and how
  /// many within each of the page's times.
  private func crossings(
    _ row: [String: Any], _ kind: String
  ) throws -> (count: Int, reported: Int, within: [Int]) {
    let side = try #require(row[kind] as? [String: Any])
    return (
      try #require(side["count"] as? Int), try #require(side["reported"] as? Int),
      try #require(side["within"] as? [Int])
    )
  }

  @Test("Arrivals and departures are apart, and as the metrics of requirements have them")
  func arrivalsAndDepartures() throws {
    var study = try study()
    study.requestedMetrics = [.entriesWithin(seconds: 30), .exitsWithin(seconds: 30)]
    let result = try study.run(threads: 1)
    let page = try ComparisonReport(result, of: study)
    let data = try PageData.of(String(decoding: page.html(), as: UTF8.self))
    let times = try #require(data["times"] as? [Int])
    let place = try #require(times.firstIndex(of: 30))
    #expect(times == times.sorted())
    for (row, card) in zip(try #require(data["policies"] as? [[String: Any]]), result.cards) {
      let kinds: [(String, Metric, Metric)] = [
        ("arrivals", .entryRecall, .entriesWithin(seconds: 30)),
        ("departures", .exitRecall, .exitsWithin(seconds: 30)),
      ]
      for (kind, recall, within) in kinds {
        let side = try crossings(row, kind)
        #expect(side.count > 0)
        #expect(Double(side.reported) / Double(side.count) == card.value(recall))
        #expect(Double(side.within[place]) / Double(side.count) == card.value(within))
      }
    }
  }

  @Test("Where no crossing counts there is no best policy, whatever was asked for")
  func nothingToJudge() throws {
    var study = try study()
    study.filter = VisitFilter(minimumRadius: 1e7)
    let result = try study.run(threads: 1)
    for requirement in [nil, try Requirement.parse("recall>=0.5"), try Requirement.parse("precision>=0")] {
      let card = ComparisonCard(ComparisonReport(result, requirement: requirement))
      #expect(card.title == "Nothing to judge: no track crosses a boundary")
      #expect(card.verdict == .open && card.choices.isEmpty)
      #expect(card.facts.first?.contains("visits to regions of 10000000 m or more") == true, "\(card.facts)")
    }
  }

  @Test("The card says what to ship, what it costs and tells, and what could make that wrong")
  func card() throws {
    var study = try study()
    (study.seeds, study.phones, study.resampling.count) = ([1, 2], .drawn, 60)
    let result = try study.run(threads: 1)
    func card(_ text: String) throws -> ComparisonCard {
      ComparisonCard(ComparisonReport(result, requirement: try Requirement.parse(text)))
    }
    // Best tracks all; the slots are cheaper and do less.
    let (best, slots) = (result.cards[0], result.cards[1])
    let all = try card("entry-recall>=0.95")
    #expect(all.title == "Ship this: \(best.policy)" && all.verdict == .unsure)
    let net = try #require(best.value(.netEnergy))
    #expect(
      all.facts[0].hasPrefix(
        "It costs \(ComparisonWords.text(24 * net, 2)) % of the battery a day above idle ("))
    #expect(
      all.facts[1].hasPrefix(
        "It tells \(ComparisonCard.percent(best.value(.visitRecall))) of the visits before they end"))
    #expect(
      all.facts[1].contains(
        "Of all that it reports, \(ComparisonCard.percent(best.value(.precision))) has happened."))
    let latency = Metric.entryP95Latency.text(best.value(.entryP95Latency))
    #expect(
      all.facts[1].contains("of all arrivals it reports ")
        && all.facts[1].contains("; of all departures it reports "))
    #expect(all.facts[1].contains(", 95 % of them within \(latency);"))
    #expect(all.facts[2].hasPrefix("To ship it takes "))
    // The assumptions stand beside the answer, and what the phone may add is said apart from the interval.
    let phone = try #require(best.energyIntervals[.netEnergy]?.phone)
    #expect(all.doubts[0].contains("figures are assumed"))
    #expect(
      all.doubts[0].contains(
        " \(ComparisonWords.text(24 * phone.lowerBound, 2)) to \(ComparisonCard.aDay(phone.upperBound)) a day"
      ))
    #expect(all.doubts.contains { $0.contains("chosen and judged on the same runs") })
    #expect(all.doubts.contains { $0.contains("Judged are all visits: \(best.headlineVisits) in ") })
    let few = try card("entry-recall>=0.01")
    #expect(few.title == "Ship this: \(slots.policy)")
    let none = try card("entry-recall>=1,entry-p95-latency<=0s")
    #expect(none.verdict == .unmet && none.title.hasPrefix("Nothing here does what was asked. The nearest: "))
    // One that failed where it was tried again: named is what else does it, and how that is known.
    var report = ComparisonReport(result, requirement: try Requirement.parse("entry-recall>=0.95"))
    var confirmation = SearchConfirmation(
      card: slots, probability: 0, deviceCount: 2, isOfSameDevices: false, seeds: [7])
    confirmation.references = [(best, result.comparison(of: 1, with: 0))]
    report.answer = .init(words: "", confirmation: confirmation, isMetWhereChosen: true)
    let failed = ComparisonCard(report)
    #expect(
      failed.verdict == .unmet
        && failed.title
          == "What was chosen does not do what was asked where it was tried again: \(slots.policy)"
    )
    #expect(
      failed.facts.contains { $0.hasPrefix("\(best.policy), run beside it, does what was asked. It costs ") })
    report.answer?.confirmation?.references = []
    #expect(
      ComparisonCard(report).facts.contains(
        "In the table, \(best.policy) does what was asked, but was not tried elsewhere."))
    report.answer?.isMetWhereChosen = false
    #expect(ComparisonCard(report).title.hasPrefix("Nothing here does what was asked. The nearest: "))
    // Without a requirement: the choices, in plain words.
    let open = ComparisonCard(ComparisonReport(result))
    #expect(open.verdict == .open && open.facts.isEmpty)
    // What the app was allowed: what it lacks comes first, with a requirement and without.
    let needs = "To ship it takes \(MonitorSlotsPolicy().needs); permission always."
    #expect(few.facts.contains(needs) && few.doubts.first?.contains("The phone is simulated") == true)
    #expect(few.doubts[0].hasSuffix("are those called \(try #require(result.conditions).rules)."))
    for text in ["entry-recall>=0.01", nil] {
      var limited = result
      limited.conditions?.limits = "nothing wakes it"
      let card = ComparisonCard(
        ComparisonReport(limited, requirement: try text.map { try Requirement.parse($0) }))
      #expect(card.doubts.first == "In this study, nothing wakes it.")
    }
    #expect(open.choices.map(\.policy) == [slots.policy, best.policy])
    #expect(open.choices.map(\.role) == ["cheapest", "soonest and misses least"])
    #expect(
      open.choices[0].words.hasPrefix(
        "\(ComparisonCard.aDay(slots.value(.netEnergy))) of the battery a day above idle"))
    // Alike the slots, but for its cost.
    var three = result
    var middle = slots
    middle.policy = "middle"
    middle.headline[.netEnergy] = Estimate(value: ((slots.value(.netEnergy) ?? 0) + net) / 2)
    three.cards.append(middle)
    let choices = ComparisonCard(ComparisonReport(three)).choices
    #expect(choices.map(\.policy) == [slots.policy, best.policy, "middle"])
    let between = try #require(choices.last)
    let cost = ComparisonCard.aDay(middle.value(.netEnergy))
    #expect(between.role == "in between" && between.words == "\(cost) of the battery a day above idle")
  }

  @Test("What was asked passes or fails for each policy; those that pass come first")
  func asked() throws {
    let study = try study()
    let result = try study.run(threads: 1)
    let requirement = try Requirement.parse("entry-recall>=0.95,entry-p95-latency<=60s")
    let data = try PageData.of(try page(study, requirement: requirement))
    let asked = try #require(data["asked"] as? [String: Any])
    #expect(asked["bounds"] as? [String] == ["entry-recall>=0.95", "entry-p95-latency<=60s"])
    let rows = try #require(asked["rows"] as? [[String: Any]])
    #expect(rows.map { $0["policy"] as? String } == result.cards.map(\.policy))
    #expect(rows.map { $0["met"] as? Bool } == [true, false])
    for (row, card) in zip(rows, result.cards) {
      let cells = try #require(row["cells"] as? [[String: Any]])
      #expect(
        cells.map { $0["text"] as? String }
          == requirement.bounds.map { $0.metric.text(card.value($0.metric)) })
      #expect(
        cells.map { $0["met"] as? Bool } == requirement.bounds.map { $0.isMet(by: card.value($0.metric)) })
    }
  }

  @Test("Policies that differ in their latency alone have a slider, others have none")
  func knobs() throws {
    var study = try study()
    let adaptive = MonitorAdaptivePolicy()
    study.policies = [
      adaptive, MonitorSlotsPolicy(), adaptive.setting(\.latency, to: 300), MonitorAdaptivePolicy(.quiet),
      adaptive.setting(\.latency, to: 15), adaptive.setting(\.shortestVisit, to: 0),
    ]
    let data = try PageData.of(try page(study))
    let knobs = try #require(data["knobs"] as? [[String: Any]])
    #expect(knobs.map { $0["policy"] as? String } == ["monitor-adaptive"])
    #expect(knobs[0]["rows"] as? [[Double]] == [[15, 4], [60, 0], [300, 2]])
    #expect((try PageData.of(try page(try self.study()))["knobs"] as? [Any])?.isEmpty == true)
  }

  @Test("Intervals of energies leave out the phone, which is said apart; as in the files")
  func energiesApart() throws {
    var study = try study(devices: ["a", "b", "c", "d"])
    (study.seeds, study.phones, study.resampling.count) = ([1, 2], .drawn, 100)
    let result = try study.run(threads: 1)
    let data = try PageData.of(
      String(decoding: try ComparisonReport(result, of: study).html(), as: UTF8.self))
    let policies = try #require(data["policies"] as? [[String: Any]])
    for (row, card) in zip(policies, result.cards) {
      let net = try #require((row["metrics"] as? [String: Any])?["net-energy"] as? [Double])
      let parts = try #require(card.energyIntervals[.netEnergy])
      let days = try #require(parts.days)
      #expect(abs(net[1] - 24 * days.lowerBound) < 1e-4 && abs(net[2] - 24 * days.upperBound) < 1e-4)
    }
    #expect((data["phoneNote"] as? String)?.contains("What the phone itself adds is apart") == true)
    #expect((data["components"] as? [String])?.contains("idle") == false)
    let pairs = try #require(data["pairs"] as? [[Any]])
    let pair = try #require((pairs[0][2] as? [String: Any])?["net-energy"] as? [Double])
    let found = try #require(result.comparisons()[0].differences.first { $0.metric == .energy })
    let (days, phone) = (try #require(found.difference.interval), try #require(found.phone))
    for (shown, value) in zip(pair, [found.difference.value ?? 0, days.lowerBound, days.upperBound]) {
      #expect(abs(shown - 24 * value) < 1e-4)
    }
    #expect(abs(pair[4] - 24 * phone.lowerBound) < 1e-4 && abs(pair[5] - 24 * phone.upperBound) < 1e-4)
    // The files say the same.
    let files = ComparisonFiles(result).contents(ComparisonReport(result))
    let table = String(decoding: files[2], as: UTF8.self).split(separator: "\n")
    #expect(table[0].hasSuffix(",surety,phone_low,phone_high"))
    let energies = try #require(table.first { $0.contains(",energy,") }).split(separator: ",")
    let ends = try energies.suffix(2).map { try #require(Double($0)) }
    #expect(abs(ends[0] - phone.lowerBound) < 1e-6 && abs(ends[1] - phone.upperBound) < 1e-6)
    let summary = String(decoding: files[0], as: UTF8.self).split(separator: "\n")
    #expect(
      summary[0].hasSuffix(
        "net_energy_days_low,net_energy_days_high,net_energy_phone_low,net_energy_phone_high"))
    let low = try #require(summary[1].split(separator: ",").dropLast(3).last.flatMap { Double($0) })
    #expect(abs(low - (result.cards[0].energyIntervals[.netEnergy]?.days?.lowerBound ?? -1)) < 1e-6)
  }

  @Test("The chosen policy is marked, confirmed and compared; phones and tuned settings are there")
  func answer() throws {
    var study = try study(devices: ["a", "b", "c", "d"])
    (study.seeds, study.phones, study.resampling.count) = ([1, 2], .drawn, 100)
    var result = try study.run(threads: 1)
    let requirement = try Requirement.parse("recall>=0.5,entries-within-60s>=0.01")
    var search = PolicySearch(study, for: requirement)
    (search.restarts, search.refinements, search.gridLimit) = (0, 0, 4)
    search.references = [ContinuousTrackingPolicy(.best)]
    let outcome = try search.run(threads: 1)
    result.chosen = 1
    var report = try ComparisonReport(result, of: study, search: outcome)
    report.tuned = try search.tuned(threads: 1)
    report.phones = PhoneComparison([
      PhoneComparison.Entry(result, outcome), PhoneComparison.Entry(result),
    ])
    let data = try PageData.of(String(decoding: report.html(), as: UTF8.self))
    let policies = try #require(data["policies"] as? [[String: Any]])
    #expect(policies.map { $0["chosen"] as? Bool } == [false, true])
    #expect(
      policies.map { $0["needs"] as? String } == study.policies.map { $0.needs + "; permission always" })
    for row in policies {
      let shares = try #require(row["shares"] as? [Double])
      #expect(abs(shares.reduce(0, +) - 1) < 0.01)
    }
    let confirmation = try #require(outcome.confirmation)
    let rows = try #require((data["asked"] as? [String: Any])?["rows"] as? [[String: Any]])
    #expect(rows.map { $0["confirmed"] as? Bool } == [true, false, false])
    #expect(rows[0]["policy"] as? String == confirmation.card.policy)
    let cells = try #require(rows[0]["cells"] as? [[String: Any]])
    #expect(cells.allSatisfy { $0["probability"] is Double } && cells.count == 2)
    #expect((data["words"] as? String) == outcome.words)
    let card = try #require(data["card"] as? [String: Any])
    #expect(card["title"] as? String == "Ship this: \(confirmation.card.policy)")
    let facts = try #require(card["facts"] as? [String])
    #expect(facts[0].hasPrefix("It costs \(ComparisonCard.aDay(confirmation.card.value(.netEnergy))) of"))
    let doubts = try #require(card["doubts"] as? [String])
    #expect(doubts.contains { $0.contains("2 devices that it was not chosen on") })
    // Two devices say too little of others.
    #expect(!confirmation.isSure && (confirmation.probability ?? 0) >= SearchOutcome.sureProbability)
    #expect(doubts.contains { $0.hasPrefix("So few devices cannot make sure that it does what was asked") })
    #expect(doubts.contains { $0.hasPrefix("On other phones: ") })
    #expect(data["withinSeconds"] as? Int == 60)
    let phones = try #require((data["phones"] as? [String: Any])?["rows"] as? [[String: Any]])
    #expect(phones.count == 2 && phones[0]["policy"] as? String == outcome.best?.policy)
    let tuned = try #require((data["tuned"] as? [String: Any])?["rows"] as? [[String: Any]])
    #expect(tuned.map { $0["preset"] as? String } == study.policies.map(\.label))
  }

  @Test("Every element that the script looks for is on the page, and every metric of a column is known")
  func elements() throws {
    let page = try page(try study())
    let script = String(decoding: PackageResources.comparison_js, as: UTF8.self)
    var found = 0
    for match in script.matches(of: /el\("([a-z-]+)"\)/) {
      found += 1
      #expect(page.contains("id=\"\(match.1)\""), "\(match.1)")
    }
    #expect(found > 40)
    let data = try PageData.of(page)
    for match in script.matches(of: /\bdata\.([a-zA-Z]+)/) {
      #expect(data[String(match.1)] != nil, "\(match.1)")
    }
    let known = try #require(data["metrics"] as? [[String: Any]]).compactMap { $0["name"] as? String }
    for list in ["columns", "moreColumns"] {
      let names = try #require(data[list] as? [String])
      #expect(Set(names).isSubset(of: known) && names.count >= 7)
    }
  }

  @Test("The same study is the same page, whatever the threads")
  func determinism() throws {
    let study = try study()
    let one = try ComparisonReport(try study.run(threads: 1), of: study, threads: 1)
    let other = try ComparisonReport(try study.run(threads: 3), of: study, threads: 3)
    #expect(one.html() == other.html())
  }

  @Test("Paths keep their ends and shape with few points")
  func paths() throws {
    let track = try TrueTrack(
      (0..<1000).map {
        Fix(
          time: Timestamp(microseconds: Int64($0) * 1_000_000),
          coordinate: Coordinate(latitude: 0.0001 * Double(min($0, 500)), longitude: 0))
      })
    let path = ComparisonReport.path(of: track, points: 50)
    #expect(path.count >= 45 && path.count <= 60)
    #expect(path.first == Coordinate(latitude: 0, longitude: 0))
    #expect(path.last == Coordinate(latitude: 0.05, longitude: 0))
  }
}
