/// Where things lie in a polygon's packed bytes: all of it follows from the number of points.
///
/// Little-endian, position independent, every section on a multiple of 64 bytes:
///
/// | section | contents |
/// | --- | --- |
/// | header | 64 bytes, see ``Field``, and the root, 192: what every search reads first |
/// | details | 64 bytes, see ``Field`` |
/// | nodes | 192 bytes each: the levels below the root, the highest first |
/// | groups | 384 bytes each: sixteen edges between seventeen points, see ``Group`` |
/// | coordinates | latitude and longitude of each point, degrees, `Float64` |
///
/// Point i and point i + 1 bound edge i unless point i ends a chain. Sixteen consecutive edges make a
/// group; sixteen groups, and then sixteen nodes, share a node. Children are found by arithmetic, never
/// by a stored index, so that damaged bytes cannot send a search astray.
///
/// A node has six rows of sixteen `UInt16`: the children's low x, y, z and high x, y, z, counted in 65535ths
/// of the header's box from its low corner. A search that ends in one group reads the header's four lines,
/// the two of the group's first part, and one of the rest.
struct PolygonLayout: Equatable {
  /// Byte offsets of the fields of header and details.
  enum Field {
    static let magic = 0
    static let version = 4
    static let pointCount = 8
    static let flags = 12
    static let originX = 16
    static let originY = 24
    static let originZ = 32
    /// Of the region, interior included, relative to the origin: low x, y, z, high x, y, z as `Float32`; of
    /// the boundary where no circle bounds the region.
    static let box = 40

    static let byteCount = 256
    static let chainCount = 264
    static let vertexCount = 268
    static let centerLatitude = 272
    static let centerLongitude = 280
    static let radius = 288
    static let reserved = 296
  }

  /// Byte offsets within a group. A point's place is origin + centre + steps × step + remainder: exactly, as
  /// all of these are multiples of 2⁻²⁴ m.
  enum Group {
    /// Rows of x, y and z: how many steps each of seventeen points is from the group's centre, `Int16`.
    static let rows = 0
    static let rowSize = 34
    /// `UInt16`: bit i the edge from point i is none, because the point ends a chain.
    static let absent = 102
    /// x, y and z of the centre, less the polygon's origin, `Float32`.
    static let center = 104
    /// The step, a power of two, metres, `Float32`.
    static let step = 116
    /// The sum over the axes of the greatest offset, `Float32`.
    static let size = 120
    /// How far the surface arcs may be from the chords between the points as steps tell them, `Float32`.
    static let slack = 124
    /// The offsets of seventeen points less their whole steps, x, y, z of each, in ``remainderUnit``s,
    /// `Int32`.
    static let remainders = 128
    /// One byte for each of sixteen points: bit 1 it is a vertex (not a split point), bit 2 the edge from it
    /// does not tell the side (``AmbiguousEdges``). Bit 0, that it ends a chain, is in ``absent``.
    static let marks = 332
    static let reserved = 348
  }

  /// All places are multiples of this, metres.
  static let remainderUnit = 0x1p-24
  /// The finest and the coarsest step of a group, metres. The finest leaves no remainder; 32767 of the
  /// coarsest are longer than the distance of any two places, and a remainder of half a coarsest step fits
  /// into 32 bits.
  static let finestStep: Float = 0x1p-24
  static let coarsestStep: Float = 0x1p8
  static let greatestStepCount = 32767
  /// The greatest distance by which rounding to whole steps moves a point, steps: half a step on each axis,
  /// √3 / 2, rounded up.
  static let stepSlack = 0.8661

  static let magic: UInt32 = 0x5650_4F4C
  static let version: UInt32 = 3
  /// The bytes that a search reads first: header and root.
  static let headerSize = 256
  static let rootOffset = 64
  static let nodesOffset = 320
  static let groupSize = 384
  static let groupWidth = 16
  static let nodeCapacity = 16
  static let nodeSize = 192
  /// So that a group's number fits in 24 bits and the tree in six levels.
  static let maximumPointCount = 1 << 27

  /// The region is the whole Earth, which has no points.
  static let wholeEarthFlag: UInt32 = 1

  /// The region holds its reference; see ``PolygonView/reference``.
  static let holdsReferenceFlag: UInt32 = 2

  /// No circle bounds the region.
  static let unboundedFlag: UInt32 = 4

  static let endsChainMark: UInt8 = 1
  static let vertexMark: UInt8 = 2
  static let ambiguousMark: UInt8 = 4

  let pointCount: Int
  /// Groups of sixteen edges.
  let groupCount: Int

  /// - Precondition: `0 <= pointCount <= maximumPointCount`.
  @inline(__always)
  init(pointCount: Int) {
    self.pointCount = pointCount
    groupCount = pointCount == 0 ? 0 : max(1, (pointCount + 14) >> 4)
  }

  /// The number of the root's level; level 0 lies over the groups.
  @inline(__always)
  var rootLevel: Int {
    // Levels are as many as hexadecimal digits of the last group's number.
    max(
      0, (UInt(max(1, groupCount) - 1).bitWidth - UInt(max(1, groupCount) - 1).leadingZeroBitCount - 1) >> 2)
  }

  @inline(__always)
  func nodeCount(_ level: Int) -> Int {
    let shift = 4 * (level + 1)
    return (groupCount + (1 << shift) - 1) >> shift
  }

  @inline(__always)
  func nodeOffset(_ level: Int) -> Int {
    let root = rootLevel
    if level == root { return Self.rootOffset }
    var offset = Self.nodesOffset
    var above = root - 1
    while above > level {
      offset += nodeCount(above) * Self.nodeSize
      above -= 1
    }
    return offset
  }

  @inline(__always)
  var groupsOffset: Int {
    let root = rootLevel
    return root == 0 ? Self.nodesOffset : nodeOffset(0) + nodeCount(0) * Self.nodeSize
  }

  var coordinatesOffset: Int { groupsOffset + groupCount * Self.groupSize }

  var byteCount: Int { coordinatesOffset + (pointCount * 16 + 63) / 64 * 64 }

  /// The group that holds a point, and which of its points it is: the last point may be a group's
  /// seventeenth.
  @inline(__always)
  func slot(of point: Int) -> (group: Int, lane: Int) {
    let group = min(point >> 4, groupCount - 1)
    return (group, point - group << 4)
  }
}
