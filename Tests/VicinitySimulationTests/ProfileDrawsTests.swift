import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("Phones drawn from the ranges of a profile")
struct ProfileDrawsTests {
  private func figure(_ value: Double, _ low: Double, _ high: Double) -> Figure {
    Figure(value, low: low, high: high, basis: .assumed, source: "test")
  }

  /// A way with a stop, with updates of an accuracy, and what else an app begins.
  private static func run(
    _ phone: DeviceProfile, _ accuracy: DesiredAccuracy,
    beginning begin: @escaping (SimulatedPhone) -> Void = { _ in }
  ) throws -> SimulationResult {
    try Simulation.run(
      Route(east: -2000).going(east: 5, for: 400).standing(for: 900).going(east: 8, for: 400),
      profile: phone
    ) { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings = LocationSettings(
        desiredAccuracy: accuracy, pausesAutomatically: false, allowsBackgroundUpdates: true)
      phone.startUpdatingLocation()
      begin(phone)
    }
  }

  @Test("Each source has a place of its own, in the order of all")
  func places() {
    #expect(EnergySource.allCases.map(\.rawValue) == Array(EnergySource.allCases.indices))
  }

  @Test("A figure is itself at 0 and the ends of its range at 1.96 and beyond, geometric in between")
  func scores() {
    let wide = figure(10, 1, 40)
    #expect(wide.value(atScore: 0) == 10)
    #expect(abs(wide.value(atScore: 1.96) - 40) < 1e-12 && abs(wide.value(atScore: -1.96) - 1) < 1e-12)
    #expect(abs(wide.value(atScore: 9) - 40) < 1e-12 && abs(wide.value(atScore: -9) - 1) < 1e-12)
    #expect(abs(wide.value(atScore: 0.98) - 20) < 1e-12)
    let fromZero = figure(10, 0, 40)
    #expect(fromZero.value(atScore: -0.98) == 5 && fromZero.value(atScore: -1.96) == 0)
    #expect(figure(0, 0, 8).value(atScore: 0.98) == 4)
  }

  @Test("Of many draws one in twenty lies at an end of the range, and half on either side of the figure")
  func shares() {
    var phone = SampleProfile.phone
    phone.idle = figure(20, 10, 60)
    let factors = (0..<4000).map { phone.energyFactors(seed: $0)[EnergySource.idle.rawValue] }
    func share(_ isIn: (Double) -> Bool) -> Double { Double(factors.count(where: isIn)) / 4000 }
    #expect(abs(share { $0 < 1 } - 0.5) < 0.03)
    #expect(abs(share { $0 <= 0.5 + 1e-12 || $0 >= 3 - 1e-12 } - 0.05) < 0.015)
    #expect(factors.allSatisfy { (0.5 - 1e-12...3 + 1e-12).contains($0) })
    // Figures without a range do not vary, and sources are drawn apart.
    let gnss = EnergySource.tier(.best, .gnss)
    #expect((0..<100).allSatisfy { phone.energyFactors(seed: $0)[gnss.rawValue] == 1 })
    phone.battery = figure(10, 5, 20)
    let battery = phone.energyFactors(seed: 3)
    #expect(battery[gnss.rawValue] == battery[EnergySource.screen.rawValue])
    #expect(battery[gnss.rawValue] != 1)
  }

