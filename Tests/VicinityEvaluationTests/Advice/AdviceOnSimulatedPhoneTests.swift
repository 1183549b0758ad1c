import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

/// What the advisor says is held against the simulated phone's region monitoring.
@Suite("Advice on radii, on the simulated phone")
struct AdviceOnSimulatedPhoneTests {
  /// All regions, which are few, in slots from the beginning to the end.
  private struct AllInSlots: MonitoringPolicy {
    let name = "all-in-slots"
    let summary = "All regions in slots."

    func makeApp(watching regions: RegionIndex) -> any PhoneApp { App(regions) }

    private final class App: PhoneApp {
      private let regions: RegionIndex
      init(_ regions: RegionIndex) { self.regions = regions }

      func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
        switch event {
        case .launched:
          for ordinal in 0..<regions.count {
            if let region = MonitoredRegion(enclosing: ordinal, of: regions) { phone.startMonitoring(region) }
          }
        case .entered(let region): phone.report(entry: true, region: region, at: phone.now)
        case .exited(let region): phone.report(entry: false, region: region, at: phone.now)
        default: break
        }
      }
    }
  }

  private static let stops = 15
  private static let apart: Meters = 6000
  private static let speed = 25.0

  private func regions(_ radius: Meters) throws -> RegionIndex {
    try RegionIndex(
      (1...Self.stops).map { number in
        Region(
          identifier: "stop-\(number)",
          center: Coordinate(latitude: 0, longitude: Double(number) * Self.apart / 111_319.490793),
          radius: radius)
      })
  }

  private func track() throws -> TrueTrack {
    let length = Double(Self.stops + 1) * Self.apart
    return try TrueTrack(
      (0...Int(length / Self.speed)).map { second in
        Fix(
          time: Timestamp(microseconds: Int64(second) * 1_000_000),
          coordinate: Coordinate(latitude: 0, longitude: Self.speed * Double(second) / 111_319.490793))
      })
  }

  /// The share of entries that the phone reports, over some seeds.
  private func reported(_ radius: Meters, seeds: Int = 8) throws -> Double {
    let regions = try regions(radius)
    let track = try track()
    var entries = 0
    var reported = 0
    for seed in 1...seeds {
      let scenario = Scenario(
        track: track,
        actions: [
          TimedAction(time: track.start, .openApp),
          TimedAction(time: track.start.advanced(by: .seconds(60)), .leaveApp),
        ], profile: try DeviceProfile.named("iphone-6"), seed: UInt64(seed))
      for match in try SimulatedRun(scenario, AllInSlots(), watching: regions).matches {
        guard let truth = match.truth, truth.kind == .enter else { continue }
        entries += 1
        if match.report != nil { reported += 1 }
      }
    }
    return Double(reported) / Double(entries)
  }

  private func advice(_ radius: Meters, share: Double = 0.9) throws -> [RadiusAdvice.Row] {
    try RadiusAdvisor(profile: try DeviceProfile.named("iphone-6"), share: share)
      .advise(try regions(radius), tracks: [try track()]).rows
  }

  @Test("What cannot be detected is missed, and found at the radius that is advised")
  func undetectable() throws {
    let rows = try advice(120)
    #expect(rows.count == Self.stops && rows.allSatisfy { $0.verdict == .undetectable })
    #expect(try reported(120) < 0.02)
    let advised = try #require(rows.compactMap(\.advisedRadius).max())
    let share = try reported(advised)
    #expect(share > 0.85, "\(advised) m: \(share)")
    // And not for being far too large.
    #expect(share < 0.99 && advised < 2500, "\(advised) m: \(share)")
  }

  @Test(
    "The share that is expected is about the share that is reported", arguments: [500.0, 800, 1100, 1500])
  func expected(radius: Double) throws {
    let rows = try advice(radius)
    let expected = rows.reduce(0) { $0 + $1.expected } / Double(rows.count)
    let share = try reported(radius)
    #expect(abs(expected - share) < 0.15, "\(radius) m: \(expected) expected, \(share) reported")
  }
}
