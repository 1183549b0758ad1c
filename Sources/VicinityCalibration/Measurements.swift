package import VicinityCrossings
package import VicinityGeodesy
package import VicinitySimulation

/// What was measured of phones that were carried together: what a calibration is made of.
///
/// Times are Unix seconds, as in the files: to the millisecond they are exact.
package struct Measurements: Sendable {
  /// What each phone did, each time that they were carried or laid down.
  package var ranges: [MeasuredRange]
  /// Where the phones truly were, by run, in the order of time.
  package var truth: [String: [MeasuredPlace]]
  /// The trips of each run, by hand, in the order of time.
  package var trips: [String: [ClosedRange<Double>]]

  package init(
    ranges: [MeasuredRange] = [], truth: [String: [MeasuredPlace]] = [:],
    trips: [String: [ClosedRange<Double>]] = [:]
  ) {
    self.ranges = ranges
    self.truth = truth
    self.trips = trips
  }

  /// What is left of some days.
  func days(_ isIn: (MeasuredRange) -> Bool) -> Measurements {
    Measurements(ranges: ranges.filter(isIn), truth: truth, trips: trips)
  }
}

/// A place at a time.
package struct MeasuredPlace: Hashable, Sendable {
  package var time: Double
  package var coordinate: Coordinate
  /// Whether it is made up across a gap.
  package var isSuspect: Bool

  package init(time: Double, coordinate: Coordinate, isSuspect: Bool = false) {
    self.time = time
    self.coordinate = coordinate
    self.isSuspect = isSuspect
  }
}

/// One phone for some hours.
package struct MeasuredRange: Sendable {
  /// Names it in the files.
  package var identifier: String
  /// What all phones did at the same time.
  package var run: String
  /// Which kind of day: the outing that was repeated.
  package var outing: String
  /// The day on which it ended, local: `2019-07-27`.
  package var day: String
  package var platform: DeviceProfile.Platform
  package var phone: String
  /// Whether all phones lay still.
  package var isStationary: Bool
  /// Short for what was asked of the phone.
  package var regime: String
  /// What it was asked for; nil for nothing.
  package var accuracy: DesiredAccuracy?
  /// The distance filter, where there is one.
  package var distanceFilter: Meters?
  /// The seconds between fixes asked for, where that is asked for.
  package var requestedInterval: Double?
  /// Whether it was asked only between the exit of a region and the end of a trip.
  package var isDutyCycled: Bool
  package var start: Double
  package var end: Double
  /// Per cent an hour by least squares over all levels.
  package var drain: Double?
  /// Per cent an hour from the first level below 100 on, and over how many hours.
  package var drainBelow100: Double?
  package var hoursBelow100: Double
  /// Levels, in the order of time.
  package var battery: [BatteryReading] = []
  package var fixes: [MeasuredFix] = []
  package var errors: [MeasuredError] = []
  /// When the service was on.
  package var tracking: [ClosedRange<Double>] = []
  package var exits: [MeasuredExit] = []

  package init(
    identifier: String, run: String, outing: String, day: String, platform: DeviceProfile.Platform,
    phone: String,
    isStationary: Bool, regime: String, accuracy: DesiredAccuracy?, distanceFilter: Meters?,
    requestedInterval: Double?, isDutyCycled: Bool, start: Double, end: Double, drain: Double?,
    drainBelow100: Double?, hoursBelow100: Double
  ) {
    self.identifier = identifier
    self.run = run
    self.outing = outing
    self.day = day
    self.platform = platform
    self.phone = phone
    self.isStationary = isStationary
    self.regime = regime
    self.accuracy = accuracy
    self.distanceFilter = distanceFilter
    self.requestedInterval = requestedInterval
    self.isDutyCycled = isDutyCycled
    self.start = start
    self.end = end
    self.drain = drain
    self.drainBelow100 = drainBelow100
    self.hoursBelow100 = hoursBelow100
  }

  package var hours: Double { (end - start) / 3600 }

  /// Per cent an hour from the first level to the last.
  var endpointDrain: Double? {
    guard let first = battery.first, let last = battery.last, last.time - first.time > 600 else { return nil }
    return (first.level - last.level) / (last.time - first.time) * 3600
  }
}

/// A battery's level.
package struct BatteryReading: Hashable, Sendable {
  package var time: Double
  /// Per cent.
  package var level: Double

  package init(time: Double, level: Double) {
    self.time = time
    self.level = level
  }
}

/// A fix that a phone delivered.
package struct MeasuredFix: Hashable, Sendable {
  package var time: Double
  package var coordinate: Coordinate
  package var accuracy: Meters
  /// Seconds from its time until the app had it; negative where clocks disagree.
  package var delay: Double?

  package init(time: Double, coordinate: Coordinate, accuracy: Meters, delay: Double?) {
    self.time = time
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.delay = delay
  }
}

/// How far a fix was from one kind of truth.
package struct MeasuredError: Hashable, Sendable {
  /// What it was compared with.
  package enum Truth: String, Sendable {
    /// What was made of both control phones.
    case reference
    /// A control phone of one or the other kind.
    case iosControl = "ios_control"
    case androidControl = "android_control"
    /// Where the phone lay.
    case site
  }

  package var time: Double
  package var truth: Truth
  package var error: Meters
  package var accuracy: Meters
  /// The truth's speed.
  package var speed: MetersPerSecond

  package init(time: Double, truth: Truth, error: Meters, accuracy: Meters, speed: MetersPerSecond) {
    self.time = time
    self.truth = truth
    self.error = error
    self.accuracy = accuracy
    self.speed = speed
  }

  /// Above this, MobilityNet's extract calls a fix moving.
  static let movingSpeed: MetersPerSecond = 0.5

  var isMoving: Bool { speed > Self.movingSpeed }
}

/// A region of 100 m that was left.
package struct MeasuredExit: Hashable, Sendable {
  /// When the trip began.
  package var tripStart: Double
  /// Seconds from being 100 m away to being told.
  package var latency: Double

  package init(tripStart: Double, latency: Double) {
    self.tripStart = tripStart
    self.latency = latency
  }
}
