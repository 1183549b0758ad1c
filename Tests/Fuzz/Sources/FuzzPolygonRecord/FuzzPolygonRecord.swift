import Harness
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

@testable internal import VicinityMonitor

/// Any bytes as a stored polygon: refused, or a polygon whose distances are numbers, that an index takes, and
/// that is stored and read again to the same.
@_cdecl("FuzzPolygonRecord_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  fuzz(count, arguments, seeds: try seeds()) { input in
    guard let polygon = try? PolygonRecord.polygon(input) else { return }
    for position in [polygon.boundingCenter, Coordinate(latitude: 12, longitude: -34)] {
      guard let distance = try? polygon.signedBoundaryDistance(from: position), !distance.isNaN else {
        finding("no distance from \(position)")
      }
    }
    guard let index = try? RegionIndex([Region(identifier: "p", polygon: polygon)]) else {
      finding("no index")
    }
    do {
      try index.verify(contents: true)
    } catch {
      finding("read, and refused by verification: \(error)")
    }
    let bytes = PolygonRecord.bytes(of: polygon)
    guard let again = try? PolygonRecord.polygon(bytes), again == polygon,
      PolygonRecord.bytes(of: again) == bytes
    else { finding("stored, and another") }
  }
}

private func seeds() throws -> [[UInt8]] {
  func ring(_ places: (Double, Double)...) -> [Coordinate] {
    places.map { Coordinate(latitude: $0.0, longitude: $0.1) }
  }
  return [
    PolygonRecord.bytes(of: try Polygon(exterior: ring((48, 16), (48.1, 16), (48, 16.1)))),
    PolygonRecord.bytes(
      of: try Polygon(
        exterior: ring((-10, 170), (-10, -170), (10, -170), (10, 170)),
        holes: [ring((-1, 179), (-1, -179), (1, 180))])),
    PolygonRecord.bytes(of: try Polygon(exterior: ring((80, 0), (81, 120), (82, -120)))),
    Array("VPR".utf8) + [1, 0, 0, 0, 0],
  ]
}
