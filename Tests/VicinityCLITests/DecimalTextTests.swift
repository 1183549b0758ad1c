import Foundation
import Testing
import VicinityCrossings
import VicinityFormats

@testable import VicinityCLI

@Suite struct DecimalTextTests {
  @Test(
    arguments: [
      (0.0, 3, "0.000"), (-0.0, 3, "0.000"), (-0.0004, 3, "0.000"), (-0.0006, 3, "-0.001"),
      (1.0, 0, "1"), (0.5, 0, "0"), (1.5, 0, "2"), (2.5, 0, "2"), (-2.5, 0, "-2"), (-0.5, 0, "0"),
      (0.125, 2, "0.12"), (0.375, 2, "0.38"), (0.9999, 3, "1.000"), (-0.9996, 3, "-1.000"),
      (1.005, 2, "1.00"), (0.1, 15, "0.100000000000000"), (20_003_931.458_6, 3, "20003931.459"),
      (9_007_199_254_740_992, 3, "9007199254740992.000"), (0x1p63, 1, "9223372036854775808.0"),
      (1e23, 0, "99999999999999991611392"), (-0x1p70, 3, "-1180591620717411303424.000"),
      (.nan, 3, "nan"), (.infinity, 3, "inf"), (-.infinity, 3, "-inf"),
      (.leastNonzeroMagnitude, 15, "0.000000000000000"),
    ] as [(Double, Int, String)])
  func knownValues(value: Double, decimals: Int, text: String) {
    #expect(DecimalText.string(value, decimals: decimals) == text)
  }

  /// The C library rounds correctly, so it is the oracle; only its signed zero differs.
  @Test func agreesWithTheSystem() {
    let seed: UInt64 = 0x5EED_0001
    var state = seed
    func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
    for _ in 0..<20_000 {
      let decimals = Int(next() % 16)
      let bits = next()
      let value: Double
      switch next() % 3 {
      // Any scale up to 2^80.
      case 0:
        let scale = Double(sign: .plus, exponent: Int(next() % 160) - 80, significand: 1)
        value = Double(bits >> 11) * 0x1p-53 * scale
      // Ties: few binary digits after the point.
      case 1: value = Double(Int64(bits % 2_000_000)) / 1024
      // Decimal near-ties.
      default: value = (Double(bits % 1_000_000_000) + 0.5) / 1000
      }
      for signed in [value, -value] {
        var expected = String(format: "%.\(decimals)f", signed)
        if expected.hasPrefix("-"), expected.allSatisfy({ "-0.".contains($0) }) { expected.removeFirst() }
        #expect(
          DecimalText.string(signed, decimals: decimals) == expected, "seed \(seed), value \(signed)")
      }
    }
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ]) func grouping(value: Int, text: String) {
    #expect(DecimalText.grouped(value) == text)
  }

  @Test func counting() {
    let words = [0, 1, 2, 1000].map { DecimalText.count($0, "fix is", "fixes are") }
    #expect(words == ["0 fixes are", "1 fix is", "2 fixes are", "1,000 fixes are"])
  }
}
