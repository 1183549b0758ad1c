package import VicinityCoreLocation
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

extension Measurements {
  /// A control phone's position is truth up to this accuracy, metres. Assumed.
  private static let controlAccuracy: Meters = 30

  /// What phones have recorded themselves.
  ///
  /// The truth of a run on a day out is where a phone was that asked for best all the time, which so counts
  /// as a control phone. Positions of the other phones of the run are compared with that, and exits of
  /// regions are timed by it. Where a phone lay still, the truth is the place that its user named.
  ///
  /// - Parameter recordings: By the names of their files. Phones of one run may be in several.
  package init(_ recordings: [String: PhoneRecording]) {
    self.init()
    var read: [RecordedRangeReader] = []
    for (file, recording) in recordings.sorted(by: { $0.key < $1.key }) {
      read += RecordedRangeReader.ranges(of: recording, file)
    }
    for range in read where !range.trips.isEmpty { trips[range.range.run, default: []] += range.trips }
    for run in trips.keys { trips[run]?.sort { $0.lowerBound < $1.lowerBound } }
    for run in Set(read.map(\.range.run)) {
      let control = read.first { $0.range.run == run && $0.range.isControl && !$0.range.fixes.isEmpty }
      truth[run] = control?.range.fixes.filter { $0.accuracy <= Self.controlAccuracy }.map {
        MeasuredPosition(time: $0.time, coordinate: $0.coordinate)
      }
    }
    ranges = read.map { read in
      var range = read.range
      let truth = KnownWay(truth[range.run] ?? [])
      if range.isStationary {
        range.errors = read.errors
      } else if !range.isControl {
        range.errors = range.fixes.compactMap { truth.error(of: $0) }
      }
      range.exits = read.fences.compactMap { truth.exit(of: $0) }
      return range
    }
  }
}

/// A region that was watched, and when the phone told that it had been left.
private struct RecordedFence {
  var center: Coordinate
  var since: Double
  var left: Double?
}

/// Puts the lines of a recording together to ranges.
private struct RecordedRangeReader {
  var range: MeasuredRange
  var trips: [ClosedRange<Double>] = []
  var fences: [RecordedFence] = []
  private var place: Coordinate?
  private var tripStart: Double?

  /// The ranges of a recording, which are named by the file and a number. One that the end of a process has
  /// cut off ends with its last line.
  static func ranges(of recording: PhoneRecording, _ file: String) -> [RecordedRangeReader] {
    var found: [RecordedRangeReader] = []
    var open: RecordedRangeReader?
    var phone = ""
    var last = 0.0
    /// When a process ended that the next one has not gone on for yet.
    var interrupted: Double?
    func close(at time: Double) {
      guard var range = open.take(), time > range.range.start else { return }
      range.finish(at: time)
      found.append(range)
    }
    for line in recording.lines {
      let time = line.time.seconds
      switch line.content {
      case .phone(let recorded):
        interrupted = interrupted ?? last
        phone = recorded.name
      case .again: interrupted = nil
      case .range(let recorded):
        close(at: interrupted ?? time)
        interrupted = nil
        open = RecordedRangeReader(recorded, phone, "\(file)-\(found.count + 1)", at: time)
      case .end: close(at: time)
      default: open?.take(line)
      }
      last = max(last, time)
    }
    close(at: interrupted ?? last)
    return found
  }

  private init(_ range: RecordedRange, _ phone: String, _ identifier: String, at time: Double) {
    self.range = MeasuredRange(
      identifier: identifier, run: range.run, outing: range.outing, day: range.day, platform: .ios,
      phone: phone, isStationary: range.isStationary, regime: range.accuracy?.rawValue ?? "off",
      accuracy: range.accuracy, distanceFilter: range.distanceFilter, requestedInterval: nil,
      isDutyCycled: false, start: time, end: time, drain: nil, drainBelow100: nil, hoursBelow100: 0)
  }

