import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinityCalibration
@testable import VicinitySimulation

/// Made-up measurements whose truth is known.
enum SampleMeasurements {
  static let start = 1_600_000_000.0

  static func range(
    _ identifier: String, day: String, outing: String = "ride", phone: String = "phone-1",
    platform: DeviceProfile.Platform = .ios, isStationary: Bool = false, accuracy: DesiredAccuracy? = .best,
    distanceFilter: Meters? = 1, requestedInterval: Double? = nil, isDutyCycled: Bool = true,
    hours: Double = 6,
    drain: Double? = nil, drainBelow100: Double? = nil
  ) -> MeasuredRange {
    var range = MeasuredRange(
      identifier: identifier, run: "\(outing) \(day)", outing: outing, day: day, platform: platform,
      phone: phone, isStationary: isStationary, regime: isStationary ? "lying" : "riding", accuracy: accuracy,
      distanceFilter: distanceFilter, requestedInterval: requestedInterval, isDutyCycled: isDutyCycled,
      start: start, end: start + hours * 3600, drain: drain, drainBelow100: drainBelow100,
      hoursBelow100: drainBelow100 == nil ? 0 : hours - 1)
    if accuracy != nil { range.tracking = [range.start...range.end] }
    return range
  }

  /// Errors as a model has them, a fix a second.
  static func errors(
    _ model: PositionModel, seconds: Int, seed: UInt64, truth: MeasuredError.Truth = .reference,
    speed: MetersPerSecond = 10
  ) -> [MeasuredError] {
    var process = ErrorProcess(RandomStream(seed: seed, "sample"))
    let distribution = PositionDistribution(model)
    return (0..<seconds).map { second in
      let time = start + Double(second)
      let sample = process.sample(distribution, at: Timestamp(microseconds: Int64(time * 1e6)))
      return MeasuredError(
        time: time, truth: truth, error: sample.error.length, accuracy: sample.accuracy, speed: speed)
    }
  }

  /// A model with the median error and reported accuracy given.
  static func model(error: Double, reported: Double, correlationTime: Double, association: Double) throws
    -> PositionModel
  {
    func quantiles(_ median: Double) -> Quantiles {
      Quantiles(
        [
          .init(0, 0), .init(0.25, median / 2), .init(0.5, median), .init(0.9, 3 * median),
          .init(1, 8 * median),
        ],
        basis: .assumed, source: "test") ?? SampleProfile.nothing
    }
    return PositionModel(
      error: quantiles(error), reported: quantiles(reported),
      correlationTime: SampleProfile.figure(correlationTime), association: SampleProfile.figure(association))
  }

  /// A ride north: half an hour at home, half an hour at 10 m/s, and at rest there.
  static func ride() -> (places: [MeasuredPosition], trip: ClosedRange<Double>) {
    let frame = LocalFrame(Coordinate(latitude: 37, longitude: -122))
    let begin = start + 1800
    let places = (0...1800).map { second in
      MeasuredPosition(
        time: begin + Double(second),
        coordinate: frame.coordinate(at: Offset(east: 0, north: 10 * Double(second)))
      )
    }
    return (places, (begin - 5)...(begin + 1800))
  }

  /// Phones that lie at one place and are measured at some seconds, with errors of a distribution, stretched.
  static func lying(
    _ count: Int, hours: Double, at seconds: StrideTo<Double>, stretch: Double = 1,
    _ distribution: PositionDistribution, stream: StaticString
  ) -> [MeasuredRange] {
    let frame = LocalFrame(Coordinate(latitude: 37, longitude: -122))
    return (0..<count).map { index in
      var range = Self.range("lying \(index)", day: "2020-01-01", isStationary: true, hours: hours)
      var process = ErrorProcess(RandomStream(seed: UInt64(index), stream))
      for second in seconds {
        let time = range.start + second
        let error = process.sample(distribution, at: Timestamp(microseconds: Int64(time * 1e6))).error
        let place = Offset(east: stretch * error.east, north: stretch * error.north)
        range.errors.append(
          MeasuredError(time: time, truth: .site, error: stretch * error.length, accuracy: 65, speed: 0))
        range.fixes.append(
          MeasuredFix(time: time, coordinate: frame.coordinate(at: place), accuracy: 65, delay: 0))
      }
      return range
    }
  }
}
