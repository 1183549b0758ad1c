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
      #expect(row["crossings"] as? Int == card.headlineCrossings)
      let events = try #require(row["events"] as? [[Any]])
      let missed = try #require(row["missedCount"] as? Int)
      #expect(events.count == missed + (row["lateCount"] as? Int ?? 0))
      #expect(missed == card.headlineCrossings - (row["reported"] as? Int ?? 0))
    }
    let answer = try #require(data["answer"] as? [String])
    #expect(answer[0].contains("meets it at") && answer[0].contains("% of the battery an hour"))
    #expect(answer[0].contains(", with recall ") && answer[0].contains(" and p95-latency "))
    // Only what was asked for.
    let other = try PageData.of(try page(study, requirement: try Requirement.parse("precision>=0.1")))
    let words = try #require((other["answer"] as? [String])?.first)
    #expect(words.contains(", with precision ") && !words.contains("recall") && !words.contains("latency"))
    // Wake-ups never stand alone.
    let columns = try #require(data["columns"] as? [String])
    let place = try #require(columns.firstIndex(of: "wakeups"))
    #expect(columns[place...].prefix(2) == ["wakeups", "background-time"])
    #expect(((data["requirement"] as? [String: Any])?["met"] as? Bool) == true)
    #expect((data["lateSeconds"] as? Double) == 600)
    #expect((data["paths"] as? [[Any]])?.count == 2)
    #expect(((data["profile"] as? [Any])?.count ?? 0) == study.profile.listedFigures.count)
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
    #expect(policies.map { $0["needs"] as? String } == study.policies.map(\.needs))
    for row in policies {
      let shares = try #require(row["shares"] as? [Double])
      #expect(abs(shares.reduce(0, +) - 1) < 0.01)
    }
    let confirmed = try #require(data["confirmed"] as? [String: Any])
    let confirmation = try #require(outcome.confirmation)
    #expect(confirmed["policy"] as? String == confirmation.card.policy)
    let rows = try #require(confirmed["rows"] as? [[String: Any]])
    #expect(rows.map { $0["metric"] as? String } == ["recall", "entries-within-60s", "energy"])
    #expect(rows.allSatisfy { ($0["value"] as? [Any])?.count == 3 })
    #expect(rows[0]["probability"] is Double && rows[2]["probability"] == nil)
    let pairs = try #require(data["pairs"] as? [[Any]])
    let energy = try #require((pairs[0][2] as? [String: [Double]])?["energy"])
    let pair = try #require(result.comparisons()[0].differences.first { $0.metric == .energy })
    #expect(abs(energy[0] - (pair.difference.value ?? 0)) < 1e-5)
    #expect(abs(energy[3] - (try #require(pair.surety))) < 1e-3)
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
    let known = try #require(data["metrics"] as? [[String: Any]]).compactMap { $0["name"] as? String }
    for list in ["columns", "moreColumns"] {
      let names = try #require(data[list] as? [String])
      #expect(Set(names).isSubset(of: known) && names.count >= 7)
    }
  }

  @Test("A requirement that nothing meets, and none at all")
  func words() throws {
    let study = try study()
    let result = try study.run(threads: 1)
    let hard = try Requirement.parse("recall>=1,p95-latency<=0s")
    let none = ComparisonWords(ComparisonReport(result, requirement: hard))
    #expect(!none.isMet && none.answer[0] == "None of the 2 policies meets it.")
    #expect(none.answer.contains { $0.contains("p95-latency<=0s") })
    let free = ComparisonWords(ComparisonReport(result))
    #expect(free.answer[0].contains("not beaten") && free.lateSeconds == 300)
    let given = ComparisonReport(result, requirement: hard, answer: .init(isMet: true, words: ["So it is."]))
    #expect(ComparisonWords(given).answer == ["So it is."] && ComparisonWords(given).isMet)
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
