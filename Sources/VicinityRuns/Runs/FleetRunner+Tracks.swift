package import VicinityCrossings
package import VicinityFormats

extension FleetRunner {
  /// Moves devices along the fixes of batches, which the reader has judged.
  ///
  /// - Parameter deviceCount: How many devices the reader knows by now.
  package func advance(through batches: [TrackBatch], deviceCount: Int, threads: Int) throws {
    var runs: [FleetRun] = []
    for (number, batch) in batches.enumerated() {
      for run in batch.runs { runs.append(FleetRun(device: run.device, batch: number, range: run.range)) }
    }
    let refused = advance(runs, deviceCount: deviceCount, threads: threads) {
      shard, runs throws(RefusedFix) in
      var next = 0
      for (number, batch) in batches.enumerated() {
        let allFixes = batch.fixes[...]
        let fixes = allFixes.span
        var breaks = batch.breaks[...]
        while next < runs.count, runs[next].batch == number {
          let run = runs[next]
          next += 1
          breaks = breaks.drop { $0.fix < run.range.lowerBound }
          var (start, isBroken, since) = (run.range.lowerBound, false, Timestamp?.none)
          while let first = breaks.first, first.fix < run.range.upperBound {
            breaks.removeFirst()
            try shard.take(
              fixes.extracting(start..<first.fix), of: run.device, isBroken: isBroken, since: since)
            (start, isBroken, since) = (first.fix, true, first.since)
          }
          try shard.take(
            fixes.extracting(start..<run.range.upperBound), of: run.device, isBroken: isBroken, since: since)
        }
      }
    }
    if case .track(let error)? = refused.first?.reason { throw error }
  }
}
