/// The shapes of the packed tree's blocks, the same in memory and in the file.
///
/// Every block is sixteen wide, because sixteen single-precision lanes are one cache line and four
/// vector registers. All fields are little-endian, all blocks start on 64-byte boundaries.
///
/// An inner node, 512 bytes, eight rows of sixteen lanes:
///
/// | offset | field | |
/// | --- | --- | --- |
/// | 0, 64, 128 | centre x, y, z | Float32; ECEF metres of the child's bounding box |
/// | 192, 256, 320 | half extent x, y, z | Float32; rounded up |
/// | 384 | reach | Float32; the largest radius below, rounded up |
/// | 448 | child | UInt32; see below |
///
/// A child is the number of a node, or of a leaf with `leafFlag` set, and `polygonFlag` too when its
/// regions are polygons; `absent` in lanes beyond the last child. The number of a node has `runFlag` set
/// where everything below it is circles around one centre, from the first leaf to the last in the order of
/// their radii, the largest first, and those of one radius in the order of ordinals, so that a search need
/// not look at all of it. In an index that changes it has `centerFlag` instead, and they stand in any order.
/// Nodes stand in breadth-first order
/// and leaves in the order of the nodes that refer to them, so every child number is known in advance: a
/// reader checks the whole shape in one pass, and no bytes can make it loop.
///
/// A leaf, 960 bytes: five rows of sixteen lanes, then sixteen records of 40 bytes:
///
/// | offset | field | |
/// | --- | --- | --- |
/// | 0, 64, 128 | x, y, z | Float32; ECEF of the centre less the parent lane's box centre |
/// | 192 | reach | Float32; radius, rounded up |
/// | 256 | ordinal | UInt32; again in the record |
/// | 320 + 40 i | record i | Float32 × 3: what Float32 rounding left of x, y, z; UInt32: ordinal; Float64 × 3: latitude, longitude, radius as given |
///
/// For polygons the circle is the bounding circle, and the first two of the three Float32 give way to the
/// number of the polygon and `polygonMark`.
package enum TreeLayout {
  /// Children of a node and regions of a leaf.
  @inlinable package static var width: Int { 16 }
  @inlinable package static var nodeSize: Int { 512 }
  @inlinable package static var leafSize: Int { 960 }
  @inlinable package static var recordOffset: Int { 320 }
  @inlinable package static var recordSize: Int { 40 }

  @inlinable package static var centerX: Int { 0 }
  @inlinable package static var centerY: Int { 64 }
  @inlinable package static var centerZ: Int { 128 }
  @inlinable package static var halfX: Int { 192 }
  @inlinable package static var child: Int { 448 }

  @inlinable package static var leafX: Int { 0 }
  @inlinable package static var leafY: Int { 64 }
  @inlinable package static var leafZ: Int { 128 }
  @inlinable package static var leafReach: Int { 192 }
  @inlinable package static var leafOrdinals: Int { 256 }

  @inlinable package static var recordX: Int { 0 }
  @inlinable package static var recordY: Int { 4 }
  @inlinable package static var recordZ: Int { 8 }
  @inlinable package static var recordOrdinal: Int { 12 }
  @inlinable package static var recordLatitude: Int { 16 }
  @inlinable package static var recordLongitude: Int { 24 }
  @inlinable package static var recordRadius: Int { 32 }

  @inlinable package static var leafFlag: UInt32 { 0x8000_0000 }
  @inlinable package static var polygonFlag: UInt32 { 0x4000_0000 }
  /// The same bit, of nodes.
  @inlinable package static var runFlag: UInt32 { 0x4000_0000 }
  /// Of nodes alone, and never in a file.
  @inlinable package static var centerFlag: UInt32 { 0x2000_0000 }
  @inlinable package static var childMask: UInt32 { 0x1fff_ffff }
  @inlinable package static var absent: UInt32 { 0xffff_ffff }
  /// A NaN that a polygon's record holds where a circle's has a small finite number.
  @inlinable package static var polygonMark: UInt32 { 0xffff_ffff }
  /// The ordinal in a leaf's lanes beyond its last region.
  @inlinable package static var noOrdinal: UInt32 { 0xffff_ffff }

  /// Where absent lanes are placed, metres: a hundred times farther than anything on Earth, so that no
  /// bound passes, and small enough that its powers stay finite in single precision.
  @inlinable package static var farAway: Float { 1e9 }

  /// Radii are stored larger by this factor, and chords measured smaller by it, so that the sums stay
  /// lower bounds under single-precision rounding (eight operations, half an ulp of 2⁻²⁴ each: 5e-7)
  /// and under the loss of four mantissa bits to the lane number (16 ulp: 1.9e-6).
  @inlinable package static var slack: Float { 4e-6 }
}
