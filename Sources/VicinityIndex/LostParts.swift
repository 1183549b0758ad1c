/// The parts that regions have lost to bad rows, where rows of one identifier are the parts of one region.
///
/// A row that is left out takes no region away then: the region is there with its other parts, and its
/// answers do not show that one is missing.
package struct LostParts: Sendable {
  /// By the identifiers' bytes, which tell them apart.
  private var named: [[UInt8]: Int] = [:]
  private var unnamedCount = 0

  /// So many regions are named.
  private static let mostNamed = 20

  package init() {}

  /// Takes a row that was left out; nil stands for a row that does not say of which region it is.
  package mutating func add(_ identifier: String?) {
    if let identifier { named[Array(identifier.utf8), default: 0] += 1 } else { unnamedCount += 1 }
  }

  /// What to tell people of the regions that there are; nil where each has all its rows.
  ///
  /// - Parameter regions: Their identifiers, and of how many rows each was made.
  package func warning(_ regions: some Sequence<(identifier: String, rows: Int)>) -> String? {
    guard !named.isEmpty || unnamedCount > 0 else { return nil }
    // A region whose rows are all bad is none: the rows were told of.
    var (first, count): ([String], Int) = ([], 0)
    for region in regions {
      guard let lost = named[Array(region.identifier.utf8)] else { continue }
      count += 1
      guard first.count < Self.mostNamed else { continue }
      first.append(
        "region \(region.identifier.debugDescription) lacks \(lost) of its \(region.rows + lost) rows")
    }
    var parts: [String] = []
    if count > 0 {
      let more = count - first.count
      parts.append(
        first.joined(separator: ", ")
          + (more > 0 ? ", and \(more) more \(more == 1 ? "region lacks" : "regions lack") some" : "")
          + ": these rows are bad and left out, so answers about "
          + (count == 1
            ? "this region are wrong where its missing part" : "these regions are wrong where a missing part")
          + " would count")
    }
    if unnamedCount > 0 {
      parts.append(
        "\(unnamedCount) bad \(unnamedCount == 1 ? "row does" : "rows do") not say of which region "
          + "\(unnamedCount == 1 ? "it is" : "they are"): any region may lack \(unnamedCount == 1 ? "it" : "them")"
      )
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
