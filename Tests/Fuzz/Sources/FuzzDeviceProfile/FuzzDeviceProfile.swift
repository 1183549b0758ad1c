import Harness
import VicinityMonitor
internal import VicinitySimulation

/// Any bytes as a device profile: refused, or a profile within its limits, written and read again to the
/// same.
@_cdecl("FuzzDeviceProfile_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  fuzz(count, arguments, seeds: try seeds()) { input in
    guard let profile = try? DeviceProfile(json: input) else { return }
    guard let bytes = try? profile.encoded() else { finding("read, and cannot be written") }
    guard let again = try? DeviceProfile(json: bytes) else { finding("written, and cannot be read") }
    guard again == profile, (try? again.encoded()) == bytes else { finding("written, and another") }
    for accuracy in DesiredAccuracy.allCases {
      guard let tier = profile.tier(accuracy), tier.interval.value(at: 0) > 0 else { finding("no tier") }
      for probability in [0, 0.3, 1] where !tier.moving.error.value(at: probability).isFinite {
        finding("an error without end")
      }
    }
  }
}

/// The shipped profiles, cut down to what the fuzzer's inputs may hold.
private func seeds() throws -> [[UInt8]] {
  try DeviceProfile.names.map { name in
    var profile = try DeviceProfile.named(name)
    profile.notes = []
    profile.tiers = profile.tiers.filter { $0.key == .best || $0.key == .hundredMeters }
    profile.tiers[.hundredMeters]?.indoors = nil
    profile.tiers[.best]?.still = nil
    profile.tiers[.best]?.indoors = nil
    return try profile.encoded()
  }
}
