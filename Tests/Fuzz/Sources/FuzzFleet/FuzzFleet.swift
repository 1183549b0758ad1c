import Harness
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

private let regions = (0..<12).map { i in
  Region(
    identifier: "\(i)", center: Coordinate(latitude: 48 + 0.001 * Double(i), longitude: 16),
    radius: [0, 50, 200, 3e6][i % 4])
}

private let rules: [CrossingRule] = [.coreLocation(), .naive, .exitMargin(), .overlap()]

/// Any bytes as a fleet's snapshot, with checksums and fingerprint made to match: restored or refused; what
/// is restored goes on, and is written and restored again to the same.
@_cdecl("FuzzFleet_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  guard let index = try? RegionIndex(regions) else { return 1 }
  let fingerprint = IndexBytes.word(seed(index, devices: 0, dwell: nil), 24)
  return fuzz(
    count, arguments,
    seeds: [(0, nil), (1, nil), (3, .seconds(4)), (9, nil)].map { seed(index, devices: $0.0, dwell: $0.1) }
      + rules.map { seed(index, devices: 5, dwell: nil, rule: $0) }
  ) { input in
    var names = DeviceNames()
    _ = try? Fleet.restored(fromSnapshot: input, index: index, names: &names)
    var bytes = input
    if bytes.count >= 128 {
      let stated = Int(clamping: IndexBytes.word(bytes, 16))
      if stated >= 128, stated < 1 << 16 {
        bytes = Array(bytes.prefix(stated)) + [UInt8](repeating: 0, count: max(0, stated - bytes.count))
      }
      IndexBytes.put(fingerprint, in: &bytes, at: 24)
      IndexBytes.put(IndexBytes.hash(bytes[128...]), in: &bytes, at: 112)
      IndexBytes.put(IndexBytes.hash(bytes[..<120]), in: &bytes, at: 120)
    }
    guard var fleet = try? Fleet.restored(fromSnapshot: bytes, index: index, names: &names) else { return }
    var crossings: [Crossing] = []
    for device in 0..<fleet.deviceCount {
      let time = fleet.lastTime(of: device)?.microseconds ?? 0
      for (i, place) in regions.prefix(4).enumerated() {
        let (next, overflow) = time.addingReportingOverflow(Int64(i + 1) * 100_000_000)
        guard !overflow, case .circle(let center, _) = place.shape else { continue }
        try? fleet.advance(
          device, to: Fix(time: Timestamp(microseconds: next), coordinate: center), into: &crossings)
      }
    }
    let again = fleet.snapshot(names: names)
    guard let twin = try? Fleet.restored(fromSnapshot: again, index: index, names: &names) else {
      finding("written, and refused")
    }
    if twin.snapshot(names: names) != again { finding("restored, and another") }
  }
}

private func seed(
  _ index: RegionIndex, devices: Int, dwell: Duration?, rule: CrossingRule = .geometric
) -> [UInt8] {
  let options = CrossingOptions(
    dwell: dwell, rule: rule, notifyOnExit: rule == .geometric ? .all : .only([0, 70]))
  guard var fleet = try? Fleet(index, options: options, deviceCount: devices) else { return [] }
  var names = DeviceNames()
  var crossings: [Crossing] = []
  for device in 0..<devices {
    names.insert("device \(device)")
    let coordinate = Coordinate(latitude: 48 + 0.001 * Double(device), longitude: 16)
    try? fleet.advance(
      device,
      to: Fix(
        time: Timestamp(microseconds: Int64(device) * 1_000_000), coordinate: coordinate,
        horizontalAccuracy: [0, 30, 1e6][device % 3]),
      into: &crossings)
  }
  return fleet.snapshot(names: names)
}
