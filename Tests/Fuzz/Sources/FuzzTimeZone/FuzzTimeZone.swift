import Harness

@testable internal import VicinityText

/// Any bytes as time zone data: read or refused, and instants no farther from local times than offsets are.
@_cdecl("FuzzTimeZone_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  fuzz(count, arguments, seeds: seeds()) { input in
    guard let data = ZoneData(input) else { return }
    let zone = LocalZone(description: "", data: data)
    var local: Int64 = 1
    for _ in 0..<62 {
      local &*= -2
      let instant = zone.instant(ofLocal: local &+ 1_700_000_000)
      if local.magnitude < 1 << 40, abs(local + 1_700_000_000 - instant) > 2 * 86_400 {
        finding("\(local) is \(instant)")
      }
      _ = zone.onlyInstant(ofLocalMicroseconds: local)
    }
  }
}

private func seeds() -> [[UInt8]] {
  func block(_ wide: Bool) -> [UInt8] {
    var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, 0, 1, 2, 8] as [UInt8] { bytes += [0, 0, 0, count] }
    bytes += [UInt8](repeating: 0, count: wide ? 8 : 4) + [1]
    bytes += [0, 0, 0x0E, 0x10, 0, 0] + [0, 0, 0x1C, 0x20, 1, 4]
    return bytes + Array("CET\0CEST".utf8)
  }
  return [
    "CET-1CEST,M3.5.0,M10.5.0/3", "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3", "AAA3BBB,J60/26,300/-1:30", "UTC0", "",
  ].map {
    block(false) + block(true) + Array("\n\($0)\n".utf8)
  }
}
