import CVicinityKernels
import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityIndex

/// Queries far from the polygons of an index: bounds that hold up to the antipode, and the answers.
@Suite("Queries far from polygons")
struct FarQueryTests {
  private func place(_ start: Coordinate, _ azimuth: Degrees, _ distance: Meters) -> Coordinate {
    Geodesic.uncheckedDirect(start, azimuth: azimuth, distance: distance).coordinate
  }

  @Test("The image on the unit sphere bounds the distance from below, to 0.4 %")
  func imageBounds() {
    var random = SplitMix64(seed: 17)
    for round in 0..<20_000 {
      let p =
        round % 5 == 0 ? Coordinate(latitude: random.uniform(-1...1), longitude: 0) : random.coordinate()
      let distance =
        round % 2 == 0 ? random.uniform(2e6...2.0004e7) : 20_003_931 - random.uniform(0...1e6) * random.unit()
      let q = place(p, random.uniform(0...360), distance)
      let (a, b) = (ECEF(unchecked: p), ECEF(unchecked: q))
      // A leaf at the Earth's centre with one circle in it.
      var leaf = [Float](repeating: 0, count: 64)
      for lane in 0..<16 {
        leaf[lane] = Float(b.x)
        leaf[16 + lane] = Float(b.y)
        leaf[32 + lane] = Float(b.z)
      }
      var lower = [Float](repeating: -1, count: 16)
      let (x, y, z) = (Float(a.x), Float(a.y), Float(a.z))
      let mask = unsafe vk_raise_leaf_bounds(leaf, x, y, z, 2, 1e8, &lower)
      let exact = Geodesic.uncheckedDistance(p, q)
      #expect(mask == 0xFFFF)
      #expect(Double(lower[0]) <= exact, "\(p) to \(q)")
      // Near the antipode the half chord's factor, 4e-6, tells in the arcsine: 36 km at most.
      #expect(Double(lower[0]) >= exact * 0.9963 - 4e4, "\(p) to \(q)")

      // A node with boxes of no size in the same places, and bounds already known.
      var node = [Float](repeating: 0, count: 112)
      node.replaceSubrange(0..<48, with: leaf[0..<48])
      var bounds = (0..<16).map {
        Float(bitPattern: ($0 == 3 ? Float(1e8) : 0).bitPattern & ~15 | UInt32($0))
      }
      let smallest = unsafe Self.withAligned(node) { unsafe vk_raise_node_bounds($0, x, y, z, 2, &bounds) }
      #expect(Double(smallest) <= exact, "\(p) to \(q)")
      #expect(smallest == bounds.min())
      #expect(bounds[3] > 9e7)
      #expect(bounds.indices.allSatisfy { Int(bounds[$0].bitPattern & 15) == $0 })
    }
  }

  /// Kernels read nodes at 64-byte boundaries.
  private static func withAligned<R>(_ floats: [Float], _ body: (UnsafeRawPointer) -> R) -> R {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * floats.count, alignment: 64)
    defer { unsafe bytes.deallocate() }
    unsafe floats.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
    return unsafe body(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped))
  }

  /// Adjoining squares, one large region and one in many parts, around a place.
  private func regions(_ center: Coordinate, size: Meters, _ random: inout SplitMix64) throws -> [Region] {
    var regions: [Region] = []
    func corner(_ i: Int, _ k: Int) -> Coordinate {
      place(place(center, 0, Double(i - 4) * size), 90, Double(k - 4) * size)
    }
    for i in 0..<8 {
      for k in 0..<8 {
        let ring = [corner(i, k), corner(i, k + 1), corner(i + 1, k + 1), corner(i + 1, k)]
        let polygon = try Polygon(uncheckedParts: [.init(exterior: ring)], meaning: .geodesic)
        regions.append(Region(identifier: "\(i) \(k)", polygon: polygon))
      }
    }
    let large = PolygonSample.star(center, count: 60, radii: 600_000...900_000, &random)
    regions.append(Region(identifier: "large", polygon: try Polygon(exterior: large)))
    let parts = (0..<12).map { i in
      Polygon.Part(
        exterior: PolygonSample.star(
          place(center, 30 * Double(i), 450_000), count: 25, radii: 20_000...40_000, &random))
    }
    regions.append(Region(identifier: "parts", polygon: try Polygon(parts: parts)))
    return regions
  }

  @Test("Far queries find what the scan finds", arguments: [0.0, 39, -57, 86, -90])
  func farQueries(latitude: Double) throws {
    var random = SplitMix64(seed: 19)
    let center = Coordinate(latitude: latitude, longitude: 178)
    let index = try RegionIndex(try regions(center, size: 40_000, &random))
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    var expected: [Neighbor] = []
    for round in 0..<12 {
      let distance =
        round % 4 == 0 ? 20_003_000 - random.uniform(0...4e5) : random.uniform(3e6...1.99e7)
      // Along the squares' sides as well, where nearest points lie between corners.
      let azimuth = round % 3 == 0 ? 90 * Double(round % 4) : random.uniform(0...360)
      let position = place(center, azimuth, distance)
      for count in [1, 5, 66] {
        try index.nearest(count, to: position, scratch: &scratch, into: &found)
        try index.nearest(
          count, to: position, options: QueryOptions(usesBruteForce: true), scratch: &scratch, into: &expected
        )
        #expect(found.count == count)
        for (near, exact) in zip(found, expected) {
          #expect(abs(near.distance - exact.distance) < 1e-4, "\(position), \(count)")
        }
        let farthest = try #require(found.last).distance
        for near in found {
          guard case .polygon(let polygon) = index.region(at: near.ordinal).shape else { continue }
          let own = try polygon.signedBoundaryDistance(from: position)
          #expect(abs(own - near.distance) < 1e-8)
          // Up to the cutoff the distance is exact, and beyond it is never said to be within.
          polygon.blob.withView { view in
            let ecef = ECEF(unchecked: position)
            let within = view.signedBoundaryDistance(from: position, ecef: ecef, cutoff: farthest)
            #expect(within == own)
            let less = own - 1000
            let beyond = view.signedBoundaryDistance(from: position, ecef: ecef, cutoff: less)
            #expect(beyond > less && beyond <= own)
          }
        }
      }
    }
  }
}
