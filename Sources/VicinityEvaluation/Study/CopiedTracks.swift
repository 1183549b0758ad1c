internal import VicinityCrossings
package import VicinityGeodesy

/// Finds devices of a study that go the same way as another one, position by position: copies of one
/// recording, perhaps on other days. A study's intervals are over devices, and take each for another person.
package struct CopiedTracks {
  /// The places of a track, in a few bytes.
  private struct Print: Hashable {
    var count: Int
    var hash: Int
  }

  /// Tracks of fewer places may be alike by chance: somebody at home, rounded.
  private static let leastPlaces = 10

  private var first: [Print: String] = [:]
  private var copies: [(name: String, original: String)] = []

  package init() {}

  /// Adds a device's track.
  ///
  /// - Parameters:
  ///   - name: The device.
  ///   - places: Where it was, in order; the same place again and again counts once.
  /// - Complexity: O(places)
  package mutating func add(_ name: String, _ places: some Sequence<Coordinate>) {
    var hasher = Hasher()
    var count = 0
    var last: Coordinate?
    for place in places where place != last {
      hasher.combine(place)
      last = place
      count += 1
    }
    guard count >= Self.leastPlaces else { return }
    let print = Print(count: count, hash: hasher.finalize())
    if let original = first[print] { copies.append((name, original)) } else { first[print] = name }
  }

  /// What people are told; nil where there are none.
  package var words: String? {
    guard let copy = copies.first else { return nil }
    let (name, original) = (copy.name.debugDescription, copy.original.debugDescription)
    let pair = "\(name) goes the same way as \(original), place by place"
    let others = copies.count - 1
    let more =
      others > 0
      ? ", and \(DecimalText.count(others, "more device", "more devices")) the way of another" : ""
    return "\(pair)\(more): intervals count each as another person"
  }
}
