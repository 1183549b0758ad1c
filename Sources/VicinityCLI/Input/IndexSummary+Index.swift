import VicinityGeodesy
import VicinityIndex

extension IndexSummary {
  /// The summary of `index`, which is the file at `path`.
  ///
  /// - Complexity: O(n log n)
  init(of index: RegionIndex, path: String, checksums: Checksums) {
    var centers: [Coordinate] = []
    var radii: [Meters] = []
    centers.reserveCapacity(index.count)
    for ordinal in 0..<index.count {
      switch index.region(at: ordinal).shape {
      case .circle(let center, let radius):
        centers.append(center)
        radii.append(radius)
      case .polygon(let polygon):
        centers.append(polygon.boundingCenter)
      }
    }
    self.init(
      path: path, formatVersion: Int(IndexLayout.version), byteCount: index.byteCount,
      regionCount: index.count, circleCount: index.circleCount, polygonCount: index.polygonCount,
      bounds: Bounds(of: centers), radii: Radii(of: radii),
      sections: IndexLayout.Section.allCases.map { ("\($0)", index.tree.layout.length($0)) },
      checksums: checksums)
  }
}
