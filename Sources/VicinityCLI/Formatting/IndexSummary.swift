import VicinityFormats
import VicinityGeodesy

/// What `info` says about an index file.
struct IndexSummary: Equatable {
  /// What is known of the file's checksums.
  enum Checksums: Equatable {
    case verified, notChecked
    case damaged(String)
  }

  /// Radii of circles, metres: the smallest, the quartiles' middle, nine tenths, the largest.
  struct Radii: Equatable {
    var smallest: Meters
    var median: Meters
    var ninetiethPercentile: Meters
    var largest: Meters

    /// The distribution of `values`; `nil` when there are none.
    ///
    /// - Complexity: O(n log n)
    init?(of values: [Meters]) {
      guard let first = values.first else { return nil }
      let sorted = values.sorted()
      smallest = sorted.first ?? first
      median = sorted[(sorted.count - 1) / 2]
      ninetiethPercentile = sorted[(sorted.count - 1) * 9 / 10]
      largest = sorted.last ?? first
    }
  }

  /// The box around the regions' centres, degrees; `west > east` where it crosses the antimeridian.
  struct Bounds: Equatable {
    var south: Degrees
    var west: Degrees
    var north: Degrees
    var east: Degrees

    /// The smallest box around `centers`; `nil` when there are none.
    ///
    /// East and west are the ends of the widest gap between neighbouring longitudes.
    ///
    /// - Complexity: O(n log n)
    init?(of centers: [Coordinate]) {
      guard let first = centers.first else { return nil }
      (south, north) = (first.latitude, first.latitude)
      for center in centers {
        south = min(south, center.latitude)
        north = max(north, center.latitude)
      }
      let longitudes = centers.compactMap { try? $0.normalized().longitude }.sorted()
      guard let least = longitudes.first, let greatest = longitudes.last else { return nil }
      (west, east) = (least, greatest)
      var widestGap = least + 360 - greatest
      for (low, high) in zip(longitudes, longitudes.dropFirst()) where high - low > widestGap {
        (widestGap, west, east) = (high - low, high, low)
      }
    }
  }

  var path: String
  var formatVersion: Int
  var byteCount: Int
  var regionCount: Int
  var circleCount: Int
  var polygonCount: Int
  var bounds: Bounds?
  var radii: Radii?
  /// The parts of the file and their sizes in bytes, in the file's order.
  var sections: [(name: String, byteCount: Int)] = []
  var checksums: Checksums

  static func == (a: IndexSummary, b: IndexSummary) -> Bool {
    a.path == b.path && a.formatVersion == b.formatVersion && a.byteCount == b.byteCount
      && a.regionCount == b.regionCount && a.circleCount == b.circleCount
      && a.polygonCount == b.polygonCount && a.bounds == b.bounds && a.radii == b.radii
      && a.sections.elementsEqual(b.sections, by: ==) && a.checksums == b.checksums
  }

  /// The line that `index` ends with.
  static func writtenLine(path: String, regions: Int, bytes: Int, elapsed: Duration) -> String {
    let parts = elapsed.components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    return "wrote \(path): \(DecimalText.grouped(regions)) \(regions == 1 ? "region" : "regions"),"
      + " \(DecimalText.grouped(bytes)) bytes, \(DecimalText.string(seconds, decimals: 2)) s"
  }
}
