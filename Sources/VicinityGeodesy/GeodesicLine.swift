/// The shortest path between two points, for computing points along it.
///
/// Where several paths are equally short, it is the one that the reference chooses.
package struct GeodesicLine {
  private let line: GeodesicReference.Line
  /// The length, metres.
  package var distance: Meters { line.distance }

  /// The shortest path from `p1` to `p2`.
  ///
  /// - Precondition: both coordinates are valid.
  /// - Complexity: O(1), about 3 µs
  package init(unchecked p1: Coordinate, _ p2: Coordinate) {
    line = GeodesicReference.Line(p1, p2)
  }

  /// The point `s12` metres along the path.
  ///
  /// - Complexity: O(1), about 0.5 µs
  package func point(at s12: Meters) -> Coordinate { line.point(at: s12) }
}
