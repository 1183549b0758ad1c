package import VicinityCrossings
package import VicinityIndex

/// The regions that the events of a batch speak of: those of the index, and after these the ones that are no
/// longer there, and of which the batches before have left stays or events.
package struct BatchRegions: Sendable {
  let index: RegionIndex
  /// What tells the regions of the index from others.
  let table: RegionHashes
  /// Where the regions of the batches before are now; `nil` where there was no batch before.
  let moves: RegionMoves?
  private var gone: [String] = []
  /// Where in `gone` regions are, by their numbers in the batches before.
  private var places: [UInt32: Int] = [:]

  /// - Parameter earlier: What the batches before have left.
  /// - Throws: ``CommandFailure`` where none of their regions is there.
  package init(_ index: RegionIndex, after earlier: RegionHashes?) throws {
    self.index = index
    table = RegionHashes(index)
    moves = earlier?.moves(to: table)
    guard earlier == nil || moves != nil else {
      throw CommandFailure("the batches before had other regions, none of which is among these")
    }
    // In order: a run that is resumed gives the same numbers.
    for (before, identifier) in (earlier?.identifiers ?? [:]).sorted(by: { $0.key < $1.key })
    where moves?.ordinal(of: before) == nil {
      places[before] = gone.count
      gone.append(identifier)
    }
  }

  /// The number of a region by the one that it had in the batches before.
  func number(_ before: UInt32) throws -> UInt32 {
    if let ordinal = moves?.ordinal(of: before) { return ordinal }
    // A state is only as good as who wrote it.
    guard let place = places[before] else { throw CommandFailure("damaged state of earlier batches") }
    return UInt32(index.count + place)
  }

  /// How many numbers there are.
  var count: Int { index.count + gone.count }

  func identifier(of number: Int) -> String {
    number < index.count ? index.identifier(of: number) : gone[number - index.count]
  }
}