  @Test(
    "Each figure of a tier is drawn from its own range, whatever the others are",
    arguments: TierFigure.allCases)
  func ofATier(wide: TierFigure) throws {
    var phone = SampleProfile.phone
    var tier = try #require(phone.tiers[.kilometer])
    let figures: [WritableKeyPath<TierProfile, Figure>] = [
      \.gnss, \.wifi, \.cell, \.processor, \.motion, \.fix,
    ]
    for path in figures { tier[keyPath: path] = figure(8, 8, 8) }
    tier[keyPath: figures[wide.rawValue]] = figure(8, 2, 80)
    phone.tiers[.kilometer] = tier
    let draws = (0..<2000 as Range<UInt64>).map { phone.energyFactors(seed: $0) }
    for one in TierFigure.allCases {
      let factors = draws.map { $0[EnergySource.tier(.kilometer, one).rawValue] }
      let ends = one == wide ? (0.25, 10.0) : (1.0, 1.0)
      #expect(abs((factors.min() ?? 0) - ends.0) < 1e-12 && abs((factors.max() ?? 0) - ends.1) < 1e-12)
    }
    // Of those that are wide, all are high together.
    tier.gnss = figure(5, 1, 10)
    tier.cell = figure(3, 1, 4)
    phone.tiers[.kilometer] = tier
    #expect(
      (0..<100 as Range<UInt64>).allSatisfy { seed in
        let factors = phone.energyFactors(seed: seed)
        return (factors[EnergySource.tier(.kilometer, .gnss).rawValue] > 1)
          == (factors[EnergySource.tier(.kilometer, .cell).rawValue] > 1)
      })
  }

  @Test("The energy of a phone with another figure is the energy times its factor")
  func factors() throws {
    var phone = SampleProfile.phone
    phone.tiers[.kilometer]?.wifi = figure(12, 12, 12)
    phone.tiers[.kilometer]?.cell = figure(30, 30, 30)
    phone.tiers[.kilometer]?.processor = figure(90, 90, 90)
    phone.tiers[.kilometer]?.motion = figure(40, 40, 40)
    phone.tiers[.kilometer]?.fix = figure(50, 50, 50)
    let before = try Self.run(phone, .kilometer)
    let paths: [(TierFigure, WritableKeyPath<TierProfile, Figure>)] = [
      (.wifi, \.wifi), (.cell, \.cell), (.processor, \.processor), (.motion, \.motion), (.fix, \.fix),
    ]
    for (one, path) in paths {
      var other = phone
      let tier = try #require(other.tiers[.kilometer])
      other.tiers[.kilometer]?[keyPath: path] = tier[keyPath: path].scaled(by: 1.5)
      let joules = before.joulesBySource[EnergySource.tier(.kilometer, one).rawValue]
      #expect(joules > 0, "\(one)")
      #expect(
        abs(try Self.run(other, .kilometer).totalJoules - before.totalJoules - joules / 2) < 1e-6, "\(one)")
    }
  }

  @Test(
    "Drawn phones are valid, differ, draw the same energy, and are the same again",
    arguments: DeviceProfile.names)
  func drawn(name: String) throws {
    let phone = try DeviceProfile.named(name)
    var drawn: Set<DeviceProfile> = []
    for seed in 0..<200 as Range<UInt64> {
      let one = phone.drawn(seed: seed)
      try one.check()
      drawn.insert(one)
      #expect(one.idle == phone.idle && one.battery == phone.battery)
      #expect(one.tiers[.best]?.gnss == phone.tiers[.best]?.gnss && one.regions.look == phone.regions.look)
      #expect(
        (phone.regions.inwardShare.low...phone.regions.inwardShare.high).contains(
          one.regions.inwardShare.value))
    }
    #expect(drawn.count == 200)
    #expect(phone.drawn(seed: 5) == phone.drawn(seed: 5))
  }

  @Test("Measured times are drawn as well: from their scale, together, or from an assumed one")
  func measuredTimes() throws {
    func measured(_ scale: ClosedRange<Double>?) throws -> Quantiles {
      try #require(
        Quantiles([.init(0, 10), .init(1, 100)], basis: .measured, source: "test", scale: scale))
    }
    func factors(_ scale: ClosedRange<Double>?) throws -> [(delay: Double, interval: Double)] {
      var phone = SampleProfile.phone
      phone.regions.wakeDelay = try measured(scale)
      phone.regions.interval = try measured(scale)
      return (0..<4000 as Range<UInt64>).map { seed in
        let regions = phone.drawn(seed: seed).regions
        return (regions.wakeDelay.value(at: 0.5) / 55, regions.interval.value(at: 0.5) / 55)
      }
    }
    func share(_ numbers: [Double], _ range: ClosedRange<Double>) -> Double {
      Double(numbers.count(where: range.contains)) / Double(numbers.count)
    }
    let fitted = try factors(0.25...3)
    // Exits tell only how late all checks are together.
    #expect(fitted.allSatisfy { abs($0.delay - $0.interval) < 1e-9 })
    let delays = fitted.map(\.delay)
    #expect(delays.allSatisfy { (0.25 - 1e-9...3 + 1e-9).contains($0) })
    #expect(abs(share(delays, 0...1) - 0.5) < 0.03)
    #expect(abs(share(delays, 0.2501...2.9999) - 0.95) < 0.015)
    let unknown = try factors(nil)
    #expect(unknown.contains { abs($0.delay - $0.interval) > 0.1 })
    #expect(abs(share(unknown.map(\.delay), 0.5001...1.9999) - 0.95) < 0.015)
    #expect(try factors(1...1).allSatisfy { $0.delay == 1 && $0.interval == 1 })
  }

  @Test("How much days differ is drawn where it has a range, also where the figure is 0")
  func dayEffects() {
    var phone = SampleProfile.phone
    phone.days = DayEffects(
      errors: figure(0.3, 0.2, 0.5), power: figure(0.1, 0.05, 0.3), regionTimes: figure(0, 0, 0.6))
    let days = (0..<1000).map { phone.drawn(seed: $0).days }
    #expect(days.allSatisfy { $0?.power == phone.days?.power })
    let times = days.compactMap { $0?.regionTimes.value }
    #expect(abs(Double(times.count { $0 > 0 }) / 1000 - 0.5) < 0.05 && times.allSatisfy { $0 <= 0.6 })
    let errors = days.compactMap { $0?.errors.value }
    #expect(errors.allSatisfy { (0.2...0.5).contains($0) } && Set(errors).count > 900)
  }

  @Test("The shipped phones' measured times of regions have a range", arguments: ["iphone-6", "nexus-6"])
  func shipped(name: String) throws {
    let phone = try DeviceProfile.named(name)
    for times in [phone.regions.wakeDelay, phone.regions.interval] {
      let scale = try #require(times.scale)
      #expect(times.basis == .measured && scale.upperBound >= 1.9 && scale.lowerBound <= 1 / 1.9)
    }
    let days = try #require(phone.days)
    #expect(days.regionTimes.high > 0.3)
  }

  @Test("Energies are due to the figures that they are proportional to")
  func sources() throws {
    func run(_ phone: DeviceProfile) throws -> SimulationResult {
      try Self.run(phone, .hundredMeters) { phone in
        phone.startMonitoringSignificantLocationChanges()
        phone.startMonitoring(MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100))
      }
    }
    let before = try run(SampleProfile.phone)
    #expect(abs(before.joulesBySource.reduce(0, +) - before.totalJoules) < 1e-9 * before.totalJoules)
    var half = SampleProfile.phone
    half.idle = half.idle.scaled(by: 0.5)
    half.regions.look = half.regions.look.scaled(by: 0.5)
    let after = try run(half)
    for source in EnergySource.allCases {
      let (one, other) = (before.joulesBySource[source.rawValue], after.joulesBySource[source.rawValue])
      switch source {
      case .idle:
        #expect(one > 0)
        #expect(abs(other - one / 2) < 1e-9)
      // Checks that overlap a stronger tail are due to that.
      case .regionChecks: #expect(other <= one)
      default: #expect(other >= one - 1e-9, "\(source)")
      }
    }
    for source in [EnergySource.tier(.hundredMeters, .wifi), .regionWatching, .regionChecks] {
      #expect(before.joulesBySource[source.rawValue] > 0, "\(source)")
    }
    #expect(before.joulesBySource[EnergySource.tier(.best, .gnss).rawValue] == 0)
  }
}
