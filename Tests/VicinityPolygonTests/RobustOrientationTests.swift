import Testing
import VicinityTestSupport

@testable import VicinityPolygon

/// A whole number of any length: the oracle's arithmetic.
private struct LongInteger {
  /// Base 2^32, the least significant digit first.
  var digits: [UInt32] = []
  var isNegative = false

  /// `value` in units of 2^-1074.
  init(_ value: Double) {
    isNegative = value < 0
    let exponent = Int(value.exponentBitPattern)
    var rest = value.significandBitPattern | (exponent == 0 ? 0 : 1 << 52)
    digits = Array(repeating: 0, count: max(0, exponent - 1) / 32)
    let shift = UInt64(max(0, exponent - 1) % 32)
    var carry: UInt64 = 0
    for _ in 0..<3 {
      let part = (rest & 0xFFFF_FFFF) << shift | carry
      digits.append(UInt32(truncatingIfNeeded: part))
      carry = part >> 32
      rest >>= 32
    }
    trim()
  }

  private init() {}

  private mutating func trim() {
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { isNegative = false }
  }

  static func * (a: Self, b: Self) -> Self {
    var result = Self()
    result.digits = Array(repeating: 0, count: a.digits.count + b.digits.count)
    for i in a.digits.indices {
      var carry: UInt64 = 0
      for k in b.digits.indices {
        let sum = UInt64(a.digits[i]) * UInt64(b.digits[k]) + UInt64(result.digits[i + k]) + carry
        result.digits[i + k] = UInt32(truncatingIfNeeded: sum)
        carry = sum >> 32
      }
      result.digits[i + b.digits.count] = UInt32(carry)
    }
    result.isNegative = a.isNegative != b.isNegative
    result.trim()
    return result
  }

  private static func isSmaller(_ a: [UInt32], _ b: [UInt32]) -> Bool {
    if a.count != b.count { return a.count < b.count }
    for i in a.indices.reversed() where a[i] != b[i] { return a[i] < b[i] }
    return false
  }

  static func - (a: Self, b: Self) -> Self {
    var result = Self()
    if a.isNegative != b.isNegative {
      var carry: UInt64 = 0
      for i in 0..<max(a.digits.count, b.digits.count) + 1 {
        let sum =
          UInt64(i < a.digits.count ? a.digits[i] : 0) + UInt64(i < b.digits.count ? b.digits[i] : 0) + carry
        result.digits.append(UInt32(truncatingIfNeeded: sum))
        carry = sum >> 32
      }
      result.isNegative = a.isNegative
    } else {
      let isTurned = isSmaller(a.digits, b.digits)
      let (large, small) = isTurned ? (b.digits, a.digits) : (a.digits, b.digits)
      var borrow: Int64 = 0
      for i in large.indices {
        var difference = Int64(large[i]) - Int64(i < small.count ? small[i] : 0) - borrow
        borrow = difference < 0 ? 1 : 0
        if difference < 0 { difference += 1 << 32 }
        result.digits.append(UInt32(difference))
      }
      result.isNegative = a.isNegative != isTurned
    }
    result.trim()
    return result
  }

  var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  static func orientation(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Int {
    let x = Self(c.x)
    let y = Self(c.y)
    return ((Self(a.x) - x) * (Self(b.y) - y) - (Self(a.y) - y) * (Self(b.x) - x)).sign
  }
}

@Suite("Robust orientation: the exact sign")
struct RobustOrientationTests {
  private func check(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>, _ note: @autoclosure () -> String
  ) -> Int {
    let expected = LongInteger.orientation(a, b, c)
    func sign(_ value: Double) -> Int { value > 0 ? 1 : value < 0 ? -1 : 0 }
    for (u, v, w, factor) in [
      (a, b, c, 1), (b, c, a, 1), (c, a, b, 1), (b, a, c, -1), (c, b, a, -1), (a, c, b, -1),
    ] {
      let found = sign(RobustOrientation.sign(u, v, w))
      #expect(found == factor * expected, "\(note()): \(u), \(v), \(w)")
      #expect(RobustOrientation.exactSign(u, v, w) == factor * expected, "exact, \(note()): \(u), \(v), \(w)")
    }
    return expected
  }

  private func moved(_ value: Double, _ steps: Int) -> Double {
    var value = value
    for _ in 0..<abs(steps) { value = steps > 0 ? value.nextUp : value.nextDown }
    return value
  }

