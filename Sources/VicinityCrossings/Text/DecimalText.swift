/// Numbers as decimal text, the same in every locale.
package enum DecimalText {
  /// The most decimals that can be asked for.
  package static let maximumDecimals = 15

  /// Appends `value` with `decimals` digits after the point, rounded correctly: to the nearest such decimal,
  /// ties to the even digit. Zero has no sign, however it came about: `-0.0001` is `0.000`.
  ///
  /// The integer part `n` and the fraction of a double are split exactly. The scaled fraction is
  /// `y + error` exactly, `y` its rounding and `error` what a fused multiply-add recovers (below 2^-4, as
  /// y < 10^15 < 2^50), so which side of a half it lies on is decided without rounding.
  ///
  /// Not a number and infinities, which no row contains, come out as `nan`, `inf` and `-inf`.
  ///
  /// - Complexity: O(digits)
  package static func append(_ value: Double, decimals: Int, to text: inout [UInt8]) {
    guard value.isFinite else {
      text.append(contentsOf: value.isNaN ? "nan".utf8 : value < 0 ? "-inf".utf8 : "inf".utf8)
      return
    }
    let decimals = min(max(decimals, 0), maximumDecimals)
    let magnitude = value.magnitude
    guard magnitude < 0x1p63 else {
      appendLarge(value, decimals: decimals, to: &text)
      return
    }
    let truncated = magnitude.rounded(.towardZero)
    var whole = UInt64(truncated)
    let scale = powerOfTen(decimals)
    let fraction = magnitude - truncated
    let scaled = fraction * scale
    let error = (-scaled).addingProduct(fraction, scale)
    // `addingProduct` is fused: error = fraction * scale - scaled, exactly.
    let floor = scaled.rounded(.down)
    var digits = UInt64(floor)
    let aboveHalf = (scaled - floor - 0.5) + error
    let lastIsOdd = decimals == 0 ? whole & 1 == 1 : digits & 1 == 1
    if aboveHalf > 0 || aboveHalf == 0 && lastIsOdd { digits += 1 }
    if digits >= UInt64(scale) {
      digits -= UInt64(scale)
      whole += 1
    }
    if value < 0, whole != 0 || digits != 0 { text.append(UInt8(ascii: "-")) }
    append(whole, minimumDigits: 1, to: &text)
    guard decimals > 0 else { return }
    text.append(UInt8(ascii: "."))
    append(digits, minimumDigits: decimals, to: &text)
  }

  /// Appends a whole number.
  package static func append(_ value: Int, to text: inout [UInt8]) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    append(UInt64(value.magnitude), minimumDigits: 1, to: &text)
  }

  package static func string(_ value: Double, decimals: Int) -> String {
    var text: [UInt8] = []
    append(value, decimals: decimals, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// A count with its thousands set apart by commas: `1,234,567`.
  package static func grouped(_ value: Int) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (position, digit) in digits.enumerated() {
      if position > 0, (digits.count - position) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// How many there are of something: `1 fix`, `1,234 fixes`.
  package static func count(_ count: Int, _ one: String, _ many: String) -> String {
    "\(grouped(count)) \(count == 1 ? one : many)"
  }

  private static func append(_ value: UInt64, minimumDigits: Int, to text: inout [UInt8]) {
    var count = 1
    var limit: UInt64 = 10
    while count < 20, value >= limit {
      count += 1
      limit = count == 20 ? .max : limit * 10
    }
    count = max(count, minimumDigits)
    text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: count))
    // SAFETY: the span, which checks positions, does not outlive the array's bytes.
    unsafe text.withUnsafeMutableBufferPointer { bytes in
      var digits = unsafe bytes.mutableSpan
      var position = digits.count
      var rest = value
      while rest > 0 {
        position -= 1
        digits[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
  }

  /// Ten to the power of `exponent`, 0...15: exact, as up to 10^22.
  private static func powerOfTen(_ exponent: Int) -> Double {
    switch exponent {
    case 0: 1
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case 9: 1e9
    case 10: 1e10
    case 11: 1e11
    case 12: 1e12
    case 13: 1e13
    case 14: 1e14
    default: 1e15
    }
  }

  /// Values from 2^63 on are whole: the significand, doubled in decimal digits.
  private static func appendLarge(_ value: Double, decimals: Int, to text: inout [UInt8]) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    var digits = String(UInt64(value.significand * 0x1p52)).utf8.map { $0 - UInt8(ascii: "0") }
    digits.reverse()
    for _ in 0..<(Int(value.exponent) - 52) {
      var carry: UInt8 = 0
      for position in digits.indices {
        let doubled = 2 * digits[position] + carry
        digits[position] = doubled % 10
        carry = doubled / 10
      }
      if carry > 0 { digits.append(carry) }
    }
    text.append(contentsOf: digits.reversed().map { $0 + UInt8(ascii: "0") })
    guard decimals > 0 else { return }
    text.append(UInt8(ascii: "."))
    text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: decimals))
  }
}
