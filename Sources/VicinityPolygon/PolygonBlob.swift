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

  struct Point {
    let coordinate: Coordinate
    /// Rounded to a multiple of 2⁻²⁴ m on each axis, so that steps and a remainder hold a point's offset from
    /// its group's centre exactly, and a vertex is the same in every group.
    let place: Vector3
    var marks: UInt8

    init(_ coordinate: Coordinate, marks: UInt8) {
      self.coordinate = coordinate
      let p = Vector3(unchecked: coordinate)
      place = Vector3(Self.rounded(p.x), Self.rounded(p.y), Self.rounded(p.z))
      self.marks = marks
    }

    private static func rounded(_ x: Double) -> Double { (x * 0x1p24).rounded() * 0x1p-24 }
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
      let writer = unsafe BlobWriter(bytes: bytes)
      writer.put(PolygonLayout.magic, at: Field.magic)
      writer.put(PolygonLayout.version, at: Field.version)
      writer.put(UInt64(layout.byteCount), at: Field.byteCount)
      writer.put(UInt32(points.count), at: Field.pointCount)
      var flags = points.isEmpty ? PolygonLayout.wholeEarthFlag : 0
      if holdsReference { flags |= PolygonLayout.holdsReferenceFlag }
      if radius >= Polygon.unboundedRadius { flags |= PolygonLayout.unboundedFlag }
      writer.put(flags, at: Field.flags)
      writer.put(UInt32(chains), at: Field.chainCount)
      writer.put(UInt32(vertices), at: Field.vertexCount)
      writer.put(center.latitude, at: Field.centerLatitude)
      writer.put(center.longitude, at: Field.centerLongitude)
      writer.put(radius, at: Field.radius)
      writer.put(origin.x, at: Field.originX)
      writer.put(origin.y, at: Field.originY)
      writer.put(origin.z, at: Field.originZ)
      let box = Self.regionBox(tree.root, center: center, radius: radius, origin: origin)
      for (i, value) in box.enumerated() { writer.put(value, at: Field.box + 4 * i) }
      for level in tree.levels.indices {
        let codes = tree.codes(level: level, box: box)
        let offset = layout.nodeOffset(level)
        for (i, code) in codes.enumerated() { writer.put(code, at: offset + 2 * i) }
      }
      for group in 0..<layout.groupCount { writer.put(group: group, of: points, layout, origin: origin) }
      for (i, point) in points.enumerated() {
        writer.put(point.coordinate.latitude, at: layout.coordinatesOffset + 16 * i)
        writer.put(point.coordinate.longitude, at: layout.coordinatesOffset + 16 * i + 8)
      }
    }
  }
}

extension PolygonBlob {
  /// A box of boundary and interior: low x, y, z, high x, y, z, relative to `origin`.
  ///
  /// On the ellipsoid each coordinate is greatest and least on its own axis and stationary nowhere else. So
  /// the box of the boundary holds the interior too, unless that holds the end of an axis. Where no circle
  /// bounds the region, it is the boundary's alone.
  static func regionBox(
    _ boundary: [Float], center: Coordinate, radius: Meters, origin: Vector3
  ) -> [Float] {
    guard radius < Polygon.unboundedRadius else { return boundary }
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

/// Puts numbers into a polygon's bytes, little-endian.
@safe private struct BlobWriter {
  let bytes: UnsafeMutableRawBufferPointer

  func put(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    unsafe bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
  }

  func put(_ value: Double, at offset: Int) { put(value.bitPattern, at: offset) }
  func put(_ value: Float, at offset: Int) { put(value.bitPattern, at: offset) }

  /// Sixteen edges; the points beyond the last are copies of it, so that there the edges have no length.
  func put(
    group: Int, of points: [PolygonBlob.Point], _ layout: PolygonLayout, origin: Vector3
  ) {
    typealias Group = PolygonLayout.Group
    let base = layout.groupsOffset + group * PolygonLayout.groupSize
    let first = group * PolygonLayout.groupWidth
    let members = (0...PolygonLayout.groupWidth).map { points[min(first + $0, points.count - 1)] }
    let places = members.map { SIMD3($0.place.x - origin.x, $0.place.y - origin.y, $0.place.z - origin.z) }
    let low = places.reduce(places[0], pointwiseMin)
    let high = places.reduce(places[0], pointwiseMax)
    // Multiples of a power of two, as the places are: every difference is exact.
    let center = SIMD3<Float>((0.5 * (low + high) * 16).rounded(.toNearestOrEven)) / 16
    let offsets = places.map { $0 - SIMD3<Double>(center) }
    let greatest = offsets.reduce(SIMD3<Double>()) { pointwiseMax($0, pointwiseMax($1, -$1)) }
    let step = Self.step(reaching: greatest.max())
    var size: Float = 0
    for axis in 0..<3 {
      put(center[axis], at: base + Group.center + 4 * axis)
      for (i, offset) in offsets.enumerated() {
        // Half a step is rounded up, so that what is left of it has its own sign's range.
        let steps = (offset[axis] / Double(step) + 0.5).rounded(.down)
        let remainder = (offset[axis] - steps * Double(step)) / PolygonLayout.remainderUnit
        put(Int16(steps), at: base + Group.rows + axis * Group.rowSize + 2 * i)
        put(Int32(remainder), at: base + Group.remainders + 12 * i + 4 * axis)
      }
      size = (size + Float(greatest[axis]).nextUp).nextUp
    }
    put(step, at: base + Group.step)
    put(size, at: base + Group.size)
    var sagitta = PolygonTree.sagitta(0)
    var absent: UInt16 = 0
    for i in 0..<PolygonLayout.groupWidth where first + i < points.count {
      put(members[i].marks & ~PolygonLayout.endsChainMark, at: base + Group.marks + i)
      if members[i].marks & PolygonLayout.endsChainMark == 0 {
        sagitta = max(sagitta, PolygonTree.sagitta((members[i + 1].place - members[i].place).squaredLength))
      } else {
        absent |= 1 << UInt16(i)
      }
    }
    put(absent, at: base + Group.absent)
    put(Float(sagitta + PolygonLayout.stepSlack * Double(step)).nextUp, at: base + Group.slack)
  }

  /// The finest step of which no more than there may be reach as far as `distance`.
  private static func step(reaching distance: Double) -> Float {
    var step = PolygonLayout.finestStep
    while Double(step) * Double(PolygonLayout.greatestStepCount) < distance { step *= 2 }
    return step
  }
}
