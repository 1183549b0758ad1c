public import VicinityCrossings
public import VicinityGeodesy

/// A ranged beacon: Core Location's `CLBeacon`.
public struct RangedBeacon: Hashable, Sendable {
  /// The identity that it advertises.
  public var beacon: BeaconIdentity
  /// How near it is.
  public var proximity: BeaconProximity
  /// The estimated distance, metres; negative if unknown. For telling beacons apart, not for positions.
  public var accuracy: Meters
  /// The mean of the levels received since the last report, dBm; 0 for none.
  public var rssi: DecibelMilliwatts
  /// When it was last seen.
  public var time: Timestamp

  @inlinable
  public init(
    beacon: BeaconIdentity, proximity: BeaconProximity, accuracy: Meters, rssi: DecibelMilliwatts,
    time: Timestamp
  ) {
    self.beacon = beacon
    self.proximity = proximity
    self.accuracy = accuracy
    self.rssi = rssi
    self.time = time
  }
}

/// The report of one constraint, once an interval.
public struct BeaconRanging: Hashable, Sendable {
  /// The constraint that the beacons match.
  public var constraint: BeaconIdentity
  /// The beacons in range: the nearest first, by ``RangedBeacon/accuracy``, equal ones by UUID, major and
  /// minor number; then those whose distance is unknown, by the same numbers. May be empty.
  public var beacons: [RangedBeacon]
  /// The end of the interval that the report is about.
  public var time: Timestamp

  @inlinable
  public init(constraint: BeaconIdentity, beacons: [RangedBeacon], time: Timestamp) {
    self.constraint = constraint
    self.beacons = beacons
    self.time = time
  }
}

/// How beacons are ranged.
public struct BeaconRangingOptions: Hashable, Sendable {
  /// The time from one report to the next; 1 s by default, as Core Location's.
  public var interval: Duration
  /// Over how many intervals levels are averaged for the distance, the last included; 5 by default. 1...100.
  ///
  /// A choice, not a measurement: at one advertisement a second it halves the error of a single level (1/√5),
  /// and a person walking past is 7 m away before the mean has forgotten.
  public var smoothing: Int
  /// For how many intervals a beacon is listed after its last sighting; 10 by default. ``smoothing``...1000.
  /// Its distance is unknown once none of its levels is averaged any more.
  public var listing: Int
  /// Converts levels to distances.
  public var model: BeaconDistanceModel

  @inlinable
  public init(
    interval: Duration = .seconds(1), smoothing: Int = 5, listing: Int = 10,
    model: BeaconDistanceModel = BeaconDistanceModel()
  ) {
    self.interval = interval
    self.smoothing = smoothing
    self.listing = listing
    self.model = model
  }
}

/// Beacon ranging: takes sightings, and lists the beacons in range once an interval, nearest first.
///
/// A pure value: the caller passes in the time, which is divided into intervals from the first constraint's
/// start. A sighting counts for the interval that its own time lies in, even if it comes late, as long as
/// that interval is still averaged. Sightings from before the start, or too old to be averaged, are ignored.
/// An interval is reported when a sighting or ``advance(to:)`` shows that it is over. If several intervals
/// ended since the last call, only the last one is reported.
///
/// A level counts when it is between -127 and -1 dBm and the measured power between -127 and 20: 0 is Core
/// Location's mark for an unknown level, 127 the Bluetooth Core Specification's (*Read RSSI*). Sightings with
/// other levels keep a beacon listed, but do not count for its distance.
///
/// - Note: Distances are estimates by a model (``BeaconDistanceModel``): a body or a wall that takes 6 dB
///   doubles one.
public struct BeaconRanger: Sendable {
  /// The levels of one beacon in one interval.
  private struct Bucket {
    var interval: Int64
    var loss = 0.0
    var rssi = 0.0
    var count = 0
  }

  private struct Heard {
    /// Ascending intervals; at most as many as are averaged.
    var buckets: [Bucket] = []
    var last: Timestamp
  }

  public let options: BeaconRangingOptions
  private let interval: Int64
  private var constraints: [BeaconIdentity] = []
  private var heard: [BeaconIdentity: Heard] = [:]
  private var origin: Timestamp?
  /// The first interval that has not been reported.
  private var next: Int64 = 0

  /// Ranges nothing yet.
  ///
  /// - Throws: ``BeaconOptionsError``.
  public init(_ options: BeaconRangingOptions = BeaconRangingOptions()) throws(BeaconOptionsError) {
    let interval = Timestamp(microseconds: 0).advanced(by: options.interval).microseconds
    guard interval > 0 else {
      throw .durationNotPositive(option: "ranging interval", value: options.interval)
    }
    guard 1...100 ~= options.smoothing else {
      throw .outOfRange(option: "ranging smoothing", value: Double(options.smoothing))
    }
    guard options.smoothing...1000 ~= options.listing else {
      throw .outOfRange(option: "ranging listing", value: Double(options.listing))
    }
    try options.model.check()
    self.options = options
    self.interval = interval
  }

