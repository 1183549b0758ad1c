import Harness
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// Any numbers as rings: a polygon whose distances are numbers, or an error.
///
/// A byte for the kind of each vertex, then two bytes for a place on a coarse grid (so that vertices
/// coincide and edges cross) or sixteen for two `Float64` as they stand.
@_cdecl("FuzzPolygon_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  fuzz(count, arguments, seeds: seeds()) { input in
    let rings = rings(input)
    let parts =
      rings.count > 1 && input.count & 1 == 0
      ? [Polygon.Part(exterior: rings[0], holes: Array(rings[1...]))]
      : rings.map { Polygon.Part(exterior: $0) }
    guard let polygon = try? Polygon(parts: parts) else { return }
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
      finding("made, and refused by verification: \(error)")
    }
  }
}

private func rings(_ input: [UInt8]) -> [[Coordinate]] {
  var rings: [[Coordinate]] = [[]]
  var i = 0
  func double() -> Double? {
    guard i + 8 <= input.count else { return nil }
    defer { i += 8 }
    return Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(input[i + $1]) << UInt64(8 * $1) })
  }
  while i < input.count {
    let kind = input[i]
    i += 1
    switch kind & 3 {
    case 0:
      rings.append([])
    case 1:
      guard let latitude = double(), let longitude = double() else { return rings }
      rings[rings.count - 1].append(Coordinate(latitude: latitude, longitude: longitude))
    default:
      guard i + 2 <= input.count else { return rings }
      // Degrees, in steps of 1 or of 1/64.
      let step = kind & 3 == 2 ? 1.0 : 1.0 / 64
      rings[rings.count - 1].append(
        Coordinate(
          latitude: step * Double(Int(input[i]) % 181 - 90),
          longitude: step * 2 * Double(Int(input[i + 1]) % 181 - 90)))
      i += 2
    }
  }
  return rings
}

private func seeds() -> [[UInt8]] {
  [
    [2, 90, 90, 2, 90, 100, 2, 100, 100, 2, 100, 90],
    [3, 90, 90, 3, 90, 120, 3, 120, 120, 3, 120, 90, 0, 3, 100, 100, 3, 100, 110, 3, 110, 110],
    [2, 80, 0, 2, 80, 60, 2, 80, 120, 0],
    [2, 0, 0, 2, 180, 0, 2, 90, 90, 2, 90, 180],
  ]
}
