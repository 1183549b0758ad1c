internal import VicinityGeodesy

/// Where things lie in a polygon's packed bytes: all of it follows from the number of points.
///
/// Little-endian, position independent, every section on a multiple of 64 bytes:
///
/// | section | contents |
/// | --- | --- |
/// | header | 128 bytes, see ``Field`` |
/// | x, y, z | ECEF metres, `Float64`, one a point, padded by at least one to a multiple of 8 |
/// | latitude, longitude | degrees, `Float64`, padded likewise |
/// | marks | one byte a point: bit 0 the point ends a chain, bit 1 it is a vertex (not a split point), bit 2 the edge from it does not tell the side (``DoubtfulEdges``) |
/// | tree | nodes of 16 boxes, 384 bytes: low x, y, z, high x, y, z as 16 `Float32` each; the level over the groups first, the root last |
///
/// Point i and point i + 1 bound edge i unless point i ends a chain. Eight consecutive edges make a
/// group; sixteen groups, and then sixteen nodes, share a node. Children are found by arithmetic, never
/// by a stored index, so that damaged bytes cannot send a search astray.
struct PolygonLayout: Equatable {
  /// Byte offsets of the header's fields.
  enum Field {
    static let magic = 0
    static let version = 4
    static let byteCount = 8
    static let pointCount = 16
    static let flags = 20
    static let chainCount = 24
    static let vertexCount = 28
    static let centerLatitude = 32
    static let centerLongitude = 40
    static let radius = 48
    static let originX = 56
    static let originY = 64
    static let originZ = 72
    /// Of the region, interior included, relative to the origin: low x, y, z, high x, y, z as `Float32`.
    static let box = 80
    static let reserved = 104
  }

  static let magic: UInt32 = 0x5650_4F4C
  static let version: UInt32 = 1
  static let headerSize = 128
  static let groupSize = 8
  static let nodeCapacity = 16
  static let nodeSize = 384
  /// So that a group's number fits in 24 bits and the tree in six levels.
  static let maximumPointCount = 1 << 27
  static let maximumLevelCount = 6

  /// The points of the whole Earth: none.
  static let wholeEarthFlag: UInt32 = 1

  /// The region holds its reference; see ``PolygonView/reference``.
  static let holdsReferenceFlag: UInt32 = 2

  static let endsChainMark: UInt8 = 1
  static let vertexMark: UInt8 = 2
  static let doubtfulMark: UInt8 = 4

  let pointCount: Int
  /// Groups of eight edges.
  let groupCount: Int
  /// Bytes of one padded column of `Float64`.
  let columnSize: Int
  let marksOffset: Int
  let treeOffset: Int
  let byteCount: Int

  /// - Precondition: `0 <= pointCount <= maximumPointCount`.
  @inline(__always)
  init(pointCount: Int) {
    self.pointCount = pointCount
    groupCount = (pointCount + 7) / 8
    columnSize = (groupCount + 1) * 64
    marksOffset = Self.headerSize + 5 * columnSize
    treeOffset = marksOffset + (pointCount + 8 + 63) / 64 * 64
    byteCount = treeOffset + Self.nodeCount(overGroups: groupCount) * Self.nodeSize
  }

  @inline(__always)
  var xOffset: Int { Self.headerSize }
  @inline(__always)
  var yOffset: Int { Self.headerSize + columnSize }
  @inline(__always)
  var zOffset: Int { Self.headerSize + 2 * columnSize }
  @inline(__always)
  var latitudeOffset: Int { Self.headerSize + 3 * columnSize }
  @inline(__always)
  var longitudeOffset: Int { Self.headerSize + 4 * columnSize }

  /// The nodes of all levels over `count` groups.
  @inline(__always)
  static func nodeCount(overGroups count: Int) -> Int {
    var total = 0
    var n = count
    while n > 0 {
      n = (n + 15) / 16
      total += n
      if n == 1 { break }
    }
    return total
  }

  /// The byte offset of the first node of `level` (0 lies over the groups) and the level's node count.
  @inline(__always)
  func level(_ level: Int) -> (offset: Int, nodeCount: Int) {
    var offset = treeOffset
    var n = (groupCount + 15) / 16
    for _ in 0..<level {
      offset += n * Self.nodeSize
      n = (n + 15) / 16
    }
    return (offset, n)
  }

  /// The number of the root's level.
  @inline(__always)
  var rootLevel: Int {
    var level = 0
    var n = (groupCount + 15) / 16
    while n > 1 {
      n = (n + 15) / 16
      level += 1
    }
    return level
  }
}
