import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// Real places, the stuff of which every input is made.
struct Places {
  var coordinates: [Coordinate]
  var source: String

  /// Reads `path`: GeoNames' own tab-separated columns, or CSV that starts with `lat,lon`.
  ///
  /// Exact repeats of a coordinate are kept once, so that no two regions are ordered by ordinal alone.
  init(contentsOf path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var seen = Set<Coordinate>()
    coordinates = []
    for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      let tab = line.contains(9)
      let fields = line.split(separator: tab ? 9 : 44, maxSplits: 6, omittingEmptySubsequences: false)
      let latitudeField = tab ? 4 : 0
      guard fields.count > latitudeField + 1,
        let latitude = Double(Substring(fields[latitudeField])),
        let longitude = Double(Substring(fields[latitudeField + 1]))
      else { continue }
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      if coordinate.isValid, seen.insert(coordinate).inserted { coordinates.append(coordinate) }
    }
    guard coordinates.count >= 1000 else { throw Failure("no places in \(path)") }
    source = "\(URL(fileURLWithPath: path).lastPathComponent), \(coordinates.count) places"
  }
}

/// What went wrong, in words.
struct Failure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
