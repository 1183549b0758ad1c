import Testing
import VicinityIndex
import VicinityTestSupport

/// The checksum against its published values and against the reference implementation, xxHash 0.8.3.
@Suite struct XXHash64Tests {
  /// Byte i is i² + 7i modulo 256: its hash with seed 0 and with seed 0x9E3779B97F4A7C15.
  static let vectors: [(count: Int, plain: UInt64, seeded: UInt64)] = [
    (0, 0xEF46_DB37_51D8_E999, 0xC434_9FC9_3C01_0000),
    (1, 0xE934_A84A_DB05_2768, 0x126B_B57A_1236_4AA5),
    (3, 0xBB3A_5929_08A9_81A8, 0x4087_BF39_440C_FBE3),
    (4, 0x798A_8B75_8DE1_0B9C, 0xA463_AF74_CAE8_5764),
    (7, 0xC524_FE61_86D6_8234, 0x1449_08A3_A5C6_C0EC),
    (8, 0x628B_254F_D17D_4862, 0x0C99_9368_D33A_A160),
    (12, 0x0436_65C4_47D2_2A2A, 0x6B67_1697_2887_6A31),
    (31, 0xFF26_6226_C2DE_2379, 0x2162_28F1_E0FC_526D),
    (32, 0xAD21_1363_E6D6_BE0F, 0x71FB_2816_337B_30AF),
    (33, 0xA848_9FDE_2B7E_C3AE, 0x9693_C363_B9BC_5379),
    (63, 0xE91F_43E8_D0AE_523E, 0xA3C0_4EDF_5EEF_4C4A),
    (64, 0x81C9_39FD_B6A4_7468, 0x3AE3_692A_22A2_6F42),
    (100, 0xE43C_D255_BDE0_54F5, 0x0162_A240_03D3_6A72),
    (1000, 0xE54E_F276_878B_A050, 0xD4B0_4AA5_568E_6E61),
  ]

  @Test func agreesWithTheReference() {
    for (count, plain, seeded) in Self.vectors {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0 + 7 * $0) }
      #expect(IndexBytes.hash(bytes[...]) == plain, "\(count) bytes")
      #expect(IndexBytes.hash(bytes[...], seed: 0x9E37_79B9_7F4A_7C15) == seeded, "\(count) bytes")
    }
    #expect(IndexBytes.hash(Array("abc".utf8)[...]) == 0x44BC_2CF5_AD77_0999)
  }

  @Test func alignmentDoesNotMatter() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 31) }
    let expected = IndexBytes.hash(bytes[...])
    for shift in 1..<16 {
      let moved = [UInt8](repeating: 0, count: shift) + bytes
      #expect(IndexBytes.hash(moved[shift...]) == expected)
    }
  }
}
