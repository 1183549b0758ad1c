#if _endian(big)
  #error("an index's bytes are little-endian and read in place")
#endif

/// Where everything lies in a `.vicinity` file, and in memory: the two are the same bytes.
///
/// The format is specified in <doc:IndexFormat>.
package struct IndexLayout: Equatable, Sendable {
  /// The parts of the file, in their order.
  package enum Section: Int, CaseIterable, Sendable {
    case nodes, leaves, positions, identifierEnds, identifierBytes, identifierTable
    case polygonOffsets, polygons
  }

  package static let magic: [UInt8] = Array("VICINITY".utf8)
  package static let version: UInt32 = 5
  package static let headerSize = 1024
  /// All sections start on a cache line.
  package static let alignment = 64
  /// The most leaves a search can number: four bits of 32 go to the lane.
  package static let maximumLeafCount = 1 << 28

  package enum Field {
    package static let version = 8
    package static let headerSize = 12
    package static let fileSize = 16
    package static let regionCount = 24
    package static let polygonCount = 32
    package static let nodeCount = 40
    package static let leafCount = 48
    /// Zeroed, as is everything from the end of the sections' table to the checksum.
    package static let reserved = 56
    package static let sections = 256
    package static let sectionSize = 32
    package static let headerChecksum = 1016
  }

  package var regionCount: Int
  package var polygonCount: Int
  package var nodeCount: Int
  package var leafCount: Int
  package var offsets: [Int]
  package var lengths: [Int]
  package var fileSize: Int

  package func offset(_ section: Section) -> Int { offsets[section.rawValue] }
  package func length(_ section: Section) -> Int { lengths[section.rawValue] }

  /// The layout of an index with these counts.
  package init(
    regionCount: Int, polygonCount: Int, nodeCount: Int, leafCount: Int, identifierByteCount: Int,
    polygonByteCount: Int
  ) {
    self.regionCount = regionCount
    self.polygonCount = polygonCount
    self.nodeCount = nodeCount
    self.leafCount = leafCount
    lengths = [
      nodeCount * TreeLayout.nodeSize, leafCount * TreeLayout.leafSize, regionCount * 4,
      regionCount * 4, identifierByteCount, Self.tableSlots(regionCount) * 4,
      polygonCount == 0 ? 0 : (polygonCount + 1) * 8, polygonByteCount,
    ]
    var end = Self.headerSize
    offsets = []
    for length in lengths {
      offsets.append(end)
      end += (length + Self.alignment - 1) / Self.alignment * Self.alignment
    }
    fileSize = end
  }

  /// Slots of the identifier table: a power of two, filled to two thirds at most.
  package static func tableSlots(_ regionCount: Int) -> Int {
    guard regionCount > 0 else { return 0 }
    var slots = 16
    while slots * 2 < regionCount * 3 { slots *= 2 }
    return slots
  }
}
