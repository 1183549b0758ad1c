package import VicinityIndex

extension PlanOptions {
  /// Checks the pinned regions against the regions that there are.
  ///
  /// - Returns: What to tell people of pinned regions that are too large for a slot; nil where there are
  ///   none.
  /// - Throws: ``OptionFault`` for the first name, in the order of the alphabet, that is no region's.
  package func checkPins(in index: some SearchableRegions) throws(OptionFault) -> String? {
    var tooLarge: [String] = []
    for name in allPins {
      guard let ordinal = index.ordinal(of: name) else {
        let example = index.knownIdentifier(of: 0).map { ", such as \($0.debugDescription)" } ?? ""
        throw .value(option: "pin", expected: "the identifier of a region\(example)", found: name)
      }
      if (index.enclosingRadius(of: ordinal) ?? 0) > maximumRegionRadius {
        tooLarge.append(name.debugDescription)
      }
    }
    guard !tooLarge.isEmpty else { return nil }
    let (are, they) =
      tooLarge.count == 1
      ? ("is pinned, but larger", "it never gets") : ("are pinned, but larger", "they never get")
    return
      "\(tooLarge.joined(separator: ", ")) \(are) than max-region-radius, \(maximumRegionRadius) m: \(they) a slot"
  }
}
