import Foundation
import Testing
import VicinityTestSupport

@testable import VicinityText

@Suite struct NumberScannerTests {
  static func parse(_ text: String) -> Double {
    unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe NumberScanner.number($0) }
  }

  @Test(arguments: [
    "0", "-0", "1", "+1.5", ".5", "5.", "-.5", "00012.500", "1e3", "1E-3", "1e+3",
    "123456789012345678",
    "9007199254740993", "9007199254740992.5", "11.937999999999999", "166.62900000000002", "1e22",
    "1e23",
    "1e-22", "1e-23", "18446744073709551615", "18446744073709551616", "99999999999999999999",
    "9999999999999999999", "0.9999999999999999999", "0.10000000000000000000000000000000001",
    "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2e-324", "1e400", "-1e400",
    "1e-400",
    "0e999999999999999999999", "0.0000000000000000000000000000000000000001e40",
    "2.2250738585072011e-308",
    "1" + String(repeating: "0", count: 300), "0." + String(repeating: "0", count: 300) + "1",
  ])
  func agreesWithTheSystem(_ text: String) {
    let system = unsafe strtod(text, nil)
    #expect(Self.parse(text).bitPattern == system.bitPattern, "\(text)")
  }

  @Test(arguments: [
    "", " ", ".", "-", "+", "e5", "1e", "1e+", "1.2.3", "--1", "1-", "nan", "inf", "NaN",
    "infinity", "0x10",
    "1,5", "1 2", "1e5.0", "٣", "1\u{0}", "1d5", String(repeating: "1", count: 1025),
  ])
  func refusesWhatIsNoPlainNumber(_ text: String) { #expect(Self.parse(text).isNaN, "\(text)") }

  /// Random decimals of every shape against `strtod`, to the last bit.
  @Test func agreesWithTheSystemOnRandomNumbers() {
    let seed: UInt64 = 0x5EED_0001
    var random = SplitMix64(seed: seed)
    let count = runsLongTests ? 20_000_000 : 1_000_000
    var buffer: [UInt8] = []
    var failures = 0
    for i in 0..<count {
      Self.randomNumber(&random, into: &buffer)
      let mine = unsafe buffer.withUnsafeBufferPointer { unsafe NumberScanner.number($0) }
      buffer.append(0)
      let system = unsafe buffer.withUnsafeBufferPointer { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe strtod($0.baseAddress!, nil) }
      }
      if mine.bitPattern != system.bitPattern, failures < 5 {
        failures += 1
        let text = String(decoding: buffer.dropLast(), as: UTF8.self)
        Issue.record("seed \(seed), number \(i): \(text) read as \(mine), not \(system)")
      }
    }
  }

  /// The 64-bit quotient lies on both sides of every rounding boundary here: halfway cases come back even.
  @Test func roundsQuotientsToNearestEven() {
    let seed: UInt64 = 0x5EED_0002
    var random = SplitMix64(seed: seed)
    for _ in 0..<200_000 {
      // m + 1/2 with m of 53 bits is a tie; its neighbours in the last decimal are not.
      let m = (UInt64(1) << 52) | (random.next() >> 12)
      let tie = "\(m).5"
      #expect(Self.parse(tie) == Double(m & 1 == 0 ? m : m + 1), "\(tie)")
      for text in ["\(m).49", "\(m).51"] {
        let system = unsafe strtod(text, nil)
        #expect(Self.parse(text) == system, "\(text)")
      }
    }
  }

  private static func randomNumber(_ random: inout SplitMix64, into text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    let bits = random.next()
    if bits & 1 == 1 { text.append(UInt8(ascii: "-")) }
    // Mostly coordinates; now and then anything.
    let isWild = (bits >> 1) & 7 == 0
    let whole = Int((bits >> 4) & 0xF) % (isWild ? 16 : 4)
    let fraction = Int((bits >> 8) & 0x3F) % (isWild ? 30 : 17)
    for _ in 0..<max(whole, fraction == 0 ? 1 : 0) { text.append(48 + UInt8(random.next() % 10)) }
    if fraction > 0 {
      text.append(UInt8(ascii: "."))
      for _ in 0..<fraction { text.append(48 + UInt8(random.next() % 10)) }
    }
    if isWild, bits >> 60 < 8 {
      let exponent = Int(random.next() % 700) - 350
      text += Array((bits >> 59 & 1 == 0 ? "e" : "E").utf8) + Array("\(exponent)".utf8)
    }
  }
}
