internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// The regions of an index as a table.
enum RegionTable {
  static func make(_ index: RegionIndex) throws(Failure) -> ResultTable {
    let fields = [
      OutputField(name: "id", format: "u"), OutputField(name: "latitude", format: "g"),
      OutputField(name: "longitude", format: "g"), OutputField(name: "radius", format: "g"),
      OutputField(name: "is_polygon", format: "b"),
    ]
    let rowsPerBatch = 1 << 19
    var batches: [ArrowNode] = []
    for start in stride(from: 0, to: index.count, by: rowsPerBatch) {
      let range = start..<min(index.count, start + rowsPerBatch)
      var (latitudes, longitudes, radii, arePolygons) = ([Double](), [Double](), [Double](), [Bool]())
      for ordinal in range {
        switch index.region(at: ordinal).shape {
        case .circle(let center, let radius):
          latitudes.append(center.latitude)
          longitudes.append(center.longitude)
          radii.append(radius)
          arePolygons.append(false)
        case .polygon(let polygon):
          latitudes.append(polygon.boundingCenter.latitude)
          longitudes.append(polygon.boundingCenter.longitude)
          radii.append(polygon.boundingRadius)
          arePolygons.append(true)
        }
      }
      let names = try unsafe ParallelColumns.texts(range.count, threads: 1) {
        unsafe index.identifierBytes(of: start + $0)
      }
      batches.append(
        .batch(
          range.count,
          [names, .values(latitudes), .values(longitudes), .values(radii), .booleans(arePolygons)]))
    }
    return ResultTable(.other, fields, batches)
  }
}
