import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// Bursts of insertions and removals at full size, merges included, with queries in between.
  ///
  /// Every thousandth of a burst, a hundred queries go to the updated index and to an untouched one, in
  /// turns; both are thread-CPU time. Rates are elapsed time of the updates alone.
  func updates() throws -> Section {
    var section = Section()
    guard matches("updates") else { return section }
    let n = largest
    let burst = max(1, n / 10)
    let circles = inputs.circles(n)
    let still = try Ours(circles).index
    var updated = try UpdatableRegionIndex(Ours.set(circles))
    var random = SplitMix64(seed: inputs.seed &* 1000 &+ 8)
    let queries = inputs.near(circles, count: 10_000).coordinates
    var scratch = QueryScratch()
    var neighbors: [Neighbor] = []
    var next = 0
    var stillTime: [Double] = []
    var updatedTime: [Double] = []
    var inserting = 0.0
    var removing = 0.0
    let bursts = max(3, effort.repetitions / 3)

    /// A hundred queries to each.
    func ask() throws {
      let start = next
      next = (next + 100) % queries.count
      let first = Clock.thread
      for i in start..<start + 100 {
        try still.nearest(k, to: queries[i], options: .init(), scratch: &scratch, into: &neighbors)
      }
      let second = Clock.thread
      for i in start..<start + 100 {
        try updated.nearest(k, to: queries[i], options: .init(), scratch: &scratch, into: &neighbors)
      }
      stillTime.append((second - first) / 100)
      updatedTime.append((Clock.thread - second) / 100)
    }

    /// The updates in steps, timed, with queries between the steps.
    func timed(_ count: Int, _ update: (Int) throws -> Void) throws -> Double {
      var total = 0.0
      let step = max(1, count / 100)
      for start in stride(from: 0, to: count, by: step) {
        let before = Clock.wall
        for i in start..<min(start + step, count) { try update(i) }
        total += Clock.wall - before
        try ask()
      }
      return total / 1e9
    }

    for round in 0..<bursts {
      progress.show("updates: burst \(round + 1)")
      let regions = (0..<burst).map { i in
        let center = Inputs.moved(
          circles.center(random.index(below: n)), by: Inputs.spread, using: &random)
        return Region(
          identifier: "new-\(round)-\(i)", center: center,
          radius: Inputs.radius(50, 2000, using: &random))
      }
      inserting += try timed(burst) { try updated.insert(regions[$0]) }
      // The oldest of the base go: the size stays.
      let identifiers = (0..<burst).map { String((round * burst + $0) % n) }
      removing += try timed(burst) { _ = try updated.remove(identifiers[$0]) }
    }
    progress.clear()
    let total = Double(bursts * burst)
    section.promise("updates \(n): insertions a second, k", total / inserting / 1e3, atLeast: 200)
    section.promise("updates \(n): removals a second, k", total / removing / 1e3, atLeast: 200)
    section.promise(
      "updates \(n): queries meanwhile, against an untouched index",
      updatedTime.percentile(0.5) / stillTime.percentile(0.5), atMost: 1.3)
    section.add("updates \(n): query meanwhile", updatedTime.percentile(0.5) / 1e3, "us")
    section.add("updates \(n): the same query, untouched", stillTime.percentile(0.5) / 1e3, "us")
    return section
  }
}
