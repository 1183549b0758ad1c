package import VicinityCrossings
package import VicinityFormats

extension FleetRunner {
  /// Moves devices along the fixes of a batch, which the reader has judged.
  ///
  /// - Parameter deviceCount: How many devices the reader knows by now.
  package func advance(through batch: TrackBatch, deviceCount: Int, threads: Int) throws {
    let refused = advance(Self.runs(of: batch), deviceCount: deviceCount, threads: threads) {
      shard, runs throws(RefusedFix) in
      let allFixes = batch.fixes[...]
      var breaks = batch.breaks[...]
      for run in runs { try shard.take(run, of: allFixes.span, &breaks) }
    }
    if case .track(let error)? = refused.first?.reason { throw error }
  }

  /// Moves devices along the fixes of a batch, one after the other, on this thread.
  ///
  /// - Parameter found: Is told the events, in the order in which they become certain.
  func advanceInOrder(
    through batch: TrackBatch, deviceCount: Int, _ found: (EventRecord) throws -> Void
  ) throws {
    let allFixes = batch.fixes[...]
    var breaks = batch.breaks[...]
    do {
      try advanceInOrder(
        Self.runs(of: batch), deviceCount: deviceCount, { try $0.take($1, of: allFixes.span, &breaks) },
        found: found)
    } catch let refused as RefusedFix {
      if case .track(let error) = refused.reason { throw error }
      throw refused
    }
  }

  private static func runs(of batch: TrackBatch) -> [FleetRun] {
    batch.runs.map { FleetRun(device: $0.device, batch: 0, range: $0.range) }
  }
}

extension FleetRunner.Shard {
  /// Moves a device along some fixes of a batch.
  ///
  /// - Parameter breaks: Where tracks are broken; those up to the end of the run are dropped.
  fileprivate func take(
    _ run: FleetRun, of fixes: Span<Fix>, _ breaks: inout ArraySlice<TrackBatch.Break>
  ) throws(RefusedFix) {
    if breaks.isEmpty { return try take(fixes.extracting(run.range), of: run.device) }
    breaks = breaks.drop { $0.fix < run.range.lowerBound }
    var (start, isBroken, since) = (run.range.lowerBound, false, Timestamp?.none)
    while let first = breaks.first, first.fix < run.range.upperBound {
      breaks.removeFirst()
      try take(fixes.extracting(start..<first.fix), of: run.device, isBroken: isBroken, since: since)
      (start, isBroken, since) = (first.fix, true, first.since)
    }
    try take(
      fixes.extracting(start..<run.range.upperBound), of: run.device, isBroken: isBroken, since: since)
  }
}