  /// The constraints that are ranged, in the order of their start.
  public var rangedConstraints: [BeaconIdentity] { constraints }

  /// When the interval that has begun is over: the time to call ``advance(to:)``; nil when nothing is ranged.
  public var nextReport: Timestamp? {
    // `next` intervals fit, for the last of them is over.
    origin?.advanced(by: .microseconds(next * interval)).advanced(by: .microseconds(interval))
  }

  /// Starts to range the beacons that an identity matches; does nothing if it is ranged already.
  public mutating func start(_ constraint: BeaconIdentity, at time: Timestamp) {
    guard !constraints.contains(constraint) else { return }
    constraints.append(constraint)
    if origin == nil { origin = time }
  }

  /// Stops ranging a constraint; does nothing if it is not ranged.
  public mutating func stop(_ constraint: BeaconIdentity) {
    constraints.removeAll { $0 == constraint }
    heard = heard.filter { isWanted($0.key) }
    if constraints.isEmpty {
      origin = nil
      next = 0
    }
  }

  /// Handles a sighting.
  ///
  /// - Returns: The reports of the last interval that is over by its time; none for most sightings.
  /// - Complexity: O(constraints), O(beacons in range × (constraints + smoothing)) with a report
  public mutating func see(_ sighting: BeaconSighting) -> [BeaconRanging] {
    let reports = advance(to: sighting.time)
    guard let origin, sighting.time >= origin, isWanted(sighting.beacon) else { return reports }
    let number = number(of: sighting.time, from: origin)
    guard number > next - Int64(options.listing) else { return reports }
    var heard = heard[sighting.beacon] ?? Heard(last: sighting.time)
    heard.last = max(heard.last, sighting.time)
    if -127 ... -1 ~= sighting.rssi, -127...20 ~= sighting.measuredPower,
      number > next - Int64(options.smoothing)
    {
      let index = heard.buckets.firstIndex { $0.interval >= number } ?? heard.buckets.count
      if index == heard.buckets.count || heard.buckets[index].interval != number {
        heard.buckets.insert(Bucket(interval: number), at: index)
      }
      heard.buckets[index].loss += Double(sighting.measuredPower - sighting.rssi)
      heard.buckets[index].rssi += Double(sighting.rssi)
      heard.buckets[index].count += 1
    }
    self.heard[sighting.beacon] = heard
    return reports
  }

  /// Advances the time.
  ///
  /// - Returns: The reports of the last interval that is over and has not been reported, one for each
  ///   constraint in the order of their start; none within an interval.
  /// - Complexity: O(1), O(beacons in range × (constraints + smoothing)) with a report
  public mutating func advance(to time: Timestamp) -> [BeaconRanging] {
    guard let origin, time > origin else { return [] }
    let last = number(of: time, from: origin) - 1
    guard last >= next else { return [] }
    next = last + 1
    for (beacon, var entry) in heard {
      entry.buckets.removeAll { $0.interval <= last - Int64(options.smoothing) }
      let isListed = number(of: entry.last, from: origin) > last - Int64(options.listing)
      heard[beacon] = isListed ? entry : nil
    }
    let end = origin.advanced(by: .microseconds(next * interval))
    let ranged = heard.map { estimate($0.key, $0.value, last: last) }.sorted(by: Self.isNearer)
    return constraints.map { constraint in
      BeaconRanging(
        constraint: constraint, beacons: ranged.filter { constraint.matches($0.beacon) }, time: end)
    }
  }

  private func isWanted(_ beacon: BeaconIdentity) -> Bool { constraints.contains { $0.matches(beacon) } }

  /// The interval that a time from the origin on lies in.
  private func number(of time: Timestamp, from origin: Timestamp) -> Int64 {
    let (span, overflow) = time.microseconds.subtractingReportingOverflow(origin.microseconds)
    return (overflow ? .max : span) / interval
  }

  private func estimate(_ beacon: BeaconIdentity, _ heard: Heard, last: Int64) -> RangedBeacon {
    var (loss, count) = (0.0, 0)
    var rssi: DecibelMilliwatts = 0
    for bucket in heard.buckets where bucket.interval <= last {
      loss += bucket.loss
      count += bucket.count
      if bucket.interval == last { rssi = Int((bucket.rssi / Double(bucket.count)).rounded()) }
    }
    let accuracy = count == 0 ? -1 : options.model.distance(loss: loss / Double(count))
    return RangedBeacon(
      beacon: beacon, proximity: options.model.proximity(accuracy), accuracy: accuracy, rssi: rssi,
      time: heard.last)
  }

  private static func isNearer(_ a: RangedBeacon, _ b: RangedBeacon) -> Bool {
    let (x, y) = (a.accuracy < 0 ? .infinity : a.accuracy, b.accuracy < 0 ? .infinity : b.accuracy)
    if x != y { return x < y }
    let (u, v) = (a.beacon, b.beacon)
    return (u.uuid.high, u.uuid.low, u.major ?? 0, u.minor ?? 0)
      < (v.uuid.high, v.uuid.low, v.major ?? 0, v.minor ?? 0)
  }
}
