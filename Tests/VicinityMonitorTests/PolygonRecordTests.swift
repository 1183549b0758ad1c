import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPolygon
import VicinityTestSupport

@Suite struct PolygonRecordTests {
  /// Polygons of all sorts: parts, holes, seams, poles, edges long and short, more chains than are left in
  /// order.
  private static func polygons() throws -> [Polygon] {
    var random = SplitMix64(seed: 21)
    func star(_ center: Coordinate, _ size: Degrees, _ count: Int) -> [Coordinate] {
      (0..<count).map { i in
        let azimuth = 360 * Double(i) / Double(count)
        let reached = Geodesic.uncheckedDirect(
          center, azimuth: azimuth, distance: size * 111_000 * random.uniform(0.5...1))
        return reached.coordinate
      }
    }
    func at(_ latitude: Degrees, _ longitude: Degrees) -> Coordinate {
      Coordinate(latitude: latitude, longitude: longitude)
    }
    var polygons: [Polygon] = []
    for center in [at(0, 0), at(48, 16), at(89.9, 10), at(-90, 0), at(-17, 180), at(10, -180)] {
      for size in [1e-5, 0.01, 1, 30] {
        for count in [3, 17, 100] { polygons.append(try Polygon(exterior: star(center, size, count))) }
      }
    }
    let outer = [at(0, 0), at(0, 10), at(10, 10), at(10, 0)]
    let hole = [at(4, 4), at(4, 6), at(6, 6), at(6, 4)]
    polygons.append(try Polygon(exterior: outer, holes: [hole]))
    polygons.append(
      try Polygon(
        parts: (0..<9).map { i in
          Polygon.Part(exterior: star(at(Double(i * 37 % 90) - 45, Double(i * 71 % 360) - 180), 2, 7))
        }))
    // Clipped at the antimeridian: the cut is no boundary.
    polygons.append(
      try Polygon(
        parts: [
          .init(exterior: [at(0, 170), at(0, 180), at(10, 180), at(10, 170)]),
          .init(exterior: [at(0, -180), at(0, -170), at(10, -170), at(10, -180)]),
        ]))
    // So thin that the edges' directions do not tell the side.
    polygons.append(
      try Polygon(
        parts: [.init(exterior: [at(48, 16), at(48.0001, 16.0001), at(48.0003, 16.0003)])], meaning: .planar))
    // All but a needle, which has the same edges as the needle.
    polygons.append(
      try Polygon(
        parts: [
          .init(
            exterior: [at(-90, -180), at(-90, 180), at(90, 180), at(90, -180)],
            holes: [[at(48, 16), at(48.0001, 16.0001), at(48.0003, 16.0003)]])
        ], meaning: .planar))
    // The whole Earth.
    polygons.append(
      try Polygon(
        parts: [.init(exterior: [at(-90, -180), at(-90, 180), at(90, 180), at(90, -180)])], meaning: .planar))
    return polygons
  }

  @Test func roundTripsToTheBit() throws {
    for (i, polygon) in try Self.polygons().enumerated() {
      let bytes = PolygonRecord.bytes(of: polygon)
      let again = try PolygonRecord.polygon(bytes)
      // Polygons are equal when all their bytes are.
      #expect(again == polygon, "polygon \(i)")
      #expect(PolygonRecord.bytes(of: again) == bytes, "polygon \(i)")
      #expect(bytes.count <= 8 + 36 * (polygon.vertexCount + 1), "polygon \(i)")
    }
  }

  @Test func hostileBytes() throws {
    let records = try Self.polygons().filter { (1..<100).contains($0.edgeCount) }.map(PolygonRecord.bytes)
    var random = SplitMix64(seed: 22)
    var refused = 0
    for i in 0..<1000 {
      var bytes = records[random.below(records.count)]
      switch i % 4 {
      case 0: bytes = Array(bytes[..<random.below(bytes.count)])
      case 1: bytes[random.below(bytes.count)] ^= UInt8(1) << random.below(8)
      case 2: bytes[random.below(min(16, bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      default:
        let at = 8 + random.below(bytes.count - 8)
        bytes[at] = [0, 0x7F, 0x80, 0xFF, 0xF0][random.below(5)]
      }
      do throws(PolygonRecordError) {
        let polygon = try PolygonRecord.polygon(bytes)
        let distance = try? polygon.signedBoundaryDistance(from: Coordinate(latitude: 1, longitude: 2))
        #expect(distance?.isNaN == false, "bytes \(i)")
      } catch {
        refused += 1
        #expect(!error.description.isEmpty)
      }
    }
    #expect(refused > 250)
    #expect(throws: PolygonRecordError.notARecord) { try PolygonRecord.polygon([]) }
    #expect(throws: PolygonRecordError.unsupportedVersion(found: 3, supported: 2)) {
      try PolygonRecord.polygon(Array("VPR".utf8) + [3, 0, 0, 0, 0])
    }
    #expect(throws: PolygonRecordError.truncated(expectedBytes: 36 * Int(UInt32.max) + 8, actualBytes: 8)) {
      try PolygonRecord.polygon(Array("VPR".utf8) + [1, 255, 255, 255, 255])
    }
  }
}
