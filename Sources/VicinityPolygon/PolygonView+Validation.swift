internal import VicinityGeodesy

/// Bytes that are not a polygon.
package enum PolygonBlobError: Error, Hashable, Sendable {
  case truncated(expectedBytes: Int, actualBytes: Int)
  case misaligned(address: UInt)
  case badMagic(UInt32)
  case unsupportedVersion(found: Int, supported: Int)
  case wrongLength(stated: UInt64, expected: Int)
  case tooManyPoints(count: Int, maximum: Int)
  /// A field of the header, or a column's value, out of its range.
  case invalidValue(field: String, index: Int)
}

extension PolygonBlobError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated(let expected, let actual):
      "polygon cut short: \(actual) bytes of \(expected)"
    case .misaligned(let address): "polygon at address \(address), not a multiple of 64"
    case .badMagic(let magic): "not a polygon: magic number \(magic)"
    case .unsupportedVersion(let found, let supported):
      "polygon format version \(found) (supported: \(supported))"
    case .wrongLength(let stated, let expected):
      "polygon of \(expected) bytes states a length of \(stated)"
    case .tooManyPoints(let count, let maximum): "polygon of \(count) points (at most \(maximum))"
    case .invalidValue(let field, let index): "polygon with an invalid \(field) at \(index)"
    }
  }
}

extension PolygonView {
  /// Checks everything that reading relies on; afterwards every read of a view is in bounds and every
  /// search ends, whatever the bytes are.
  ///
  /// - Parameter bytes: starts with the polygon and may go on after it.
  /// - Returns: the polygon's length in bytes.
  /// - Throws: ``PolygonBlobError`` for the first thing that is wrong.
  /// - Complexity: O(n)
  @discardableResult
  package static func validate(_ bytes: UnsafeRawBufferPointer) throws(PolygonBlobError) -> Int {
    typealias Field = PolygonLayout.Field
    guard let base = bytes.baseAddress, bytes.count >= PolygonLayout.nodesOffset else {
      throw .truncated(expectedBytes: PolygonLayout.nodesOffset, actualBytes: bytes.count)
    }
    let address = UInt(bitPattern: base)
    guard address % 64 == 0 else { throw .misaligned(address: address) }
    // SAFETY: only header fields are read until the length is known to suffice.
    let view = unsafe PolygonView(base: base)
    let magic = UInt32(littleEndian: view.load(Field.magic, as: UInt32.self))
    guard magic == PolygonLayout.magic else { throw .badMagic(magic) }
    let version = UInt32(littleEndian: view.load(Field.version, as: UInt32.self))
    guard version == PolygonLayout.version else {
      throw .unsupportedVersion(found: Int(version), supported: Int(PolygonLayout.version))
    }
    let pointCount = view.pointCount
    guard pointCount <= PolygonLayout.maximumPointCount else {
      throw .tooManyPoints(count: pointCount, maximum: PolygonLayout.maximumPointCount)
    }
    let layout = PolygonLayout(pointCount: pointCount)
    let stated = UInt64(littleEndian: view.load(Field.byteCount, as: UInt64.self))
    guard stated == UInt64(layout.byteCount) else {
      throw .wrongLength(stated: stated, expected: layout.byteCount)
    }
    guard bytes.count >= layout.byteCount else {
      throw .truncated(expectedBytes: layout.byteCount, actualBytes: bytes.count)
    }
    try view.validateHeader(layout)
    try view.validatePoints(layout)
    try view.validateGroups(layout)
    return layout.byteCount
  }

  private func validateHeader(_ layout: PolygonLayout) throws(PolygonBlobError) {
    typealias Field = PolygonLayout.Field
    let isWhole = layout.pointCount == 0
    let allowed = isWhole ? PolygonLayout.wholeEarthFlag : PolygonLayout.holdsReferenceFlag
    guard flags & ~(allowed | PolygonLayout.unboundedFlag) == 0,
      isWhole == (flags & PolygonLayout.wholeEarthFlag != 0), !isWhole || isUnbounded
    else {
      throw .invalidValue(field: "flag", index: 0)
    }
    guard boundingCenter.isValid, abs(boundingCenter.longitude) <= 180 else {
      throw .invalidValue(field: "bounding centre", index: 0)
    }
    guard boundingRadius >= 0, boundingRadius <= Polygon.unboundedRadius,
      isUnbounded == (boundingRadius == Polygon.unboundedRadius)
    else {
      throw .invalidValue(field: "bounding radius", index: 0)
    }
    guard origin.squaredLength < 1e15 else { throw .invalidValue(field: "origin", index: 0) }
    for axis in 0..<3 {
      let low = float(Field.box + 4 * axis)
      let high = float(Field.box + 12 + 4 * axis)
      // NaN and infinity fail the comparisons.
      guard low > -1e8, low <= high, high < 1e8 else { throw .invalidValue(field: "box", index: axis) }
    }
    for offset in stride(from: Field.reserved, to: PolygonLayout.nodesOffset, by: 8) {
      guard load(offset, as: UInt64.self) == 0 else {
        throw .invalidValue(field: "reserved byte", index: offset)
      }
    }
  }

