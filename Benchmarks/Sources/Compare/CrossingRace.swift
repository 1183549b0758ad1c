import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// One set of tracks, followed by ours and by the C++ programs.
final class CrossingEntry {
  let scenario: String
  let n: Int
  let tracks: Tracks
  let index: RegionIndex
  let indexCost: Cost
  let peers: [CrossingPeer]
  /// Thread-CPU nanoseconds of each repetition: ours, then each peer's.
  fileprivate var times: [[Double]]
  fileprivate var geodesics: [Double] = []
  private var crossings: [Crossing] = []

  init(_ scenario: String, _ circles: Circles, _ tracks: Tracks, _ ours: Ours, _ peers: [CrossingPeer] = []) {
    self.scenario = scenario
    n = circles.count
    self.tracks = tracks
    index = ours.index
    indexCost = ours.buildCost
    self.peers = peers
    times = Array(repeating: [], count: peers.count + 1)
  }

  /// Follows all tracks in bulk.
  ///
  /// - Returns: Thread-CPU nanoseconds; the crossings, in `crossings`.
  fileprivate func runOurs() throws -> Double {
    crossings.removeAll(keepingCapacity: true)
    var detector = try CrossingDetector(index)
    let tracks = tracks
    let fixes = tracks.fixes.span
    let start = Clock.thread
    for track in 0..<tracks.count {
      try detector.advance(through: fixes.extracting(tracks.range(track)), into: &crossings)
      detector.reset()
    }
    return Clock.thread - start
  }

  /// Runs the contestant at `turn`: ours at 0, then the peers.
  fileprivate func run(_ turn: Int) throws -> Double {
    if turn == 0 { return try runOurs() }
    var none: [StateChange]?
    return peers[turn - 1].run(tracks, changes: &none)
  }

  /// What ours report: how many crossings, and what tests at fixes see of them.
  ///
  /// Fix by fix, so that it is certain between which two fixes a crossing lies; the bulk's crossings must be
  /// the same.
  fileprivate func findings() throws -> (changes: [StateChange], entries: Int, exits: Int, unseen: Int) {
    _ = try runOurs()
    let bulk = crossings
    var detector = try CrossingDetector(index)
    var changes: [StateChange] = []
    var single: [Crossing] = []
    var entries = 0
    for track in 0..<tracks.count {
      for i in tracks.range(track) {
        let found = try detector.advance(to: tracks.fixes[i])
        if found.isEmpty { continue }
        single += found
        var net: [Int: Int] = [:]
        for crossing in found {
          if crossing.kind == .enter { entries += 1 }
          net[crossing.region, default: 0] += crossing.kind == .enter ? 1 : -1
        }
        for (region, sum) in net where sum != 0 {
          changes.append(StateChange(fix: UInt32(i), region: UInt32(region), isInside: sum > 0))
        }
      }
      detector.reset()
    }
    guard single == bulk else { throw Failure("\(scenario) \(n): fix by fix is not the same as in bulk") }
    return (changes.sorted(), entries, single.count - entries, single.count - changes.count)
  }

  /// The changes of state at fixes that ours implies.
  func changes() throws -> [StateChange] { try findings().changes }

  /// The rows, once all repetitions are over.
  fileprivate func rows() throws -> [CrossingRow] {
    let (changes, entries, exits, unseen) = try findings()
    let perFix = 1 / Double(tracks.fixes.count)
    func row(_ contestant: String, _ times: [Double], _ build: Cost) -> CrossingRow {
      CrossingRow(
        scenario: scenario, n: n, contestant: contestant, fixes: tracks.fixes.count, devices: tracks.count,
        repetitions: times.count, build: build, median: times.percentile(0.5) * perFix,
        minimum: (times.min() ?? .nan) * perFix,
        perGeodesic: zip(times, geodesics).map { $0 * perFix / $1 }.percentile(0.5))
    }
    var first = row("vicinity", times[0], indexCost)
    (first.entries, first.exits, first.unseen) = (entries, exits, unseen)
    var rows = [first]
    for (i, peer) in peers.enumerated() {
      var theirs: [StateChange]? = []
      _ = peer.run(tracks, changes: &theirs)
      let seen = theirs ?? []
      var other = row(peer.name, times[i + 1], peer.buildCost)
      other.entries = seen.count { $0.isInside }
      other.exits = seen.count { !$0.isInside }
      other.differences = Set(changes).symmetricDifference(seen).count
      rows.append(other)
    }
    return rows
  }
}

/// Entries in turns, as in ``Race``: ours and the peers', one repetition of each after the other, in an order
/// drawn anew.
struct CrossingRace {
  var library: PeerLibrary
  var repetitions: Int
  var legs: Queries
  var progress: Progress
  var entries: [CrossingEntry] = []

  func run() throws -> [CrossingRow] {
    var random = SplitMix64(seed: 1)
    for repetition in 0...repetitions {
      for entry in entries.shuffled(using: &random) {
        progress.show("\(entry.scenario) \(entry.n): repetition \(repetition)")
        let unit = library.geodesicNanoseconds(legs, count: 200)
        for contestant in (0...entry.peers.count).shuffled(using: &random) {
          let time = try entry.run(contestant)
          // The first one grows what is kept from repetition to repetition.
          if repetition > 0 { entry.times[contestant].append(time) }
        }
        if repetition == 0 { continue }
        entry.geodesics.append(unit)
      }
    }
    progress.clear()
    return try entries.flatMap { try $0.rows() }
  }
}
