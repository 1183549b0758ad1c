import Testing
import VicinityCrossings
import VicinityTestSupport

@testable import VicinitySimulation

/// The integral of recorded steps, from zero power on.
func integral(_ steps: [PowerStep], of component: EnergyComponent, from start: Timestamp, to end: Timestamp)
  -> Double
{
  var joules = 0.0
  var since = start
  var power = 0.0
  for step in steps where step.component == component && step.time <= end {
    joules += power * step.time.seconds(since: since) * 1e-3
    since = step.time
    power = step.milliwatts
  }
  return joules + power * end.seconds(since: since) * 1e-3
}

@Suite("Energy meter")
struct EnergyMeterTests {
  private func time(_ seconds: Double) -> Timestamp { Timestamp(microseconds: Int64(seconds * 1e6)) }

  @Test("A component draws the greatest of what is held, not the sum")
  func holding() {
    var meter = EnergyMeter(start: time(0), keepsSteps: true)
    meter.hold(.wifi, 100, due: .idle, by: .standard, at: time(10))
    meter.hold(.wifi, 60, due: .idle, by: .regions, at: time(20))
    meter.hold(.wifi, 0, due: .idle, by: .standard, at: time(30))
    meter.release(.regions, at: time(50))
    meter.settle(at: time(100))
    #expect(meter.joules(.wifi) == 100e-3 * 20 + 60e-3 * 20)
    #expect(meter.orderedSteps.map(\.milliwatts) == [100, 60, 0])
  }

  @Test("A stronger pulse within a longer one ends when it ends")
  func pulses() {
    var meter = EnergyMeter(start: time(0), keepsSteps: true)
    meter.pulse(.cell, 100, due: .idle, seconds: 10, at: time(0))
    meter.pulse(.cell, 500, due: .idle, seconds: 1, at: time(2))
    meter.pulse(.cell, 50, due: .idle, seconds: 3, at: time(4))
    meter.pulse(.cell, 20, due: .idle, seconds: 20, at: time(5))
    #expect(meter.milliwatts(.cell, at: time(5)) == 100)
    #expect(meter.milliwatts(.cell, at: time(12)) == 20)
    meter.settle(at: time(100))
    #expect(abs(meter.joules(.cell) - (0.1 * 9 + 0.5 * 1 + 0.02 * 15)) < 1e-12)
    #expect(meter.orderedSteps.map(\.time.seconds) == [0, 2, 3, 10, 25])
    #expect(meter.orderedSteps.map(\.milliwatts) == [100, 500, 100, 20, 0])
  }

  @Test("Pulses that are none, or last for ever, are taken as such")
  func extremes() {
    var meter = EnergyMeter(start: time(0), keepsSteps: false)
    for seconds in [Double.nan, 0, -1, -Double.infinity] {
      meter.pulse(.app, 100, due: .idle, seconds: seconds, at: time(1))
    }
    meter.pulse(.gnss, -5, due: .idle, seconds: 10, at: time(1))
    meter.settle(at: time(10))
    #expect(meter.joules(.app) == 0)
    #expect(meter.joules(.gnss) == 0)
    meter.pulse(.app, 100, due: .idle, seconds: .infinity, at: time(10))
    // Time does not go back.
    meter.hold(.app, 200, due: .idle, by: .base, at: time(5))
    meter.settle(at: time(20))
    #expect(meter.joules(.app) == 2)
    var late = EnergyMeter(start: Timestamp(microseconds: .max - 10), keepsSteps: false)
    late.pulse(.app, 1, due: .idle, seconds: 1, at: Timestamp(microseconds: .max - 5))
    late.settle(at: .distantFuture)
    #expect(late.joules(.app) == 5e-9)
  }

  /// What was asked of a component, as it was asked.
  private struct Request {
    var component: EnergyComponent
    var time: Int64
    var milliwatts: Double
    /// nil for a pulse.
    var consumer: PowerConsumer?
    var end = Int64.max
  }

  /// Millijoules by summing over every microsecond's interval between any two requests or ends, each power
  /// worked out from all requests anew.
  private func oracle(_ requests: [Request], _ component: EnergyComponent, to end: Int64) -> Double {
    let own = requests.filter { $0.component == component }
    var times = Set(own.map(\.time) + own.map(\.end) + [0, end])
    times = times.filter { $0 <= end }
    let sorted = times.sorted()
    var sum = 0.0
    for (from, to) in zip(sorted, sorted.dropFirst()) {
      var power = 0.0
      for consumer in PowerConsumer.allCases {
        power = max(power, own.last { $0.consumer == consumer && $0.time <= from }?.milliwatts ?? 0)
      }
      for pulse in own where pulse.consumer == nil && pulse.time <= from && from < pulse.end {
        power = max(power, pulse.milliwatts)
      }
      sum += power * Double(to - from)
    }
    return sum * 1e-9
  }

  @Test(
    "The meter, its steps and the sum over all instants agree, whatever is asked",
    arguments: 0..<300 as Range<UInt64>)
  func integrals(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var meter = EnergyMeter(start: time(0), keepsSteps: true)
    var requests: [Request] = []
    var now: Int64 = 0
    let components = Array(EnergyComponent.allCases.prefix(Int.random(in: 1...9, using: &random)))
    let consumers = Array(PowerConsumer.allCases.prefix(Int.random(in: 1...9, using: &random)))
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      // Many at one time.
      now += Int64.random(in: 0...3, using: &random) * 1_000_000
      guard let component = components.randomElement(using: &random),
        let consumer = consumers.randomElement(using: &random)
      else { return }
      let power = Double.random(in: 0...6, using: &random).rounded() * 50
      let instant = Timestamp(microseconds: now)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3:
        meter.hold(component, power, due: .idle, by: consumer, at: instant)
        requests.append(Request(component: component, time: now, milliwatts: power, consumer: consumer))
      case 3..<6:
        let length = Int64.random(in: 0...20, using: &random)
        meter.pulse(component, power, due: .idle, seconds: Double(length), at: instant)
        requests.append(
          Request(
            component: component, time: now, milliwatts: power, consumer: nil, end: now + length * 1_000_000))
      case 6:
        meter.release(consumer, at: instant)
        for component in EnergyComponent.allCases {
          requests.append(Request(component: component, time: now, milliwatts: 0, consumer: consumer))
        }
      default:
        // Looking changes nothing.
        meter.settle(component, at: instant)
      }
    }
    let end = now + Int64.random(in: 0...30, using: &random) * 1_000_000
    meter.settle(at: Timestamp(microseconds: end))
    let steps = meter.orderedSteps
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.time <= $1.time }, "seed \(seed)")
    for component in EnergyComponent.allCases {
      let expected = oracle(requests, component, to: end)
      let tolerance = 1e-12 * max(1, expected)
      #expect(abs(meter.joules(component) - expected) <= tolerance, "seed \(seed), \(component)")
      let summed = integral(steps, of: component, from: time(0), to: Timestamp(microseconds: end))
      #expect(abs(summed - expected) <= tolerance, "seed \(seed), \(component)")
    }
  }
}

extension EnergyMeter {
  /// Sets everything that a consumer holds to zero.
  fileprivate mutating func release(_ consumer: PowerConsumer, at time: Timestamp) {
    for component in EnergyComponent.allCases { hold(component, 0, due: .idle, by: consumer, at: time) }
  }
}
