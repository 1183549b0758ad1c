import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityCalibration
@testable import VicinitySimulation

@Suite("What a distance filter does to errors")
struct FilterEffectTests {
  private static let home = LocalFrame(Coordinate(latitude: 37, longitude: -122))

  /// A fix a second, this many metres apart, each with an error that tells which it is.
  private func walk(_ seconds: Int, step: Meters) -> MeasuredRange {
    var range = SampleMeasurements.range("walk", day: "2020-01-01")
    for second in 0..<seconds {
      let time = range.start + Double(second)
      let place = Self.home.coordinate(at: Offset(east: step * Double(second), north: 0))
      range.fixes.append(MeasuredFix(time: time, coordinate: place, accuracy: 5, delay: nil))
      range.errors.append(
        MeasuredError(time: time, truth: .reference, error: Double(second), accuracy: 5, speed: step))
    }
    return range
  }

  @Test("A filter lets through what is no nearer than that to the last, and the first of each time")
  func thinning() {
    var range = walk(200, step: 7)
    range.tracking = [
      range.start + 10...range.start + 49, range.start + 100...range.start + 120,
    ]
    let behind = range.behind(filter: 30)
    // Five steps are 35 m, four 28 m.
    let kept = [10, 15, 20, 25, 30, 35, 40, 45, 100, 105, 110, 115, 120].map(Double.init)
    #expect(behind.fixes.map { $0.time - range.start } == kept)
    #expect(behind.errors.map(\.error) == kept)
    #expect(behind.distanceFilter == 30 && behind.tracking == range.tracking)
    #expect(range.behind(filter: 0).fixes.count == 61)
  }

  /// Rides at 4 m/s whose fixes are as a model has them, with a day whose filter held something back already.
  private func rides() throws -> Measurements {
    let model = try SampleMeasurements.model(error: 20, reported: 65, correlationTime: 30, association: 0)
    var measurements = Measurements()
    for day in 1...4 {
      var range = SampleMeasurements.range("ride \(day)", day: "2020-01-0\(day)", hours: 1)
      if day == 4 { (range.distanceFilter, range.regime) = (30, "behind") }
      var process = ErrorProcess(RandomStream(seed: UInt64(day), "ride"))
      var places: [MeasuredPosition] = []
      for second in 0..<3000 {
        let time = range.start + 300 + Double(second)
        let place = Offset(east: 0, north: 4 * Double(second))
        places.append(MeasuredPosition(time: time, coordinate: Self.home.coordinate(at: place)))
        let error = process.sample(
          PositionDistribution(model), at: Timestamp(microseconds: Int64(time * 1e6))
        )
        .error
        range.errors.append(
          MeasuredError(time: time, truth: .reference, error: error.length, accuracy: 65, speed: 4))
        range.fixes.append(
          MeasuredFix(
            time: time, coordinate: Self.home.coordinate(at: place + error), accuracy: 65, delay: 0))
      }
      measurements.ranges.append(range)
      measurements.truth[range.run] = places
      measurements.trips[range.run] = [range.start + 295...range.start + 3300]
    }
    return measurements
  }

  @Test("Measured and predicted through the same filter, of phones that had none")
  func agrees() throws {
    let fit = try ProfileFit(rides(), seed: 3)
    let effects = try fit.validate([SampleProfile.phone]) { _ in }.validation.filterEffects
    let effect = try #require(effects.first)
    #expect(effects.count == 1 && effect.all.tier == "best" && effect.all.regime == "riding")
    // The day with a filter is not among them.
    #expect(effect.all.ranges == 3 && effect.all.count == 9000)
    #expect(effect.measured.count < 3000 && effect.measured.count > 600)
    #expect(effect.measured.median > 1.05 * effect.all.measured)
    #expect(effect.predicted.median > 1.05 * effect.all.predicted)
    // 24 replays of three days, 3000 s each.
    #expect(effect.predicted.count < 24 * 3 * 3000 / 3)
    #expect(abs(effect.predicted.median / effect.measured.median - 1) < 0.25)
  }
}
