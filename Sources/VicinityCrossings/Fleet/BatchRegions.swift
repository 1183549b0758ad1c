package import VicinityIndex

/// The regions that the events of a batch speak of: those of the index, and after these the ones that are no
/// longer there, and of which the batches before have left stays or events.
package struct BatchRegions: Sendable {
  package let index: RegionIndex
  /// What tells the regions of the index from others; `nil` where there was no batch before, which it costs
  /// some time to compare with.
  let table: RegionHashes?
  /// Where the regions of the batches before are now; `nil` where there was no batch before.
  package let moves: RegionMoves?
  /// The identifiers of those that are no longer there.
  package private(set) var gone: [String] = []
  /// Where in `gone` regions are, by their numbers in the batches before.
  private var places: [UInt32: Int] = [:]

  /// The regions of a first batch.
  package init(_ index: RegionIndex) { (self.index, table, moves) = (index, nil, nil) }

  /// Why an index is refused, where none of the regions of the batches before is there.
  package static let noneKept =
    "other regions, none of which is among these (a polygon may be another region, too, if another"
    + " program exported it: with another first vertex, or in reverse order)"

  /// `nil` where none of the regions of the batches before is there.
  ///
  /// - Parameter earlier: What the batches before have left.
  package init?(_ index: RegionIndex, after earlier: RegionHashes?) {
    self.index = index
    guard let earlier else {
      (table, moves) = (nil, nil)
      return
    }
    let table = RegionHashes(index)
    guard let moves = earlier.moves(to: table) else { return nil }
    (self.table, self.moves) = (table, moves)
    // In order: a run that is resumed gives the same numbers.
    for (before, identifier) in earlier.identifiers.sorted(by: { $0.key < $1.key })
    where moves.ordinal(of: before) == nil {
      places[before] = gone.count
      gone.append(identifier)
    }
  }

  /// The number of a region by the one that it had in the batches before; `nil` where these have left nothing
  /// of it: a state is only as good as who wrote it.
  package func number(_ before: UInt32) -> UInt32? {
    moves?.ordinal(of: before) ?? places[before].map { UInt32(index.count + $0) }
  }

  /// How many numbers there are.
  package var count: Int { index.count + gone.count }

  package func identifier(of number: Int) -> String {
    number < index.count ? index.identifier(of: number) : gone[number - index.count]
  }
}
