package import VicinityIndex

/// How the regions that a fleet goes on with differ from those that it watched before.
///
/// A region is the same where its identifier and its shape are: one whose shape has changed has been removed,
/// and another has been added. The same ones keep what is known of them. An added one counts as if it had
/// been there at each device's last fix: who was inside then is inside, and no entry is told. A removed one
/// is forgotten, and so is who was in it.
public struct RegionChanges: Hashable, Sendable {
  /// How many regions are the same.
  public internal(set) var kept = 0
  /// How many are new, and how many are no longer there.
  public internal(set) var added = 0
  public internal(set) var removed = 0
  /// Who was in a region that is no longer there, by device and the region's earlier ordinal, ascending.
  public internal(set) var ended: [Ended] = []

  /// Who was in a new region at the last fix before, which the region counts as there for.
  package internal(set) var begun: [Begun] = []

  /// A device that was in a region that is new.
  package struct Begun: Hashable, Sendable {
    /// The device's number.
    package var device: Int
    /// The region's ordinal.
    package var ordinal: UInt32
    /// When the device was last seen.
    package var time: Timestamp
  }

  /// A device that was in a region that is no longer there.
  public struct Ended: Hashable, Sendable {
    /// The device's number.
    public package(set) var device: Int
    /// The region's identifier.
    public internal(set) var region: String
    /// The region's ordinal among the earlier ones.
    package internal(set) var ordinal: Int
  }

  /// The changes in words, such as "3 regions are new, 1 is gone (one that was changed is both)"; nil where
  /// the regions are the same.
  package var words: String? {
    func count(_ count: Int, _ what: String, _ noun: String = "") -> String? {
      count == 0 ? nil : "\(DecimalText.grouped(count))\(noun) \(count == 1 ? "is" : "are") \(what)"
    }
    let news = count(added, "new", added == 1 ? " region" : " regions")
    let gone = count(removed, "gone", news != nil ? "" : removed == 1 ? " region" : " regions")
    let parts = [news, gone].compactMap(\.self)
    let both = parts.count == 2 ? " (one that was changed is both)" : ""
    return parts.isEmpty ? nil : parts.joined(separator: ", ") + both
  }
}

/// What a state keeps of the regions that it was made with, so that it can go on with others.
package struct RegionHashes: Equatable, Sendable {
  /// `RegionIndex.regionHashes`.
  package private(set) var hashes: [UInt64]
  /// The identifiers of regions that the state speaks of, by ordinal.
  package var identifiers: [UInt32: String]

  package init(_ index: RegionIndex) { (hashes, identifiers) = (index.regionHashes, [:]) }

  /// Keeps the identifiers of some regions, and no others.
  package func naming(_ ordinals: Set<Int>, _ identifier: (Int) -> String) -> RegionHashes {
    var table = self
    table.identifiers = [:]
    for ordinal in ordinals { table.identifiers[UInt32(ordinal)] = identifier(ordinal) }
    return table
  }

  /// Where the regions are in another index; nil where it shares none with the one before.
  package func moves(to table: RegionHashes) -> RegionMoves? {
    let moves = RegionMoves(from: self, to: table)
    return moves.changes.kept == 0 && !hashes.isEmpty ? nil : moves
  }

  package func append(to bytes: inout [UInt8]) {
    bytes.append(number: UInt64(hashes.count))
    for hash in hashes { bytes.append(number: hash) }
    bytes.append(number: UInt64(identifiers.count))
    for (ordinal, identifier) in identifiers.sorted(by: { $0.key < $1.key }) {
      bytes.append(number: ordinal)
      bytes.append(block: Array(identifier.utf8))
    }
  }

  /// What ``append(to:)`` wrote, whatever the bytes are.
  package init(_ reader: inout ByteReader) throws(ByteReader.Failure) {
    (hashes, identifiers) = ([], [:])
    for _ in 0..<(try reader.count(each: 8)) { hashes.append(try reader.number()) }
    for _ in 0..<(try reader.count(each: 12)) {
      let ordinal: UInt32 = try reader.number()
      guard
        identifiers.updateValue(String(decoding: try reader.block(), as: UTF8.self), forKey: ordinal) == nil
      else { throw ByteReader.Failure() }
    }
  }
}

/// Where regions are after a change.
package struct RegionMoves: Sendable {
  /// The ordinal that each region has now, by its earlier one; `gone` for those that are not there any more.
  private let ordinals: [UInt32]
  /// The ordinals of regions that were not there before.
  let added: Set<UInt32>
  /// The identifiers of regions that are not there any more, where the state speaks of them.
  private let identifiers: [UInt32: String]
  /// Without who was in a region that is gone.
  package let changes: RegionChanges

  private static let gone = UInt32.max

  fileprivate init(from table: RegionHashes, to other: RegionHashes) {
    var places: [UInt64: UInt32] = [:]
    for (ordinal, hash) in other.hashes.enumerated() { places[hash] = UInt32(ordinal) }
    ordinals = table.hashes.map { places.removeValue(forKey: $0) ?? Self.gone }
    added = Set(places.values)
    identifiers = table.identifiers
    var changes = RegionChanges()
    (changes.kept, changes.added) = (other.hashes.count - added.count, added.count)
    changes.removed = ordinals.count - changes.kept
    self.changes = changes
  }

  /// How many regions there were.
  var earlierCount: Int { ordinals.count }

  /// The ordinal that a region has now; nil where it is not there any more.
  package func ordinal(of earlier: UInt32) -> UInt32? {
    guard Int(earlier) < ordinals.count, ordinals[Int(earlier)] != Self.gone else { return nil }
    return ordinals[Int(earlier)]
  }

  /// The identifier of a region that is not there any more.
  package func identifier(of earlier: UInt32) -> String? { identifiers[earlier] }

  /// The same choice among the regions of now: of those that are new, what it says of regions that it does
  /// not name.
  func moved(_ choice: RegionChoice) -> RegionChoice {
    let named = choice.named.compactMap { ordinal(of: UInt32($0)).map(Int.init) }
    return choice.isInverted ? .allExcept(named) : .only(named)
  }
}
