import Testing
import VicinityCrossings
import VicinityTestSupport

@testable import VicinityEvaluation

@Suite("Which crossings count, and what tells them")
struct CountedCrossingsTests {
  private typealias Made = MadeScores

  private static let minute = VisitFilter(minimumRadius: 100, minimumSeconds: 60)

  /// A device's truth for an hour: visits to one region, from when until when.
  private func truth(_ visits: [(Double?, Double?)], radius: Double = 120) -> DeviceTruth {
    Made.truth(
      "a", until: 3600, visits.map { .init(region: 0, radius: radius, entry: $0.0, exit: $0.1) })
  }

  /// The crossings that count, and the ends of their stays, seconds.
  private func counted(_ truth: DeviceTruth, _ filter: VisitFilter = minute) -> [[Double]] {
    zip(truth.crossings, CountedCrossings(truth, filter).stayEnds).compactMap { crossing, end in
      end.map { [crossing.crossing.time, $0].map { $0.seconds(since: Made.time(0)) } }
    }
  }

  @Test(
    "A stay counts from its uninterrupted beginning to its end for good, whatever short steps stand around")
  func stays() {
    #expect(counted(truth([(100, 105), (160, 3000)])) == [[160, 3000], [3000, 3000]])
    #expect(counted(truth([(100, 400), (410, 430)])) == [[100, 430], [430, 430]])
    #expect(counted(truth([(100, 400), (430, 900)])) == [[100, 900], [900, 900]])
    #expect(
      counted(truth([(100, 400), (460, 900)])) == [[100, 400], [400, 400], [460, 900], [900, 900]])
    #expect(counted(truth([(100, 159.999), (200, 259.999)])).isEmpty)
    #expect(counted(truth([(100, 160)])) == [[100, 160], [160, 160]])
    // There when the track begins, and at its end.
    #expect(counted(truth([(nil, 500), (1000, nil)])) == [[500, 500], [1000, 3600]])
    #expect(counted(truth([(nil, 500), (530, 900)])) == [[900, 900]])
    #expect(counted(truth([(nil, 59), (3541, nil)])).isEmpty)
    #expect(counted(truth([(100, 400)], radius: 99)).isEmpty)
    #expect(counted(truth([(100, 400)], radius: .nan)).isEmpty)
    #expect(counted(truth([(100, 105), (110, 111)]), .all).map { $0[0] } == [100, 105, 110, 111])
  }

  /// By another way: a region's whole day as a row of states, without the short ones.
  private func plainly(_ truth: DeviceTruth, region: Int, _ filter: VisitFilter) -> [Timestamp] {
    var states: [(isInside: Bool, from: Timestamp, until: Timestamp, isCrossing: Bool)] = []
    var last = truth.start
    for visit in truth.visits.sorted(by: { $0.start < $1.start }) where visit.region == region {
      if visit.entry != nil { states.append((false, last, visit.start, last != truth.start)) }
      states.append((true, visit.start, visit.end, visit.entry != nil))
      last = visit.end
    }
    if truth.visits.last(where: { $0.region == region })?.exit != nil {
      states.append((false, last, .init(microseconds: .max / 2), true))
    }
    // Before the track the device is taken to have been away.
    var isInside = false
    var times: [Timestamp] = []
    for state in states where state.until.seconds(since: state.from) >= filter.minimumSeconds {
      if state.isInside != isInside, state.isCrossing { times.append(state.from) }
      isInside = state.isInside
    }
    return times
  }

  @Test(
    "As the row of a region's states without the short ones says", arguments: 1...200 as ClosedRange<UInt64>)
  func drawnDays(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var visits: [Made.Visit] = []
    for region in 0..<3 {
      var time = 0.0
      // Each third device is in the region when its track begins, and each fifth at the end.
      var entry: Double? = seed % 3 == 0 ? nil : Double.random(in: 1...200, using: &random)
      time = entry ?? 0
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let exit = time + Double.random(in: 1...150, using: &random)
        visits.append(.init(region: region, radius: region == 2 ? 50 : 150, entry: entry, exit: exit))
        time = exit + Double.random(in: 1...150, using: &random)
        entry = time
      }
      if seed % 5 == 0 { visits[visits.count - 1].exit = nil }
    }
    let truth = Made.truth("a", until: 3600, visits)
    let counts = CountedCrossings(truth, Self.minute)
    for region in 0..<3 {
      let found = truth.crossings.indices.filter {
        counts.contains($0) && truth.crossings[$0].crossing.region == region
      }
      #expect(
        found.map { truth.crossings[$0].crossing.time }
          == (region == 2 ? [] : plainly(truth, region: region, Self.minute)), "seed \(seed)")
    }
  }

  private func card(
    _ truth: DeviceTruth, _ reports: [(isEntry: Bool, at: Double)]
  ) throws -> (card: ScoreCard, delays: [Double?]) {
    let score = try Made.score(
      truth, reports.map { Made.Report(isEntry: $0.isEntry, region: 0, at: $0.at) })
    let counts = CountedCrossings(truth, Self.minute)
    let delays = truth.crossings.indices.filter(counts.contains).map {
      counts.outcome(of: $0, score.outcomes, truth)?.delay
    }
    return (Made.card([score], [truth], filter: Self.minute), delays)
  }

  @Test("What was told at a short step before a stay has been told, unless it was taken back")
  func toldBefore() throws {
    let comes = truth([(100, 105), (160, 3000)])
    let told = try card(comes, [(true, 103), (false, 3010)])
    #expect(told.delays == [-57, 10] && told.card.value(.recall) == 1)
    #expect(told.card.value(.visitRecall) == 1 && told.card.value(.maxLatency) == 10)
    #expect(try card(comes, [(true, 103), (false, 110), (false, 3010)]).delays == [nil, 10])
    #expect(try card(comes, [(true, 103), (false, 110), (true, 190), (false, 3010)]).delays == [30, 10])
    let goes = truth([(100, 400), (410, 430)])
    #expect(try card(goes, [(true, 130), (false, 402)]).delays == [30, -28])
    #expect(try card(goes, [(true, 130), (false, 402), (true, 415)]).delays == [30, nil])
  }

  @Test("What was told of an earlier stay tells nothing of the next one")
  func toldOfAnother() throws {
    let found = try card(truth([(100, 400), (1000, 1400)]), [(true, 130), (false, 1430)])
    #expect(found.delays == [30, nil, nil, 30] && found.card.value(.recall) == 0.5)
  }

  @Test("An entry that is told after a short step out, but within the stay, counts for visit recall")
  func toldWithinStay() throws {
    let found = try card(truth([(100, 170), (200, 900)]), [(true, 190), (false, 905)])
    #expect(found.delays == [90, 5] && found.card.value(.visitRecall) == 1)
    // Its dwell time is no whole visit's.
    #expect(found.card.value(.dwellError) == nil)
    let late = try card(truth([(100, 170), (400, 900)]), [(true, 190), (false, 905)])
    #expect(late.card.value(.visitRecall) == 0 && late.card.headlineVisits == 2)
  }
}
