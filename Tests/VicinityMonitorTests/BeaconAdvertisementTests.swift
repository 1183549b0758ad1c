import Testing
import VicinityMonitor

/// What a beacon sends, byte by byte.
@Suite struct BeaconAdvertisementTests {
  private let family = ProximityUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

  /// The example that Apple's AirLocate made common: its UUID, major 0, minor 0, -59 dBm.
  @Test func thePayload() throws {
    let advertisement = try BeaconAdvertisement(BeaconIdentity(uuid: family))
    let bytes: [UInt8] = [
      0x4C, 0x00, 0x02, 0x15, 0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7,
      0x10,
      0x96, 0xE0, 0x00, 0x00, 0x00, 0x00, 0xC5,
    ]
    #expect(advertisement.payload == bytes)
    let full = try BeaconAdvertisement(
      BeaconIdentity(uuid: family, major: 0x0102, minor: 0xFFFE), measuredPower: 4)
    #expect(full.payload.suffix(5) == [0x01, 0x02, 0xFF, 0xFE, 0x04])
    let half = try BeaconAdvertisement(BeaconIdentity(uuid: family, major: 7))
    #expect(half.identity == BeaconIdentity(uuid: family, major: 7, minor: 0))
  }

  @Test func readAgain() throws {
    for (major, minor, power) in [(UInt16.min, UInt16.max, -128), (1, 2, 127), (.max, 0, -59)] {
      let sent = try BeaconAdvertisement(
        BeaconIdentity(uuid: family, major: major, minor: minor), measuredPower: power)
      #expect(BeaconAdvertisement(payload: sent.payload) == sent)
      #expect(BeaconAdvertisement(payload: sent.payload.dropLast()) == nil)
      #expect(BeaconAdvertisement(payload: sent.payload + [0]) == nil)
      for index in 0..<4 {
        var other = sent.payload
        other[index] ^= 1
        #expect(BeaconAdvertisement(payload: other) == nil)
      }
    }
    #expect(BeaconAdvertisement(payload: []) == nil)
  }

  @Test func aPowerThatDoesNotFit() {
    for power in [-129, 128, .max, .min] {
      #expect(throws: BeaconOptionsError.outOfRange(option: "measured power", value: Double(power))) {
        _ = try BeaconAdvertisement(BeaconIdentity(uuid: family), measuredPower: power)
      }
    }
  }
}
