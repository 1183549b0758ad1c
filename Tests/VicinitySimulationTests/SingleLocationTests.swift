import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("Single positions")
struct SingleLocationTests {
  /// East at 10 m/s, for some seconds.
  private func drive(_ seconds: Double) -> Route { Route(east: 0).going(east: 10, for: seconds) }

  private static let alone = SurroundingsTimeline(PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true))

  @Test("A single position waits for satellites, ten seconds at most")
  func single() throws {
    func run(
      _ accuracy: DesiredAccuracy, _ surroundings: SurroundingsTimeline? = nil
    ) throws -> SimulationResult {
      try Simulation.run(drive(60), surroundings: surroundings) { phone, event in
        guard case .launched = event else { return }
        phone.locationSettings.desiredAccuracy = accuracy
        phone.requestLocation()
      }
    }
    let best = try run(.best)
    #expect(best.locations(.single).map(\.seconds) == [5])
    #expect((best.locations(.single).first?.fixes[0].horizontalAccuracy ?? 100) <= 15)
    #expect(abs(best.spent(.gnss) - 5 * 0.25) < 1e-9)
    #expect(try run(.hundredMeters).locations(.single).map(\.seconds) == [0])
    let blind = try run(.best, Self.alone)
    #expect(blind.told.filter { $0.event == .locationUnknown }.map(\.seconds) == [10])
    // Indoors there is nothing to wait for.
    let roof = try run(.best, SurroundingsTimeline(PhoneSurroundings(isIndoors: true)))
    #expect(roof.locations(.single).map(\.seconds) == [0])
  }

  @Test("A single position costs a scan: what one costs while the tier is on, ten seconds of it at most")
  func scan() throws {
    func run(
      _ accuracy: DesiredAccuracy, _ surroundings: SurroundingsTimeline? = nil
    ) throws -> SimulationResult {
      try Simulation.run(drive(60), surroundings: surroundings) { phone, event in
        if case .launched = event { phone.requestLocation(accuracy) }
      }
    }
    // 60 mW and a position every 6 s; 20 mW and one every 60 s.
    #expect(abs(try run(.hundredMeters).spent(.wifi) - 0.36) < 1e-9)
    #expect(abs(try run(.kilometer).spent(.cell) - 0.2) < 1e-9)
    let roof = try run(.best, SurroundingsTimeline(PhoneSurroundings(isIndoors: true)))
    #expect(abs(roof.spent(.gnss) - 2 * 0.25) < 1e-9)
    let offline = try run(.hundredMeters, SurroundingsTimeline(PhoneSurroundings(hasWiFi: false)))
    #expect(offline.spent(.wifi) == 0)
  }

  @Test("A single position may be of another accuracy than the service that is on, and leaves it as it was")
  func secondManager() throws {
    let result = try Simulation.run(drive(700)) { phone, event in
      switch event {
      case .launched:
        phone.locationSettings.desiredAccuracy = .kilometer
        phone.startUpdatingLocation()
        phone.setTimer(after: .seconds(130))
      case .timer: phone.requestLocation(.best)
      default: break
      }
    }
    #expect(result.locations(.single).map(\.seconds) == [135])
    #expect((result.locations(.single).first?.fixes[0].horizontalAccuracy ?? 100) <= 15)
    // The receiver was on for as long as it took.
    #expect(abs(result.spent(.gnss) - 5 * 0.25) < 1e-9)
    // A position every 60 s as before.
    #expect(result.locations(.standard).map(\.seconds) == (0...11).map { Double($0) * 60 })
    #expect(
      result.locations(.standard).flatMap(\.fixes).allSatisfy { $0.horizontalAccuracy >= 500 })
  }

  @Test("Going to a tier without satellites while a single position waits for them leaves them searched for")
  func coarserMeanwhile() throws {
    let result = try Simulation.run(drive(100)) { phone, event in
      guard case .launched = event else { return }
      phone.startUpdatingLocation()
      phone.requestLocation()
      phone.locationSettings.desiredAccuracy = .kilometer
    }
    #expect(result.locations(.single).map(\.seconds) == [5])
    #expect((result.locations(.single).first?.fixes[0].horizontalAccuracy ?? 100) <= 15)
  }

  @Test("After a single position the receiver is off, and what it knew grows old")
  func singles() throws {
    let result = try Simulation.run(drive(20_000)) { phone, event in
      switch event {
      case .launched:
        phone.requestLocation()
        phone.setTimer(after: .seconds(1000))
        phone.setTimer(after: .seconds(15_000))
      case .timer: phone.requestLocation()
      default: break
      }
    }
    // Warm, hot, warm.
    #expect(result.locations(.single).map(\.seconds) == [5, 1001, 15_005])
  }
}
