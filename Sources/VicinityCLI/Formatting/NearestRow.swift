import VicinityGeodesy
import VicinityIndex

/// One neighbour of one query, ready to be written.
struct NearestRow {
  /// 1 for the nearest.
  var rank: Int
  /// The region's identifier.
  var region: String
  /// Signed, metres, negative inside.
  var boundaryDistance: Meters
  /// Metres; `nil` for polygons.
  var centerDistance: Meters?
  /// What the region covers; only where the format draws it (``NearestFormatter/needsShapes``).
  var shape: Region.Shape?
}

/// One query and its neighbours, nearest first.
struct NearestResult {
  /// The point's identifier.
  var query: String
  var position: Coordinate
  var rows: [NearestRow]
}
