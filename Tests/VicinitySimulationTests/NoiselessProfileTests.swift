import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("A phone without chance")
struct NoiselessProfileTests {
  @Test("Its positions are where it is, and no seed makes a difference", arguments: DeviceProfile.names)
  func exact(name: String) throws {
    let profile = try DeviceProfile.named(name).noiseless
    try profile.check()
    let route = Route(east: 0).going(east: 10, for: 900).standing(for: 900)
    func run(_ seed: UInt64) throws -> SimulationResult {
      try Simulation.run(route, profile: profile, seed: seed) { phone, event in
        guard case .launched = event else { return }
        phone.startUpdatingLocation()
        phone.startMonitoring(MonitoredRegion(identifier: "r", center: Route.place(5000), radius: 200))
      }
    }
    let result = try run(1)
    #expect(result.timeline == (try run(2)).timeline)
    let fixes = result.locations(.standard).flatMap(\.fixes)
    #expect(fixes.count > 500)
    let places = try route.track().positions(at: fixes.map(\.time))
    for (fix, place) in zip(fixes, places) {
      #expect(try Geodesic.distance(from: fix.coordinate, to: place) < 1e-3)
      #expect(abs(fix.horizontalAccuracy - 1) < 1e-6)
    }
    #expect(result.told.contains { $0.event == .entered(region: "r") })
  }
}
