internal import VicinityGeodesy

/// A polygon's packed bytes, owned: aligned to 64 bytes, immutable, freely shared.
///
/// The same bytes lie inside a memory-mapped index; ``PolygonView`` reads both.
package struct PolygonBlob: Sendable, Hashable {
  /// The bytes, 64 at a time.
  private let storage: ContiguousArray<SIMD16<UInt32>>

  /// How many bytes: a multiple of 64.
  package var byteCount: Int { storage.count * 64 }

  /// The bytes, for as long as `body` runs.
  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    unsafe storage.withUnsafeBytes { unsafe body($0) }
  }

  /// A view of the bytes, for as long as `body` runs.
  @inline(__always)
  package func withView<R>(_ body: (PolygonView) -> R) -> R {
    unsafe storage.withUnsafeBytes { bytes in
      // SAFETY: a blob is at least a header long, so its base address exists.
      unsafe body(PolygonView(base: bytes.baseAddress.unsafelyUnwrapped))
    }
  }

  /// A copy of validated bytes.
  ///
  /// - Throws: ``PolygonBlobError`` when the bytes are not a polygon.
  package init(validating bytes: UnsafeRawBufferPointer) throws(PolygonBlobError) {
    let length = unsafe try PolygonView.validate(bytes)
    let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<length])
    storage = unsafe Self.filled(blocks: length / 64) { target in
      unsafe target.copyMemory(from: source)
    }
  }

  private static func filled(
    blocks: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) -> ContiguousArray<SIMD16<UInt32>> {
    var array = ContiguousArray(repeating: SIMD16<UInt32>(), count: blocks)
    unsafe array.withUnsafeMutableBytes { unsafe fill($0) }
    return array
  }

  /// One point of the densified chains.
  struct Point {
    var coordinate: Coordinate
    var place: Vector3
    var marks: UInt8
  }

  /// Packs densified chains.
  ///
  /// - Precondition: `points.count <= PolygonLayout.maximumPointCount`.
  /// - Complexity: O(n)
  init(
    points: [Point], center: Coordinate, radius: Meters, origin: Vector3, holdsReference: Bool = false
  ) {
    typealias Field = PolygonLayout.Field
    let layout = PolygonLayout(pointCount: points.count)
    let tree = PolygonTree(points: points, layout: layout, origin: origin)
    let chains = points.count { $0.marks & PolygonLayout.endsChainMark != 0 }
    let vertices = points.count { $0.marks & PolygonLayout.vertexMark != 0 }
    storage = unsafe Self.filled(blocks: layout.byteCount / 64) { bytes in
      func put<T: BitwiseCopyable>(_ value: T, at offset: Int) {
        unsafe bytes.storeBytes(of: value, toByteOffset: offset, as: T.self)
      }
      func put(_ value: Double, at offset: Int) {
        put(value.bitPattern.littleEndian, at: offset)
      }
      put(PolygonLayout.magic.littleEndian, at: Field.magic)
      put(PolygonLayout.version.littleEndian, at: Field.version)
      put(UInt64(layout.byteCount).littleEndian, at: Field.byteCount)
      put(UInt32(points.count).littleEndian, at: Field.pointCount)
      let flags =
        points.isEmpty ? PolygonLayout.wholeEarthFlag : holdsReference ? PolygonLayout.holdsReferenceFlag : 0
      put(flags.littleEndian, at: Field.flags)
      put(UInt32(chains).littleEndian, at: Field.chainCount)
      put(UInt32(vertices).littleEndian, at: Field.vertexCount)
      put(center.latitude, at: Field.centerLatitude)
      put(center.longitude, at: Field.centerLongitude)
      put(radius, at: Field.radius)
      put(origin.x, at: Field.originX)
      put(origin.y, at: Field.originY)
      put(origin.z, at: Field.originZ)
      let box = Self.regionBox(tree.root, center: center, radius: radius, origin: origin)
      for (i, value) in box.enumerated() {
        put(value.bitPattern.littleEndian, at: Field.box + 4 * i)
      }
      for (i, point) in points.enumerated() {
        put(point.place.x, at: layout.xOffset + 8 * i)
        put(point.place.y, at: layout.yOffset + 8 * i)
        put(point.place.z, at: layout.zOffset + 8 * i)
        put(point.coordinate.latitude, at: layout.latitudeOffset + 8 * i)
        put(point.coordinate.longitude, at: layout.longitudeOffset + 8 * i)
        put(point.marks, at: layout.marksOffset + i)
      }
      for (i, value) in tree.floats.enumerated() {
        put(value.bitPattern.littleEndian, at: layout.treeOffset + 4 * i)
      }
    }
  }
}