  @Test("Points within a few units in the last place of a line")
  func nearlyCollinear() {
    let seed: UInt64 = 2021
    var random = SplitMix64(seed: seed)
    var counts = [0, 0, 0]
    for i in 0..<20_000 {
      func coordinate() -> Double { Double.random(in: -180...180, using: &random) }
      let a = SIMD2(coordinate(), coordinate())
      let b = i % 3 == 0 ? a + SIMD2(coordinate(), coordinate()) * 1e-9 : SIMD2(coordinate(), coordinate())
      let t = Double.random(in: -0.5...1.5, using: &random)
      let on = a + t * (b - a)
      let c = SIMD2(
        moved(on.x, Int.random(in: -2...2, using: &random)),
        moved(on.y, Int.random(in: -2...2, using: &random)))
      counts[1 + check(a, b, c, "seed \(seed), case \(i)")] += 1
    }
    #expect(counts[0] > 5000 && counts[2] > 5000, "\(counts)")
  }

  @Test("Kettner's grid: steps of the last place around (0.5, 0.5) beside the diagonal from 12 to 24")
  func grid() {
    // Kettner, Mehlhorn, Pion, Schirra, Yap 2008, doi:10.1016/j.comgeo.2007.06.003, figure 2.
    var collinear = 0
    for i in 0..<64 {
      for k in 0..<64 {
        let p = SIMD2(0.5 + Double(i) * 0x1p-53, 0.5 + Double(k) * 0x1p-53)
        if check(p, SIMD2(12, 12), SIMD2(24, 24), "\(i), \(k)") == 0 { collinear += 1 }
      }
    }
    #expect(collinear >= 64)
  }

  @Test("Exactly collinear points, with exact differences and without")
  func collinear() {
    let seed: UInt64 = 7
    var random = SplitMix64(seed: seed)
    for i in 0..<5000 {
      // Multiples of an odd direction by powers of two and small numbers are exact, and so are the sums.
      let direction = SIMD2(
        Double(Int.random(in: -1 << 20...1 << 20, using: &random)),
        Double(Int.random(in: -1 << 20...1 << 20, using: &random)))
      let origin = SIMD2(
        Double(Int.random(in: -1 << 48...1 << 48, using: &random)),
        Double(Int.random(in: -1 << 48...1 << 48, using: &random)))
      func point() -> SIMD2<Double> {
        origin + Double(Int.random(in: -1 << 30...1 << 30, using: &random)) * direction
      }
      #expect(check(point(), point(), point(), "seed \(seed), case \(i)") == 0)
      // The differences of these are not exact.
      let far = 0x1p60 * direction
      #expect(check(0x1p-40 * direction, direction, far, "seed \(seed), far \(i)") == 0)
    }
  }

  @Test("Every finite magnitude: no overflow, no underflow")
  func extremes() {
    let seed: UInt64 = 300
    var random = SplitMix64(seed: seed)
    var counts = [0, 0, 0]
    let special = [
      0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 1, 1e-300, 1e300, 0x1p-450,
      0x1p500,
      0x1p-451, 0x1p-537, 0x1p-538,
    ]
    func coordinate() -> Double {
      let sign = Bool.random(using: &random) ? 1.0 : -1.0
      if Int.random(in: 0..<3, using: &random) == 0 {
        return sign * special[Int.random(in: 0..<special.count, using: &random)]
      }
      return sign
        * Double(
          sign: .plus, exponent: Int.random(in: -1074...1023, using: &random),
          significand: Double.random(in: 1..<2, using: &random))
    }
    for i in 0..<5000 {
      let a = SIMD2(coordinate(), coordinate())
      let b = SIMD2(coordinate(), coordinate())
      let c = i % 4 == 0 ? 0.5 * a + 0.5 * b : i % 4 == 1 ? 0x1p-30 * a : SIMD2(coordinate(), coordinate())
      counts[1 + check(a, b, c, "seed \(seed), case \(i)")] += 1
      // Small triangles far below the range of products.
      let tiny = Double(sign: .plus, exponent: Int.random(in: -1070 ... -400, using: &random), significand: 1)
      let small = (0..<3).map { _ in
        SIMD2(
          Double(Int.random(in: -9...9, using: &random)), Double(Int.random(in: -9...9, using: &random)))
          * tiny
      }
      counts[1 + check(small[0], small[1], small[2], "seed \(seed), tiny \(i)")] += 1
    }
    #expect(counts.allSatisfy { $0 > 100 }, "\(counts)")
  }

  @Test("Digits lost to underflow: rounded products differ by the smallest double, the wrong way")
  func underflow() {
    // The left product is less than 1.5 units of 2^-1074 by a share of 2^-58.6, and rounds up once `c.x` is
    // lost in `a.x`. The right one is less by 2^-60, and rounds down.
    let a = SIMD2(0x3p-538, 0x3p-595 * (1 + 0x1p-30))
    let b = SIMD2(0x1p-480 * (1 - 0x1p-30), 0x1p-537)
    #expect(check(a, b, SIMD2(0x1p-595, 0), "underflow") == -1)
    #expect((a.x - 0x1p-595) * b.y - a.y * (b.x - 0x1p-595) == .leastNonzeroMagnitude)
  }
}