  private func validatePoints(_ layout: PolygonLayout) throws(PolygonBlobError) {
    var chains = 0
    var vertices = 0
    var startsChain = true
    for i in 0..<layout.pointCount {
      let p = place(of: i, layout)
      // NaN and infinity fail the comparison.
      guard p.squaredLength < 1e14 else { throw .invalidValue(field: "place", index: i) }
      let c = coordinate(of: i, layout)
      guard c.isValid, abs(c.longitude) <= 180 else {
        throw .invalidValue(field: "coordinate", index: i)
      }
      let mark = marks(of: i, layout)
      guard mark <= 7 else { throw .invalidValue(field: "mark", index: i) }
      let isVertex = mark & PolygonLayout.vertexMark != 0
      let endsChain = mark & PolygonLayout.endsChainMark != 0
      // A chain starts and ends at a vertex and has an edge.
      guard isVertex || !(startsChain || endsChain), !(startsChain && endsChain) else {
        throw .invalidValue(field: "mark", index: i)
      }
      startsChain = endsChain
      if endsChain { chains += 1 }
      if isVertex { vertices += 1 }
    }
    guard startsChain else { throw .invalidValue(field: "mark", index: layout.pointCount - 1) }
    guard chains == chainCount else { throw .invalidValue(field: "chain count", index: chainCount) }
    guard vertices == vertexCount else {
      throw .invalidValue(field: "vertex count", index: vertexCount)
    }
    for offset in stride(from: layout.coordinatesOffset + 16 * layout.pointCount, to: layout.byteCount, by: 8)
    {
      guard load(offset, as: UInt64.self) == 0 else { throw .invalidValue(field: "padding", index: offset) }
    }
  }

  /// Checks the other numbers that searches compute with: any finite size is accepted.
  private func validateGroups(_ layout: PolygonLayout) throws(PolygonBlobError) {
    typealias Group = PolygonLayout.Group
    for group in 0..<layout.groupCount {
      let offset = layout.groupsOffset + group * PolygonLayout.groupSize
      let size = float(offset + Group.size)
      guard size >= 0, size < 1e9 else { throw .invalidValue(field: "group size", index: group) }
      let slack = float(offset + Group.slack)
      guard slack >= 0, slack < 1e9 else { throw .invalidValue(field: "group slack", index: group) }
      let step = float(offset + Group.step)
      guard step >= PolygonLayout.finestStep, step <= PolygonLayout.coarsestStep, step.significand == 1 else {
        throw .invalidValue(field: "step", index: group)
      }
      for reserved in stride(from: offset + Group.reserved, to: offset + PolygonLayout.groupSize, by: 4) {
        guard load(reserved, as: UInt32.self) == 0 else {
          throw .invalidValue(field: "reserved byte", index: reserved)
        }
      }
      // Seventeenth points, and copies of the last point, take part in arithmetic.
      for lane in 0...PolygonLayout.groupWidth {
        let point = group * PolygonLayout.groupWidth + lane
        if lane < PolygonLayout.groupWidth, point < layout.pointCount {
          let marks = load(offset + Group.marks + lane, as: UInt8.self)
          guard marks & PolygonLayout.endsChainMark == 0 else {
            throw .invalidValue(field: "mark", index: point)
          }
          continue
        }
        let twin = min(point, layout.pointCount - 1)
        guard place(group: offset, lane: lane, origin: origin) == place(of: twin, layout) else {
          throw .invalidValue(field: "padding", index: point)
        }
        guard
          lane == PolygonLayout.groupWidth
            || load(offset + Group.marks + lane, as: UInt8.self) == 0 && !endsChain(group: offset, lane: lane)
        else {
          throw .invalidValue(field: "mark", index: point)
        }
      }
    }
  }
}