extension PolygonBlob {
  /// A box of boundary and interior: low x, y, z, high x, y, z, relative to `origin`.
  ///
  /// On the ellipsoid each coordinate is greatest and least on its own axis and stationary nowhere else. So the box of
  /// the boundary holds the interior too, unless that holds the end of an axis.
  private static func regionBox(
    _ boundary: [Float], center: Coordinate, radius: Meters, origin: Vector3
  ) -> [Float] {
    guard radius < Polygon.unboundedRadius else {
      return [-.infinity, -.infinity, -.infinity, .infinity, .infinity, .infinity]
    }
    let center = Vector3(unchecked: center)
    let a = WGS84.a
    let b = WGS84.b
    let ends = [
      Vector3(-a, 0, 0), Vector3(0, -a, 0), Vector3(0, 0, -b), Vector3(a, 0, 0), Vector3(0, a, 0),
      Vector3(0, 0, b),
    ]
    var box = boundary
    for (i, end) in ends.enumerated() where (end - center).length <= radius + 1 {
      // Beyond the end of the axis there is nothing.
      let e = end - origin
      let reach = Float([e.x, e.y, e.z][i % 3])
      box[i] = i < 3 ? min(box[i], reach.nextDown - 1) : max(box[i], reach.nextUp + 1)
    }
    return box
  }
}

/// The packed box tree over groups of eight edges, made level by level.
struct PolygonTree {
  /// An axis-parallel box relative to the polygon's origin, metres, rounded outward.
  struct Box {
    var low = SIMD3<Float>(repeating: .infinity)
    var high = SIMD3<Float>(repeating: -.infinity)

    mutating func formUnion(_ other: Box) {
      low = pointwiseMin(low, other.low)
      high = pointwiseMax(high, other.high)
    }

    mutating func formUnion(_ p: Vector3, margin: Double) {
      let q = SIMD3<Double>(p.x, p.y, p.z)
      low = pointwiseMin(low, Self.float(q - margin, \.nextDown, isWrong: >))
      high = pointwiseMax(high, Self.float(q + margin, \.nextUp, isWrong: <))
    }

    private static func float(
      _ q: SIMD3<Double>, _ next: (Float) -> Float, isWrong: (Double, Double) -> Bool
    ) -> SIMD3<Float> {
      var result = SIMD3<Float>(q)
      for i in 0..<3 where isWrong(Double(result[i]), q[i]) { result[i] = next(result[i]) }
      return result
    }
  }

  /// All nodes' boxes, in the order of the layout.
  private(set) var floats: [Float] = []
  /// The box of everything: low x, y, z, high x, y, z.
  private(set) var root: [Float]

  init(points: [PolygonBlob.Point], layout: PolygonLayout, origin: Vector3) {
    var boxes = [Box](repeating: Box(), count: layout.groupCount)
    for i in points.indices.dropLast() where points[i].marks & PolygonLayout.endsChainMark == 0 {
      let p1 = points[i].place
      let p2 = points[i + 1].place
      // An arc over a chord of length c rises at most c² / 8R above it, R the least radius of curvature
      // (to first order; a thousandth more, and a millimetre, covers the rest).
      let sagitta =
        1.001 * (p2 - p1).squaredLength / (8 * WGS84.minimumCurvatureRadius) + 1e-3
      boxes[i / 8].formUnion(p1 - origin, margin: sagitta)
      boxes[i / 8].formUnion(p2 - origin, margin: sagitta)
    }
    var all = Box()
    for box in boxes { all.formUnion(box) }
    root = [all.low.x, all.low.y, all.low.z, all.high.x, all.high.y, all.high.z]
    while !boxes.isEmpty {
      let nodeCount = (boxes.count + 15) / 16
      var parents = [Box](repeating: Box(), count: nodeCount)
      for node in 0..<nodeCount {
        let start = floats.count
        floats.append(contentsOf: repeatElement(.infinity, count: 48))
        floats.append(contentsOf: repeatElement(-.infinity, count: 48))
        for lane in 0..<min(16, boxes.count - node * 16) {
          let box = boxes[node * 16 + lane]
          for axis in 0..<3 {
            floats[start + 16 * axis + lane] = box.low[axis]
            floats[start + 48 + 16 * axis + lane] = box.high[axis]
          }
          parents[node].formUnion(box)
        }
      }
      if nodeCount == 1 { break }
      boxes = parents
    }
  }
}
