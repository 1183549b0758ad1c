import VicinityGeodesy
import VicinityIndex

struct RegionIndex: Sendable {
  var set: RegionSet
  init(_ set: RegionSet, threads: Int? = nil) throws(RegionError) { self.set = set }
  init(contentsOf path: String, verifying: Bool = true) throws { throw CommandFailure("no") }
  static func isIndexFile(_ path: String) -> Bool { path.hasSuffix(".vicinity") }
  func write(to path: String) throws {
    let w = try ByteWriter(path: path, inputs: [])
    w.buffer += "VICINITY".utf8
    try w.finish()
  }
  func verify() throws {}
  var count: Int { return self.set.count }
  var circleCount: Int { return self.set.count }
  var polygonCount: Int { 0 }
  var byteCount: Int { return 8 }
  var formatVersion: Int { return 1 }
  func identifier(of ordinal: Int) -> String { set.identifier(of: ordinal) }
  func region(at o: Int) -> Region {
    return Region(identifier: identifier(of: o), center: set.centers[o], radius: set.radii[o])
  }
  func nearest(_ count: Int, toEach: [Coordinate], options: QueryOptions, threads: Int?) throws
    -> [[Neighbor]]
  {
    toEach.map { p in
      let all = (0..<set.count).map { o in
        let d = Geodesic.uncheckedDistance(p, set.centers[o])
        return Neighbor(ordinal: o, distance: d - set.radii[o], centerDistance: d)
      }
      return Array(
        all.filter { $0.distance <= options.maximumDistance }
          .sorted { ($0.distance, $0.ordinal) < ($1.distance, $1.ordinal) }.prefix(count))
    }
  }
}
typealias NeighborTable = [[Neighbor]]
