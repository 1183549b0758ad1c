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
/// regions are polygons; `absent` in lanes beyond the last child. Nodes stand in breadth-first order
/// and leaves in the order of the nodes that refer to them, so every child number is known in advance: a
/// reader checks the whole shape in one pass, and no bytes can make it loop.
///
/// A leaf, 896 bytes: four rows of sixteen lanes, then sixteen records of 40 bytes:
///
/// | offset | field | |
/// | --- | --- | --- |
/// | 0, 64, 128 | x, y, z | Float32; ECEF of the centre less the parent lane's box centre |
/// | 192 | reach | Float32; radius, rounded up |
/// | 256 + 40 i | record i | Float32 × 3: what Float32 rounding left of x, y, z; UInt32: ordinal; Float64 × 3: latitude, longitude, radius as given |
///
/// For polygons the circle is the bounding circle, and the first two of the three Float32 give way to the
/// number of the polygon and `polygonMark`.
package enum TreeLayout {
  /// Children of a node and regions of a leaf.
  package static let width = 16
  package static let nodeSize = 512
  package static let leafSize = 896
  package static let recordOffset = 256
  package static let recordSize = 40

  package static let centerX = 0
  package static let centerY = 64
  package static let centerZ = 128
  package static let halfX = 192
  package static let halfY = 256
  package static let halfZ = 320
  package static let reach = 384
  package static let child = 448

  package static let leafX = 0
  package static let leafY = 64
  package static let leafZ = 128
  package static let leafReach = 192

  package static let recordX = 0
  package static let recordY = 4
  package static let recordZ = 8
  package static let recordOrdinal = 12
  package static let recordLatitude = 16
  package static let recordLongitude = 24
  package static let recordRadius = 32

  package static let leafFlag: UInt32 = 0x8000_0000
  package static let polygonFlag: UInt32 = 0x4000_0000
  package static let childMask: UInt32 = 0x3fff_ffff
  package static let absent: UInt32 = 0xffff_ffff
  /// What a polygon's record carries where a circle's has a small finite number: a NaN.
  package static let polygonMark: UInt32 = 0xffff_ffff
  /// The ordinal in a leaf's lanes beyond its last region.
  package static let noOrdinal: UInt32 = 0xffff_ffff

  /// Where absent lanes are placed, metres: a hundred times farther than anything on Earth, so that no
  /// bound passes, and small enough that its powers stay finite in single precision.
  package static let farAway: Float = 1e9

  /// Radii are stored larger by this factor, and chords measured smaller by it, so that the sums stay
  /// lower bounds under single-precision rounding (eight operations, half an ulp of 2⁻²⁴ each: 5e-7)
  /// and under the loss of four mantissa bits to the lane number (16 ulp: 1.9e-6).
  package static let slack: Float = 4e-6
}
