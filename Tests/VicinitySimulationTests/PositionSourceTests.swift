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

@Suite("Errors of positions")
struct PositionSourceTests {
  private let start = Timestamp(microseconds: 1_600_000_000_000_000)

  /// A skewed distribution with a long tail.
  private func model(association: Double) throws -> PositionModel {
    let error = try #require(
      Quantiles(
        [.init(0, 0), .init(0.5, 8), .init(0.9, 30), .init(0.99, 200), .init(1, 1000)], basis: .assumed,
        source: "test"))
    let reported = try #require(
      Quantiles(
        [.init(0, 5), .init(0.5, 10), .init(0.95, 65), .init(1, 165)], basis: .assumed, source: "test"))
    return PositionModel(
      error: error, reported: reported, correlationTime: SampleProfile.figure(60),
      association: SampleProfile.figure(association))
  }

  private func samples(_ model: PositionModel, count: Int, step: Double, seed: UInt64) -> [ErrorProcess
    .Sample]
  {
    let distribution = PositionDistribution(model)
    var process = ErrorProcess(RandomStream(seed: seed, "test"))
    return (0..<count).map { process.sample(distribution, at: start.advanced(bySeconds: Double($0) * step)) }
  }

  @Test(
    "Lengths and reported accuracies have their distributions, directions none", arguments: [0.0, 0.4, 1.0])
  func marginals(association: Double) throws {
    let model = try model(association: association)
    // Twenty correlation times apart: independent.
    let drawn = samples(model, count: 20_000, step: 1200, seed: 5)
    let bound = Statistics.kolmogorovSmirnovBound(drawn.count)
    #expect(
      Statistics.kolmogorovSmirnov(drawn.map(\.error.length)) { model.error.probability(of: $0) } < bound)
    #expect(
      Statistics.kolmogorovSmirnov(drawn.map(\.accuracy)) { model.reported.probability(of: $0) } < bound)
    let turns = drawn.map { atan2($0.error.east, $0.error.north) / (2 * .pi) + 0.5 }
    #expect(Statistics.kolmogorovSmirnov(turns) { $0 } < bound)
  }

  @Test("The reported accuracy knows the error as well as is stated", arguments: [0.0, 0.4, 0.8])
  func association(stated: Double) throws {
    let model = try model(association: stated)
    let drawn = samples(model, count: 20_000, step: 1200, seed: 6)
    let errors = drawn.map {
      NormalDistribution.score(at: model.error.probability(of: $0.error.length))
    }
    let accuracies = drawn.map { NormalDistribution.score(at: model.reported.probability(of: $0.accuracy)) }
    // Four standard errors of a correlation of independent pairs.
    #expect(abs(Statistics.correlation(errors, accuracies) - stated) < 4 / 20_000.0.squareRoot())
  }

  @Test(
    "Errors fade as (1 + d) exp(-d), d = 2.146 Δt/τ, in whatever steps they are asked for",
    arguments: [[30.0, 30], [60], [7, 1, 52], [10], [0.01, 9.99]])
  func autocorrelation(steps: [Double]) throws {
    let model = PositionModel(
      error: Statistics.rayleigh(), reported: SampleProfile.uniform(0...1),
      correlationTime: SampleProfile.figure(60), association: SampleProfile.figure(0))
    let distribution = PositionDistribution(model)
    var process = ErrorProcess(RandomStream(seed: 7, "test"))
    var time = start
    var drawn: [ErrorProcess.Sample] = [process.sample(distribution, at: time)]
    for _ in 0..<20_000 {
      for step in steps {
        time = time.advanced(bySeconds: step)
        let sample = process.sample(distribution, at: time)
        if step == steps[steps.count - 1] { drawn.append(sample) }
      }
    }
    if steps == [30, 30] {
      // Both steps are 30 s: every second is 60 s after the one before.
      drawn = drawn.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }
    let length = steps.reduce(0, +)
    let d = 2.146193220620583 * length / 60
    let expected = (1 + d) * exp(-d)
    // Four standard errors of an autocorrelation of a first-order process (M. S. Bartlett, 1946), of as many
    // numbers as there are correlation times.
    let bound =
      4 * ((1 - expected * expected) / (Double(drawn.count) * min(1, length / 60))).squareRoot()
    for component in [drawn.map(\.error.east), drawn.map(\.error.north)] {
      let found = Statistics.correlation(Array(component.dropLast()), Array(component.dropFirst()))
      #expect(abs(found - expected) < bound)
    }
    let accuracies = drawn.map { NormalDistribution.score(at: min(max($0.accuracy, 1e-12), 1 - 1e-12)) }
    let found = Statistics.correlation(Array(accuracies.dropLast()), Array(accuracies.dropFirst()))
    #expect(abs(found - expected) < bound)
  }

  @Test(
    "Errors wander and do not jump; what is new each time is the share that is stated", arguments: [0.0, 0.3])
  func jitter(share: Double) throws {
    let model = PositionModel(
      error: Statistics.rayleigh(), reported: SampleProfile.uniform(0...1),
      correlationTime: SampleProfile.figure(60), association: SampleProfile.figure(0),
      jitter: share > 0 ? SampleProfile.figure(share) : nil)
    // Pairs a hundredth of a second apart, and these far from each other.
    let distribution = PositionDistribution(model)
    var process = ErrorProcess(RandomStream(seed: 17, "test"))
    var time = start
    var square = 0.0
    for _ in 0..<20_000 {
      time = time.advanced(bySeconds: 1200)
      let before = process.sample(distribution, at: time).error
      time = time.advanced(bySeconds: 0.01)
      let after = process.sample(distribution, at: time).error
      square += (after.east - before.east) * (after.east - before.east)
    }
    // Twice the fresh variance, and of the rest (λΔt)²: 1.3e-7 of the variance 1.
    let expected = 2 * share + (1 - share) * 1.28e-7
    #expect(abs(square / 20_000 / expected - 1) < 0.06)
  }

  @Test("Asked twice for one instant, the same")
  func repeated() throws {
    let distribution = PositionDistribution(try model(association: 0.5))
    var process = ErrorProcess(RandomStream(seed: 8, "test"))
    let first = process.sample(distribution, at: start)
    #expect(process.sample(distribution, at: start) == first)
    #expect(process.sample(distribution, at: start.advanced(bySeconds: 1)) != first)
  }

  @Test("Spells take their share of the time and last as long as is stated", arguments: [0.05, 0.3])
  func spells(share: Double) {
    var process = SpellProcess(RandomStream(seed: 9, "test"))
    var inside = 0
    var begun = 0
    var before = false
    let seconds = 2_000_000
    for second in 0..<seconds {
      let now = process.isInSpell(share: share, duration: 120, at: start.advanced(bySeconds: Double(second)))
      if now { inside += 1 }
      if now, !before { begun += 1 }
      before = now
    }
    let expected = Double(seconds) * share / 120
    // Durations are exponential: the mean of n is known to 1/√n; four of these. A spell shorter than a second
    // may be missed, which makes them longer by half a second on average.
    #expect(abs(Double(inside) / Double(begun) / 120.5 - 1) < 4 / expected.squareRoot())
    #expect(abs(Double(inside) / Double(seconds) / share - 1) < 6 / expected.squareRoot())
  }

  @Test("A question hours later is answered as if all between had been asked")
  func spellsFarApart() {
    var process = SpellProcess(RandomStream(seed: 10, "test"))
    var inside = 0
    var stayed = 0
    for index in 0..<20_000 {
      let time = start.advanced(bySeconds: Double(index) * 20_000)
      let first = process.isInSpell(share: 0.3, duration: 120, at: time)
      let second = process.isInSpell(share: 0.3, duration: 120, at: time.advanced(bySeconds: 84))
      if first { inside += 1 }
      if first, second { stayed += 1 }
    }
    #expect(abs(Double(inside) / 20_000 - 0.3) < 4 * (0.21 / 20_000).squareRoot())
    // d (1 - p) = 84 s: the state after that is known to 1/e.
    let expected = 0.3 + 0.7 * exp(-1)
    #expect(abs(Double(stayed) / Double(inside) - expected) < 4 * (0.25 / Double(inside)).squareRoot())
  }

  @Test("Positions come from what the surroundings has")
  func environments() throws {
    var tier = SampleProfile.tier(error: 5, reported: 10, interval: 1, gnss: 250)
    tier.indoors = SampleProfile.positions(error: 20, reported: 65)
    let best = TierPositions(tier, of: SampleProfile.phone)
    let hundred = TierPositions(
      SampleProfile.tier(error: 30, reported: 65, interval: 6, wifi: 60), of: SampleProfile.phone)
    let kilometer = TierPositions(
      SampleProfile.tier(error: 500, reported: 1000, interval: 60, cell: 20), of: SampleProfile.phone)
    func name(_ positions: TierPositions, _ surroundings: PhoneSurroundings, isTracking: Bool = true)
      -> String
    {
      switch positions.method(in: surroundings, isStill: false, isTracking: isTracking) {
      case .satellites(let distribution): "satellites \(distribution.error.value(at: 1))"
      case .network(let distribution): "network \(distribution.error.value(at: 1))"
      case .cells(let distribution): "cells \(distribution.error.value(at: 1))"
      case nil: "nothing"
      }
    }
    let noWiFi = PhoneSurroundings(hasWiFi: false)
    let nothing = PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true)
    #expect(name(best, PhoneSurroundings()) == "satellites 10.0")
    #expect(name(best, PhoneSurroundings(), isTracking: false) == "network 60.0")
    #expect(name(best, PhoneSurroundings(isIndoors: true)) == "network 40.0")
    #expect(name(best, PhoneSurroundings(isIndoors: true, hasWiFi: false)) == "cells 600.0")
    #expect(name(best, nothing) == "satellites 10.0")
    #expect(
      name(best, PhoneSurroundings(isIndoors: true, hasWiFi: false, isInAirplaneMode: true)) == "nothing")
    #expect(name(hundred, PhoneSurroundings()) == "network 60.0")
    #expect(name(hundred, noWiFi) == "cells 600.0")
    #expect(name(hundred, nothing) == "nothing")
    #expect(name(hundred, PhoneSurroundings(cells: .none, hasWiFi: false)) == "nothing")
    #expect(name(kilometer, noWiFi) == "network 1000.0")
    #expect(name(kilometer, PhoneSurroundings(isInAirplaneMode: true)) == "network 1000.0")
  }

  @Test("Under any roof but the measured one errors are at least those outdoors, up to the 90 % quantile")
  func roofs() throws {
    var phone = SampleProfile.phone
    // Measured under a roof: a third of the errors outdoors, but a longer tail.
    phone.tiers[.hundredMeters]?.indoors = PositionModel(
      error: try #require(
        Quantiles([.init(0, 0), .init(0.9, 18), .init(1, 500)], basis: .measured, source: "test")),
      reported: SampleProfile.uniform(20...60), correlationTime: SampleProfile.figure(60),
      association: SampleProfile.figure(0))
    let positions = TierPositions(try #require(phone.tier(.hundredMeters)), of: phone)
    func error(_ surroundings: PhoneSurroundings, _ probability: Double) -> Double? {
      guard case .network(let found) = positions.method(in: surroundings, isStill: true, isTracking: false)
      else { return nil }
      return found.error.value(at: probability)
    }
    var house = PhoneSurroundings(isIndoors: true)
    for probability in [0.1, 0.5, 0.9] {
      #expect(error(house, probability) == error(PhoneSurroundings(), probability))
    }
    #expect(error(house, 1) == 500)
    house.isAtMeasuredSite = true
    #expect(error(house, 0.45) == 9)
  }

  @Test("A way has positions and spells of its own, outdoors and in motion only")
  func ways() throws {
    var phone = SampleProfile.phone
    phone.tiers[.hundredMeters]?.ways = [
      .rail: WayModel(
        positions: SampleProfile.positions(error: 100, reported: 200),
        fallback: FallbackModel(
          share: SampleProfile.figure(0.99), duration: SampleProfile.figure(60),
          positions: SampleProfile.positions(error: 2000, reported: 3000)))
    ]
    let positions = TierPositions(try #require(phone.tier(.hundredMeters)), of: phone)
    func greatest(_ surroundings: PhoneSurroundings, isStill: Bool = false) -> Double? {
      guard case .network(let found) = positions.method(in: surroundings, isStill: isStill, isTracking: false)
      else { return nil }
      return found.error.value(at: 1)
    }
    let rail = PhoneSurroundings(way: .rail)
    #expect(greatest(rail) == 200)
    #expect(greatest(PhoneSurroundings(way: .road)) == 60)
    #expect(greatest(PhoneSurroundings()) == 60)
    #expect(greatest(rail, isStill: true) == 60)
    #expect(greatest(PhoneSurroundings(isIndoors: true, way: .rail)) == 60)
    #expect(positions.spells(in: PhoneSurroundings()) == nil)
    // Nearly all the time in a spell: positions by cells.
    var source = PositionSource(seed: 1, "test")
    let truth = TrueState(position: Route.place(0), speed: 20, course: 90, isStill: false)
    let fromCells = (1...100).count { second in
      source.measure(truth, at: Route.time(Double(second) * 600), by: positions, in: rail, isTracking: false)?
        .isFromCells == true
    }
    #expect(fromCells >= 95)
  }

  @Test("Starts are hot, warm or cold by what the receiver knows")
  func firstFix() {
    let profile = SampleProfile.phone.firstFix
    let alone = PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true)
    func seconds(_ receiver: inout SatelliteReceiver, at now: Timestamp, _ surroundings: PhoneSurroundings)
      -> Double?
    {
      receiver.search(at: now, in: surroundings, profile)
      return receiver.found?.seconds(since: now)
    }
    var receiver = SatelliteReceiver(seed: 1)
    #expect(seconds(&receiver, at: start, alone) == 30)
    receiver.lose(at: start.advanced(bySeconds: 20))
    // Nothing was found: nothing is known.
    #expect(seconds(&receiver, at: start.advanced(bySeconds: 20), alone) == 30)
    receiver.lose(at: start.advanced(bySeconds: 100))
    let hot = start.advanced(bySeconds: 7300)
    #expect(seconds(&receiver, at: hot, alone) == 1)
    #expect(!receiver.isTracking(at: hot))
    #expect(receiver.isTracking(at: hot.advanced(bySeconds: 1)))
    receiver.lose(at: hot.advanced(bySeconds: 1))
    let warm = hot.advanced(bySeconds: 7202)
    #expect(seconds(&receiver, at: warm, alone) == 5)
    receiver.lose(at: warm.advanced(bySeconds: 5))
    let late = warm.advanced(bySeconds: 700_000)
    var helped = receiver
    #expect(seconds(&receiver, at: late, alone) == 30)
    #expect(seconds(&helped, at: late, PhoneSurroundings()) == 5)
  }
}
