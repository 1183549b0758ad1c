/// On which side of a line a point lies, with the exact sign for all finite coordinates.
///
/// The sign of the determinant `(a.x - c.x)(b.y - c.y) - (a.y - c.y)(b.x - c.x)` is found in up to three
/// steps. Rounded arithmetic decides where the determinant exceeds a bound of its error. Otherwise the
/// determinant is the exact sum of an expansion of doubles (Shewchuk 1997, *Adaptive precision floating-point
/// arithmetic and fast robust geometric predicates*, doi:10.1007/PL00009321). Coordinates whose products
/// could overflow or underflow are summed as integers.
enum RobustOrientation {
  /// Positive when `c` lies to the left of the way from `a` to `b`, negative to the right, zero on the line
  /// through them.
  ///
  /// Only the sign means anything.
  ///
  /// Checked against integers of any length in `RobustOrientationTests`.
  @inline(__always)
  static func sign(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Double {
    certainSign(a, b, c, margin: 0) ?? Double(exactSign(a, b, c))
  }

  /// The determinant where rounded arithmetic shows that it exceeds `margin` either way; only its sign means
  /// anything.
  @inline(__always)
  static func certainSign(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>, margin: Double
  ) -> Double? {
    let left = (a.x - c.x) * (b.y - c.y)
    let right = (a.y - c.y) * (b.x - c.x)
    let determinant = left - right
    // With u = 2^-53, each product carries three roundings: it is wrong by less than 3.01 u of its size, and
    // the difference of two doubles has the sign of the exact difference. 4 u covers the rounding of the
    // bound itself. Products below 2^-949 may have lost more to underflow, and infinite or missing ones fail
    // both comparisons.
    let bound = 0x1p-51 * (abs(left) + abs(right)) + margin
    if abs(determinant) > bound && bound > 0x1p-1000 { return determinant }
    return nil
  }

  /// -1, 0 or 1, by exact arithmetic.
  @inline(never)
  static func exactSign(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Int {
    // Differences are zero only where the coordinates are equal.
    if (a.x == c.x || b.y == c.y) && (a.y == c.y || b.x == c.x) { return 0 }
    return isWithinExpansionRange(a, b, c) ? signByExpansion(a, b, c) : signByInteger(a, b, c)
  }

  /// Whether every step of ``signByExpansion(_:_:_:)`` is exact.
  ///
  /// The last bit of a coordinate of at least 2^-450 is worth at least 2^-502. So a product of two
  /// differences, and its rounding error, are multiples of 2^-1004 and cannot underflow; below 2^500 nothing
  /// overflows.
  private static func isWithinExpansionRange(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>
  ) -> Bool {
    func isWithin(_ value: Double) -> Bool {
      let size = abs(value)
      return size == 0 || (size >= 0x1p-450 && size < 0x1p500)
    }
    return isWithin(a.x) && isWithin(a.y) && isWithin(b.x) && isWithin(b.y) && isWithin(c.x)
      && isWithin(c.y)
  }

  // MARK: Expansions

  /// - Precondition: ``isWithinExpansionRange(_:_:_:)``.
  private static func signByExpansion(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>
  ) -> Int {
    let acx = difference(a.x, c.x)
    let acy = difference(a.y, c.y)
    let bcx = difference(b.x, c.x)
    let bcy = difference(b.y, c.y)
    if acx.error == 0 && acy.error == 0 && bcx.error == 0 && bcy.error == 0 {
      // Two exact products. Rounding never changes an order, so unequal rounded products decide.
      let left = product(acx.value, bcy.value)
      let right = product(acy.value, bcx.value)
      if left.value != right.value { return left.value > right.value ? 1 : -1 }
      return left.error == right.error ? 0 : left.error > right.error ? 1 : -1
    }
    var sum = Expansion()
    for (x, y, factor) in [(acx, bcy, 1.0), (acy, bcx, -1.0)] {
      for (u, v) in [(x.error, y.error), (x.error, y.value), (x.value, y.error), (x.value, y.value)]
      where u != 0 && v != 0 {
        let part = product(factor * u, v)
        sum.add(part.error)
        sum.add(part.value)
      }
    }
    return sum.sign
  }

  /// `x - y` rounded, and what rounding left out (Knuth's TwoSum, of `x` and `-y`).
  private static func difference(_ x: Double, _ y: Double) -> (value: Double, error: Double) {
    Expansion.sum(x, -y)
  }

  /// `x * y` rounded, and what rounding left out.
  private static func product(_ x: Double, _ y: Double) -> (value: Double, error: Double) {
    let value = x * y
    return (value, (-value).addingProduct(x, y))
  }

  /// An exact sum of doubles: components that do not overlap, the smallest first, none of them zero.
  private struct Expansion {
    // Eight products of two components each.
    private var components = SIMD16<Double>()
    private var count = 0

    /// Adds one double; exact (Shewchuk's Grow-Expansion, theorem 10, less the zeros).
    mutating func add(_ value: Double) {
      var carry = value
      var kept = 0
      for i in 0..<count {
        let (sum, error) = Self.sum(carry, components[i])
        carry = sum
        if error != 0 {
          components[kept] = error
          kept += 1
        }
      }
      if carry != 0 {
        components[kept] = carry
        kept += 1
      }
      count = kept
    }

    /// The sign of the largest component, which exceeds all the others together.
    var sign: Int {
      guard count > 0 else { return 0 }
      return components[count - 1] > 0 ? 1 : -1
    }

    static func sum(_ x: Double, _ y: Double) -> (value: Double, error: Double) {
      let value = x + y
      let yPart = value - x
      let xPart = value - yPart
      return (value, (x - xPart) + (y - yPart))
    }
  }

  // MARK: Integers

  /// The determinant in units of 2^-2148, the square of the smallest double, as one long integer.
  ///
  /// Multiplied out, the determinant is a sum of six products of coordinates, each an integer of at most 4196
  /// bits.
  private static func signByInteger(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>
  ) -> Int {
    // 4352 bits in two's complement, the least significant word first.
    var words = [UInt64](repeating: 0, count: 68)
    func add(_ x: Double, _ y: Double, isNegative: Bool) {
      guard x != 0 && y != 0 else { return }
      let (xDigits, xShift) = integer(x)
      let (yDigits, yShift) = integer(y)
      let (high, low) = xDigits.multipliedFullWidth(by: yDigits)
      let shift = UInt64((xShift + yShift) % 64)
      let start = (xShift + yShift) / 64
      // Shifts of 64 give zero.
      let parts = [low << shift, high << shift | low >> (64 - shift), high >> (64 - shift)]
      let isSubtracted = isNegative != ((x < 0) != (y < 0))
      var carry: UInt64 = 0
      for i in start..<words.count {
        let part = i - start < 3 ? parts[i - start] : 0
        if i - start >= 3 && carry == 0 { break }
        if isSubtracted {
          let (once, first) = words[i].subtractingReportingOverflow(part)
          let (twice, second) = once.subtractingReportingOverflow(carry)
          words[i] = twice
          carry = first || second ? 1 : 0
        } else {
          let (once, first) = words[i].addingReportingOverflow(part)
          let (twice, second) = once.addingReportingOverflow(carry)
          words[i] = twice
          carry = first || second ? 1 : 0
        }
      }
    }
    add(a.x, b.y, isNegative: false)
    add(a.x, c.y, isNegative: true)
    add(c.x, b.y, isNegative: true)
    add(a.y, b.x, isNegative: true)
    add(a.y, c.x, isNegative: false)
    add(c.y, b.x, isNegative: false)
    if words[words.count - 1] >> 63 == 1 { return -1 }
    return words.allSatisfy { $0 == 0 } ? 0 : 1
  }

  /// `abs(value)` as `digits` times 2^(`shift` - 1074).
  private static func integer(_ value: Double) -> (digits: UInt64, shift: Int) {
    let exponent = Int(value.exponentBitPattern)
    return exponent == 0
      ? (value.significandBitPattern, 0) : (value.significandBitPattern | 1 << 52, exponent - 1)
  }
}
