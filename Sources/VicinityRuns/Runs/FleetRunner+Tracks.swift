package import VicinityCrossings
package import VicinityFormats

extension FleetRunner {
  /// Moves devices along the fixes of a batch, which the reader has judged.
  ///
  /// - Parameter deviceCount: How many devices the reader knows by now.
  package func advance(through batch: TrackBatch, deviceCount: Int, threads: Int) throws {
    let runs = batch.runs.map { FleetRun(device: $0.device, batch: 0, range: $0.range) }
    let refused = advance(runs, deviceCount: deviceCount, threads: threads) {
      shard, runs throws(RefusedFix) in
      let allFixes = batch.fixes[...]
      let fixes = allFixes.span
      var breaks = batch.breaks[...]
      for run in runs {
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
    if case .track(let error)? = refused.first?.reason { throw error }
  }
}
