package import VicinityCrossings
package import VicinityGeodesy
package import VicinityMonitor
package import VicinitySimulation

/// Measurements of phones that were carried together: the input of a calibration.
///
/// Times are Unix seconds, as in the files, exact to the millisecond.
package struct Measurements: Sendable {
  /// One range for each phone and each time that the phones were carried or laid down.
  package var ranges: [MeasuredRange]
  /// The true positions by run, in order of time.
  package var truth: [String: [MeasuredPosition]]
  /// The trips of each run, noted by hand, in order of time.
  package var trips: [String: [ClosedRange<Double>]]
  /// The sections of each run's trips whose way was noted, in order of time.
  package var sections: [String: [MeasuredSection]]

  package init(
    ranges: [MeasuredRange] = [], truth: [String: [MeasuredPosition]] = [:],
    trips: [String: [ClosedRange<Double>]] = [:], sections: [String: [MeasuredSection]] = [:]
  ) {
    self.ranges = ranges
    self.truth = truth
    self.trips = trips
    self.sections = sections
  }

  /// Puts other measurements to these. They have other runs.
  package mutating func add(_ others: Measurements) {
    ranges += others.ranges
    truth.merge(others.truth) { $1 }
    trips.merge(others.trips) { $1 }
    sections.merge(others.sections) { $1 }
  }
}

/// A part of a trip on one way.
package struct MeasuredSection: Hashable, Sendable {
  package var time: ClosedRange<Double>
  package var way: TravelMode

  package init(time: ClosedRange<Double>, way: TravelMode) {
    self.time = time
    self.way = way
  }
}

package struct MeasuredPosition: Hashable, Sendable {
  package var time: Double
  package var coordinate: Coordinate
  /// Whether the position is interpolated across a gap.
  package var isSuspect: Bool

  package init(time: Double, coordinate: Coordinate, isSuspect: Bool = false) {
    self.time = time
    self.coordinate = coordinate
    self.isSuspect = isSuspect
  }
}

/// The measurements of one phone over some hours.
package struct MeasuredRange: Sendable {
  /// The name in the files.
  package var identifier: String
  /// The run: all phones at the same time.
  package var run: String
  /// The route, which was repeated on several days.
  package var outing: String
  /// The local day on which the range ended: `2019-07-27`.
  package var day: String
  package var platform: DeviceProfile.Platform
  package var phone: String
  /// Whether all phones lay still.
  package var isStationary: Bool
  /// A short name of what the phone was asked for.
  package var regime: String
  /// The desired accuracy; nil when tracking was off.
  package var accuracy: DesiredAccuracy?
  /// The distance filter, metres.
  package var distanceFilter: Meters?
  /// The requested interval between fixes, seconds.
  package var requestedInterval: Double?
  /// Whether the service was on only from the exit of a region to the end of a trip.
  package var isDutyCycled: Bool
  package var start: Double
  package var end: Double
  /// Per cent an hour, by least squares over all levels.
  package var drain: Double?
  /// Per cent an hour from the first level below 100 on, and the length of that time in hours.
  package var drainBelow100: Double?
  package var hoursBelow100: Double
  /// Levels in order of time.
  package var battery: [BatteryReading] = []
  package var fixes: [MeasuredFix] = []
  package var errors: [MeasuredError] = []
  /// The times during which the service was on.
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

package struct BatteryReading: Hashable, Sendable {
  package var time: Double
  /// Per cent.
  package var level: Double

  package init(time: Double, level: Double) {
    self.time = time
    self.level = level
  }
}

package struct MeasuredFix: Hashable, Sendable {
  package var time: Double
  package var coordinate: Coordinate
  package var accuracy: Meters
  /// Seconds from its time to its delivery; negative when clocks disagree.
  package var delay: Double?

  package init(time: Double, coordinate: Coordinate, accuracy: Meters, delay: Double?) {
    self.time = time
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.delay = delay
  }
}

/// The error of a fix compared with one kind of truth.
package struct MeasuredError: Hashable, Sendable {
  /// What the fix was compared with.
  package enum Truth: String, Sendable {
    /// The reference, made from both control phones.
    case reference
    case iosControl = "ios_control"
    case androidControl = "android_control"
    /// The position at which the phone lay.
    case site
  }

  package var time: Double
  package var truth: Truth
  package var error: Meters
  package var accuracy: Meters
  /// The speed of the truth.
  package var speed: MetersPerSecond

  package init(time: Double, truth: Truth, error: Meters, accuracy: Meters, speed: MetersPerSecond) {
    self.time = time
    self.truth = truth
    self.error = error
    self.accuracy = accuracy
    self.speed = speed
  }

  /// MobilityNet's extract calls a fix moving above this speed.
  static let movingSpeed: MetersPerSecond = 0.5

  var isMoving: Bool { speed > Self.movingSpeed }
}

/// The exit of a region of 100 m.
package struct MeasuredExit: Hashable, Sendable {
  package var tripStart: Double
  /// Seconds from being 100 m away to the event.
  package var latency: Double

  package init(tripStart: Double, latency: Double) {
    self.tripStart = tripStart
    self.latency = latency
  }
}
