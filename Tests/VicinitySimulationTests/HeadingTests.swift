import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Headings")
struct HeadingTests {
  @Test(
    "Declinations are those that the model's report gives",
    arguments: [
      (0.0, 80.0, 0.0, -1.28), (0, 0, 120, 0.16), (0, -80, 240, 69.36), (2.5, 80, 0, 0.01),
      (2.5, 0, 120, -0.06),
      (2.5, -80, 240, 69.13),
    ])
  func published(years: Double, latitude: Double, longitude: Double, declination: Double) {
    let place = Coordinate(latitude: latitude, longitude: longitude)
    #expect(abs(WorldMagneticModel.declination(at: place, years: years) - declination) <= 0.0051)
  }

  @Test(
    "Ten years before they are off by less than 0.2 degrees from the model of then",
    arguments: [
      (-5.0, 80.0, 0.0, -3.90), (-5, 0, 120, 0.55), (-5, -80, 240, 69.81), (-10, 80, 0, -6.13),
      (-10, 0, 120, 0.97),
      (-10, -80, 240, 70.21),
    ])
  func carriedBack(years: Double, latitude: Double, longitude: Double, declination: Double) {
    let place = Coordinate(latitude: latitude, longitude: longitude)
    #expect(abs(WorldMagneticModel.declination(at: place, years: years) - declination) < 0.2)
  }

  @Test("Poles, the antimeridian and far years have declinations")
  func everywhere() {
    for place in [
      Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: -90, longitude: 77),
      Coordinate(latitude: 10, longitude: 180),
    ] {
      #expect(abs(WorldMagneticModel.declination(at: place, years: 0)) <= 180)
    }
    let west = WorldMagneticModel.declination(at: Coordinate(latitude: 10, longitude: -180), years: 0)
    let east = WorldMagneticModel.declination(at: Coordinate(latitude: 10, longitude: 180), years: 0)
    #expect(abs(west - east) < 1e-9)
    let place = Coordinate(latitude: 46, longitude: 6)
    #expect(
      WorldMagneticModel.declination(at: place, time: Timestamp(microseconds: .max))
        == WorldMagneticModel.declination(at: place, years: 30))
  }

  private func headings(_ result: SimulationResult) -> [Heading] {
    result.told.compactMap { if case .heading(let heading) = $0.event { heading } else { nil } }
  }

  @Test("The phone points along its course; true north is known while location is on")
  func course() throws {
    var phone = SampleProfile.phone
    phone.heading.error = SampleProfile.figure(0)
    let result = try Simulation.run(Route(east: 0).going(east: 2, for: 100), profile: phone) { phone, event in
      switch event {
      case .launched:
        phone.headingFilter = 0
        phone.startUpdatingHeading()
        phone.setTimer(after: .seconds(50))
      case .timer: phone.startUpdatingLocation()
      default: break
      }
    }
    let told = headings(result)
    // Ten times a second.
    #expect(told.count == 1001)
    let declination = WorldMagneticModel.declination(at: Route.place(0), time: Route.start)
    for heading in told {
      #expect(abs((heading.magnetic - 90 + declination).remainder(dividingBy: 360)) < 0.05)
      let isOn = heading.time >= Route.time(50)
      #expect(isOn ? abs(heading.trueNorth - 90) < 0.05 : heading.trueNorth == -1)
    }
    #expect(abs(result.spent(.sensors) - 1) < 1e-9)
  }

  @Test("Errors have their spread and last as is stated")
  func errors() throws {
    let result = try Simulation.run(Route(east: 0).going(east: 2, for: 20_000)) { phone, event in
      guard case .launched = event else { return }
      phone.headingFilter = 0
      phone.startUpdatingHeading()
    }
    let declination = WorldMagneticModel.declination(at: Route.place(0), time: Route.start)
    let errors = headings(result).map { ($0.magnetic - 90 + declination).remainder(dividingBy: 360) / 8 }
    // Once in five correlation times.
    let apart = errors.enumerated().filter { $0.offset % 1500 == 0 }.map(\.element)
    #expect(
      Statistics.kolmogorovSmirnov(apart) { NormalDistribution.probability(below: $0) }
        < Statistics.kolmogorovSmirnovBound(apart.count))
    let lag = Statistics.correlation(Array(errors.dropLast(300)), Array(errors.dropFirst(300)))
    // 667 correlation times.
    #expect(abs(lag - exp(-1)) < 4 / 667.0.squareRoot())
  }

  @Test("No heading is told against the filter, and none while the app does not run")
  func filter() throws {
    let result = try Simulation.run(
      Route(east: 0).going(east: 2, for: 300).going(north: 2, for: 300),
      actions: [TimedAction(time: Route.time(400), .leaveApp)]
    ) { phone, event in
      guard case .launched = event else { return }
      phone.headingFilter = 5
      phone.startUpdatingHeading()
    }
    let told = headings(result)
    #expect(told.count > 10)
    for (before, after) in zip(told, told.dropFirst()) {
      #expect(abs((after.magnetic - before.magnetic).remainder(dividingBy: 360)) >= 5)
    }
    #expect(told.allSatisfy { $0.time <= Route.time(400) })
    #expect(abs(result.spent(.sensors) - 4) < 1e-6)
  }
}
