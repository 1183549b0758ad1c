internal import VicinityCrossings

/// Decimal text to numbers, without a locale or a `String`.
///
/// - ``number(_:)``: any decimal number as a correctly rounded `Double`.
/// - ``plainNumber(_:)``: the same for the common short form, fast, from text that ends in some other byte.
/// - ``fixedPoint(_:decimals:)``: a number without an exponent as a scaled integer, for times.
///
/// The grammar of ``number(_:)``: an optional sign, digits with at most one point among or around them, an
/// optional exponent. No spaces, no `nan`, no `inf`, no hexadecimal. It takes one of three paths, all
/// rounding to nearest even, so no result depends on the path:
/// - a significand up to 2^53 and a power of ten up to 10^22 are both exact as `Double`, so one division
///   or multiplication rounds once (W. D. Clinger, *How to read floating point numbers accurately*, PLDI
///   1990, doi:10.1145/93542.93557);
/// - up to 19 digits over a power of ten up to 10^19 are a quotient of two 64-bit integers: a 128 by 64
///   bit division gives 64 leading bits and the remainder says whether anything follows;
/// - the rest goes to the standard library's parser.
///
/// Checked against `strtod` in `NumberScannerTests`.
package enum NumberScanner {
  /// The longest text taken for a number, bytes. No `Double` needs more than 767 significant digits.
  static let maximumByteCount = 1024

  /// The number that `text` spells, or NaN when it spells none; infinity when it is too large.
  ///
  /// - Complexity: O(bytes); about 15 ns for a coordinate.
  @inline(__always)
  package static func number(_ text: UnsafeBufferPointer<UInt8>) -> Double {
    guard let base = text.baseAddress else { return .nan }
    return unsafe number(base, base + text.count)
  }

  /// The number that `text` spells; `nil` where it is absent (``OptionalMeasurement/isAbsent(_:)``), infinite
  /// for other text that is no number: ``OptionalMeasurement`` takes both for unknown.
  package static func optional(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    let value = unsafe number(text)
    if !value.isNaN { return value }
    return unsafe OptionalMeasurement.isAbsent(text) ? nil : .infinity
  }

  private static func number(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Double {
    // SAFETY: every read of `p` follows a test of `p < end`.
    var p = unsafe start
    var isNegative = false
    if unsafe p < end, unsafe p.pointee == UInt8(ascii: "-") || p.pointee == UInt8(ascii: "+") {
      isNegative = unsafe p.pointee == UInt8(ascii: "-")
      unsafe p += 1
    }

    // At most 19 digits from the first that is not zero fit into 64 bits.
    var significand: UInt64 = 0
    var significantDigits = 0
    var hasDigits = false
    var exponent = 0
    while unsafe p < end {
      let digit = unsafe p.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      hasDigits = true
      significand = significand &* 10 &+ UInt64(digit)
      if significand != 0 || significantDigits != 0 { significantDigits += 1 }
      unsafe p += 1
    }
    if unsafe p < end, unsafe p.pointee == UInt8(ascii: ".") {
      unsafe p += 1
      let fraction = unsafe p
      while unsafe p < end {
        let digit = unsafe p.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        significand = significand &* 10 &+ UInt64(digit)
        if significand != 0 || significantDigits != 0 { significantDigits += 1 }
        unsafe p += 1
      }
      exponent = unsafe -(p - fraction)
      if exponent != 0 { hasDigits = true }
    }
    guard hasDigits else { return .nan }
    if unsafe p < end, unsafe p.pointee | 0x20 == UInt8(ascii: "e") {
      unsafe p += 1
      var isNegativeExponent = false
      if unsafe p < end, unsafe p.pointee == UInt8(ascii: "-") || p.pointee == UInt8(ascii: "+") {
        isNegativeExponent = unsafe p.pointee == UInt8(ascii: "-")
        unsafe p += 1
      }
      guard unsafe p < end else { return .nan }
      var value = 0
      while unsafe p < end {
        let digit = unsafe p.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { return .nan }
        // Saturates: beyond 10^6 every number of at most 1024 digits is 0 or infinite.
        if value < 1_000_000 { value = value * 10 + Int(digit) }
        unsafe p += 1
      }
      exponent += isNegativeExponent ? -value : value
    }
    guard unsafe p == end else { return .nan }

    // 19 significant digits never overflow 64 bits; more may have.
    guard significantDigits <= 19 else { return unsafe slow(start, end) }
    guard significand != 0 else { return isNegative ? -0.0 : 0.0 }
    var magnitude: Double
    if significand <= 1 << 53, exponent >= -22, exponent <= 22 {
      magnitude = Double(significand)
      if exponent < 0 {
        magnitude /= powersOfTen[-exponent]
      } else {
        magnitude *= powersOfTen[exponent]
      }
    } else if exponent >= -19, exponent <= 0 {
      magnitude = quotient(significand, integerPowersOfTen[-exponent])
    } else {
      return unsafe slow(start, end)
    }
    return isNegative ? -magnitude : magnitude
  }

  /// The number at `p`, which is then moved behind it; `nil`, with `p` unchanged, for a number with a plus,
  /// an exponent or more than 17 digits, and for other text.
  ///
  /// The significand is at most 2^53 and the power of ten at most 10^17, both exact, so the division rounds
  /// once.
  ///
  /// - Precondition: a byte that is neither a digit nor a point follows the number and may be read.
  @inline(__always)
  static func plainNumber(_ p: inout UnsafePointer<UInt8>) -> Double? {
    // SAFETY: every loop ends at the byte that follows the number.
    var q = unsafe p
    let isNegative = unsafe q.pointee == UInt8(ascii: "-")
    if isNegative { unsafe q += 1 }
    let start = unsafe q
    var significand: UInt64 = 0
    while true {
      let digit = unsafe q.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      significand = significand &* 10 &+ UInt64(digit)
      unsafe q += 1
    }
    var digits = unsafe q - start
    var decimals = 0
    if unsafe q.pointee == UInt8(ascii: ".") {
      unsafe q += 1
      let fraction = unsafe q
      while true {
        let digit = unsafe q.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        significand = significand &* 10 &+ UInt64(digit)
        unsafe q += 1
      }
      unsafe decimals = q - fraction
      digits += decimals
    }
    guard (1...17).contains(digits), significand <= 1 << 53 else { return nil }
    unsafe p = q
    let magnitude = Double(significand) / powersOfTen[decimals]
    return isNegative ? -magnitude : magnitude
  }

  /// A decimal number without an exponent, times ten to the power `decimals`, rounded to the nearest integer,
  /// halves away from zero; `nil` for other text, and for numbers of so many digits that the result might not
  /// fit.
  static func fixedPoint(_ text: UnsafeBufferPointer<UInt8>, decimals: Int) -> Int64? {
    var i = 0
    var isNegative = false
    if i < text.count, unsafe text[i] == UInt8(ascii: "-") || text[i] == UInt8(ascii: "+") {
      isNegative = unsafe text[i] == UInt8(ascii: "-")
      i += 1
    }
    var value: Int64 = 0
    var digits = 0
    while i < text.count {
      let digit = unsafe text[i] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ Int64(digit)
      digits += 1
      i += 1
    }
    // 18 digits are below 2^63.
    guard digits + decimals <= 18 else { return nil }
    var left = decimals
    var roundsUp = false
    if i < text.count, unsafe text[i] == UInt8(ascii: ".") {
      i += 1
      var place = 0
      while i < text.count {
        let digit = unsafe text[i] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        if place < decimals {
          value = value &* 10 &+ Int64(digit)
          left -= 1
        } else if place == decimals {
          roundsUp = digit >= 5
        }
        place += 1
        digits += 1
        i += 1
      }
    }
    guard digits > 0, i == text.count else { return nil }
    while left > 0 {
      value &*= 10
      left -= 1
    }
    if roundsUp { value &+= 1 }
    return isNegative ? -value : value
  }

  /// `numerator / denominator`, correctly rounded; neither is zero.
  static func quotient(_ numerator: UInt64, _ denominator: UInt64) -> Double {
    let shiftN = numerator.leadingZeroBitCount
    let shiftD = denominator.leadingZeroBitCount
    let n = numerator << UInt64(shiftN)
    let d = denominator << UInt64(shiftD)
    // Both have their top bit set, so n/d lies in 1/2 ..< 2; halved when it is 1 or more, the 64-bit
    // quotient of n * 2^64 by d has its top bit set and does not overflow.
    let isHalved = n >= d
    let (q, remainder) =
      isHalved
      ? d.dividingFullWidth((n >> 1, (n & 1) << 63)) : d.dividingFullWidth((n, 0))
    var rounded = q >> 11
    let rest = q & 0x7FF
    if rest > 0x400 || (rest == 0x400 && (remainder != 0 || rounded & 1 == 1)) { rounded += 1 }
    // q * 2^-64 (* 2 if halved) * 2^(shiftD - shiftN); the power of two is a normal number: its
    // exponent lies between -117 and 12.
    let exponent = 11 - 64 + (isHalved ? 1 : 0) + shiftD - shiftN
    return Double(rounded) * Double(bitPattern: UInt64(1023 + exponent) << 52)
  }

  @inline(never)
  private static func slow(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Double {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: end - start)
    guard bytes.count <= maximumByteCount else { return .nan }
    return Double(unsafe String(decoding: bytes, as: UTF8.self)) ?? .nan
  }

  /// 10^0 ... 10^22, all exact.
  static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// 10^0 ... 10^19.
  private static let integerPowersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}
