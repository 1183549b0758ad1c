import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityEvaluation

@Suite("Matching reports with what happened")
struct EventMatchingTests {
  private func time(_ seconds: Double) -> Timestamp { Timestamp(microseconds: Int64(seconds * 1e6)) }

  private func crossing(_ kind: Crossing.Kind, _ region: Int, _ seconds: Double) -> Crossing {
    Crossing(
      region: region, kind: kind, time: time(seconds), coordinate: Coordinate(latitude: 0, longitude: 0))
  }

  private func report(_ isEntry: Bool, _ region: Int?, _ seconds: Double) -> ReportedEvent {
    ReportedEvent(
      time: time(seconds), claimed: time(seconds), isEntry: isEntry, region: region, identifier: "r")
  }

  /// What a list of matches comes to, as text: `0>12` for a crossing at 0 reported at 12.
  private func text(_ matches: [EventMatch]) -> [String] {
    matches.map { match in
      let truth = match.truth.map { "\(Int($0.time.seconds))" } ?? "-"
      return truth + ">" + (match.report.map { "\(Int($0.time.seconds))" } ?? "-")
    }
  }

  @Test("Each crossing takes the report that follows it")
  func inTurn() {
    let matches = EventMatching.match(
      [crossing(.enter, 0, 0), crossing(.exit, 0, 100), crossing(.enter, 0, 1000)],
      [report(true, 0, 12), report(false, 0, 130), report(true, 0, 1005)])
    #expect(text(matches) == ["0>12", "100>130", "1000>1005"])
    #expect(matches[0].delay == 12)
  }

  @Test("A crossing before whose report another has happened is missed")
  func missed() {
    let matches = EventMatching.match(
      [crossing(.enter, 0, 0), crossing(.exit, 0, 10), crossing(.enter, 0, 500)], [report(true, 0, 510)])
    #expect(text(matches) == ["0>-", "10>-", "500>510"])
  }

  @Test("A second report, one of the other kind, and one of another region are reports of nothing")
  func spurious() {
    let matches = EventMatching.match(
      [crossing(.enter, 0, 0)],
      [
        report(true, 0, 5), report(true, 0, 50), report(false, 0, 60), report(true, 1, 70),
        report(true, nil, 80),
      ])
    #expect(text(matches) == ["0>5", "->50", "->60", "->70", "->80"])
  }

  @Test("A report may be a minute early, and no more")
  func early() {
    let crossings = [crossing(.enter, 0, 100)]
    #expect(text(EventMatching.match(crossings, [report(true, 0, 41)])) == ["100>41"])
    #expect(text(EventMatching.match(crossings, [report(true, 0, 39)])) == ["->39", "100>-"])
  }

  @Test("A report half an hour late is of its crossing; a later one is of nothing")
  func late() {
    let crossings = [crossing(.enter, 0, 100)]
    #expect(text(EventMatching.match(crossings, [report(true, 0, 1900)])) == ["100>1900"])
    #expect(text(EventMatching.match(crossings, [report(true, 0, 1901)])) == ["100>-", "->1901"])
  }

  @Test("No report is used twice, and none is lost", arguments: 0..<200)
  func conservation(seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    var crossings: [Crossing] = []
    var reports: [ReportedEvent] = []
    for _ in 0..<below(30) {
      crossings.append(crossing(below(2) == 0 ? .enter : .exit, below(3), Double(below(1000))))
    }
    for _ in 0..<below(30) {
      reports.append(report(below(2) == 0, below(4) == 3 ? nil : below(3), Double(below(1000))))
    }
    crossings.sort { $0.time < $1.time }
    reports.sort { $0.time < $1.time }
    let matches = EventMatching.match(crossings, reports)
    #expect(matches.compactMap(\.truth).count == crossings.count, "seed \(seed)")
    #expect(matches.compactMap(\.report).count == reports.count, "seed \(seed)")
    for match in matches {
      guard let truth = match.truth, let report = match.report else { continue }
      #expect(truth.region == report.region && (truth.kind == .enter) == report.isEntry, "seed \(seed)")
      #expect(report.time.seconds(since: truth.time) >= -60, "seed \(seed)")
    }
  }
  @Test("A late report is of the crossing that it follows, though the next is nearer than a minute")
  func lateRatherThanEarly() {
    let crossings = [crossing(.enter, 0, 0), crossing(.exit, 0, 20), crossing(.enter, 0, 50)]
    #expect(text(EventMatching.match(crossings, [report(true, 0, 30)])) == ["0>30", "20>-", "50>-"])
    #expect(
      text(EventMatching.match(crossings, [report(true, 0, 5), report(true, 0, 45)]))
        == ["0>5", "20>-", "50>45"])
    #expect(
      text(EventMatching.match(crossings, [report(true, 0, 5), report(true, 0, 55)]))
        == ["0>5", "20>-", "50>55"])
  }

  @Test("A repeated report is not taken for the crossing before")
  func repeated() {
    let crossings = [crossing(.enter, 0, 0), crossing(.enter, 0, 1000)]
    #expect(
      text(EventMatching.match(crossings, [report(true, 0, 1005), report(true, 0, 1010)]))
        == ["0>-", "1000>1005", "->1010"])
  }

  @Test("No way to match is better, and the order of what is given does not matter", arguments: 0..<300)
  func best(seed: UInt64) {
    var random = RandomStream(seed: seed, "matching")
    func below(_ count: Int) -> Int { Int(random.unit() * Double(count)) }
    let times = (0..<(1 + below(5))).map { _ in Double(below(60) * 5) }
    let crossings = Set(times).sorted().map { crossing(.enter, 0, $0) }
    let reports = (0..<below(6)).map { _ in report(true, 0, Double(below(80) * 5)) }.sorted {
      $0.time < $1.time
    }
    let rule = MatchingRule(lateness: .seconds(120))
    // Matched, early, and how far off: every way that keeps the order, one crossing after the other.
    func worth(_ crossing: Int, _ first: Int) -> (Int, Int, Double) {
      guard crossing < crossings.count else { return (0, 0, 0) }
      var best = worth(crossing + 1, first)
      for (index, report) in reports.enumerated() where index >= first {
        let delay = report.time.seconds(since: crossings[crossing].time)
        let isOver = crossing + 1 < crossings.count && report.time >= crossings[crossing + 1].time
        guard delay >= -60, delay <= 120, !isOver else { continue }
        let rest = worth(crossing + 1, index + 1)
        let way = (rest.0 + 1, rest.1 - (delay < 0 ? 1 : 0), rest.2 - abs(delay))
        if way > best { best = way }
      }
      return best
    }
    let matches = EventMatching.match(crossings, reports, by: rule)
    let delays = matches.compactMap(\.delay)
    let expected = worth(0, 0)
    #expect(delays.count == expected.0, "seed \(seed)")
    #expect(delays.count { $0 < 0 } == -expected.1, "seed \(seed)")
    #expect(delays.reduce(0) { $0 + abs($1) } == -expected.2, "seed \(seed)")
    let turned = EventMatching.match(crossings.reversed(), reports.reversed(), by: rule)
    #expect(text(turned).sorted() == text(matches).sorted(), "seed \(seed)")
  }
}
