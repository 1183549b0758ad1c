import VicinityTestSupport

@testable import VicinityPolygon

/// The bytes of a group of edges, written from what the format says of them and not by the packer.
struct GroupBytes {
  /// Steps from the centre of each of seventeen points, x, y and z.
  var steps: [[Int16]]
  /// In 2⁻²⁴ m.
  var remainders: [[Int32]]
  var absent: UInt16 = 0
  var center: [Float] = [0, 0, 0]
  var step: Float = 1
  var slack: Float = 0

  /// A group of random points as far as `reach` steps from the centre on each axis, of which some are the
  /// ones before.
  init(reach: Int, _ random: inout SplitMix64) {
    steps = (0..<17).map { _ in (0..<3).map { _ in Int16(random.below(2 * reach + 1) - reach) } }
    for i in 1..<17 where random.unit() < 0.1 { steps[i] = steps[i - 1] }
    remainders = Array(repeating: [0, 0, 0], count: 17)
    for i in 0..<16 where random.unit() < 0.1 { absent |= 1 << UInt16(i) }
  }

  /// The sum over the axes of the greatest offset, metres.
  var size: Float {
    (0..<3).reduce(Float(0)) { sum, axis in sum + step * Float(steps.map { $0[axis].magnitude }.max() ?? 0) }
  }

  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 384)
    func put(_ value: some FixedWidthInteger, at offset: Int) {
      for i in 0..<value.bitWidth / 8 {
        bytes[offset + i] = UInt8(truncatingIfNeeded: value >> (8 * i))
      }
    }
    for i in 0..<17 {
      for axis in 0..<3 {
        put(steps[i][axis], at: 34 * axis + 2 * i)
        put(remainders[i][axis], at: 128 + 12 * i + 4 * axis)
      }
    }
    put(absent, at: 102)
    for axis in 0..<3 { put(center[axis].bitPattern, at: 104 + 4 * axis) }
    put(step.bitPattern, at: 116)
    put(size.bitPattern, at: 120)
    put(slack.bitPattern, at: 124)
    return bytes
  }

  /// A point less the polygon's origin, metres.
  func place(_ i: Int) -> [Double] {
    (0..<3).map {
      Double(steps[i][$0]) * Double(step) + Double(remainders[i][$0]) * 0x1p-24 + Double(center[$0])
    }
  }
}