  private mutating func take(_ line: RecordingLine) {
    let time = line.time.seconds
    switch line.content {
    case .battery(let level): range.battery.append(BatteryReading(time: time, level: level))
    case .fix(let fix):
      range.fixes.append(
        MeasuredFix(
          time: fix.time.seconds, coordinate: fix.coordinate, accuracy: fix.horizontalAccuracy,
          delay: time - fix.time.seconds))
    case .place(let place): self.place = place
    case .trip: tripStart = time
    case .arrived:
      if let start = tripStart.take(), time > start { trips.append(start...time) }
    case .fence(let center): fences.append(RecordedFence(center: center, since: time))
    case .left:
      if let last = fences.indices.last { fences[last].left = fences[last].left ?? time }
    case .metrics, .phone, .range, .end, .again: break
    }
  }

  private mutating func finish(at end: Double) {
    if let start = tripStart.take(), end > start { trips.append(start...end) }
    range.end = end
    if range.accuracy != nil { range.tracking = [range.start...end] }
    range.battery.sort { $0.time < $1.time }
    range.fixes.sort { $0.time < $1.time }
    range.drain = Self.slope(range.battery[...])
    let below = range.battery.drop { $0.level >= 100 }
    range.drainBelow100 = Self.slope(below)
    if let first = below.first { range.hoursBelow100 = (end - first.time) / 3600 }
  }

  /// The fall of the level by least squares, per cent an hour; nil for readings of no length of time.
  private static func slope(_ readings: ArraySlice<BatteryReading>) -> Double? {
    guard let first = readings.first, let last = readings.last, last.time > first.time else { return nil }
    let count = Double(readings.count)
    let meanTime = readings.reduce(0) { $0 + ($1.time - first.time) } / count
    let meanLevel = readings.reduce(0) { $0 + $1.level } / count
    var (products, squares) = (0.0, 0.0)
    for reading in readings {
      let time = reading.time - first.time - meanTime
      products += time * (reading.level - meanLevel)
      squares += time * time
    }
    return squares > 0 ? -products / squares * 3600 : nil
  }

  /// How far off the positions of a phone were that lay at a known place.
  var errors: [MeasuredError] {
    guard let place else { return [] }
    return range.fixes.map {
      MeasuredError(
        time: $0.time, truth: .site, error: Geodesic.uncheckedDistance($0.coordinate, place),
        accuracy: $0.accuracy, speed: 0)
    }
  }
}

/// Where a control phone was, as far as it knows.
private struct KnownWay {
  /// The centre of a region counts as left from the last time that the phone was this near to it, metres.
  private static let nearCenter: Meters = 30

  private let positions: [MeasuredPosition]

  init(_ positions: [MeasuredPosition]) { self.positions = positions }

  /// How far a fix is from where the control phone was, between two positions that are not too far apart in
  /// time.
  func error(of fix: MeasuredFix) -> MeasuredError? {
    let after = positions.partitioningIndex { $0.time > fix.time }
    guard after > 0, after < positions.count else { return nil }
    let (first, second) = (positions[after - 1], positions[after])
    let duration = second.time - first.time
    guard duration > 0, duration <= ReplayTruth.longestGap else { return nil }
    let length = Geodesic.uncheckedDistance(first.coordinate, second.coordinate)
    let share = (fix.time - first.time) / duration
    let frame = LocalFrame(first.coordinate)
    let end = frame.offset(of: second.coordinate)
    let place = frame.coordinate(at: Offset(east: end.east * share, north: end.north * share))
    return MeasuredError(
      time: fix.time, truth: .reference, error: Geodesic.uncheckedDistance(fix.coordinate, place),
      accuracy: fix.accuracy, speed: length / duration)
  }

  /// How late the phone told that it had left a region; nil where it did not tell, or nobody knows when it
  /// left.
  func exit(of fence: RecordedFence) -> MeasuredExit? {
    guard let left = fence.left else { return nil }
    var near: Double?
    for position in positions where position.time >= fence.since && position.time <= left {
      let distance = Geodesic.uncheckedDistance(position.coordinate, fence.center)
      if distance <= Self.nearCenter {
        near = position.time
      } else if distance > RegionFit.radius, let near {
        return MeasuredExit(tripStart: near, latency: left - position.time)
      }
    }
    return nil
  }
}
