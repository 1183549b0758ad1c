package import VicinityCrossings

/// The fixes and bad rows of one chunk. Lines are counted from the chunk's first.
///
/// Devices that are known when parsing begins keep their numbers; new ones are numbered within the chunk,
/// from `knownCount` on.
package struct TrackRows: Sendable {
  var fixes: [Fix] = []
  /// The line of each fix, counted from the chunk's first, from 0.
  var numbers: [UInt32] = []
  var runs: [TrackBatch.Run] = []
  /// The devices known when parsing begins; `nil` if there are none. Set to `nil` when parsing ends, so that
  /// the reader can change its table without a copy.
  var known: DeviceNames?
  let knownCount: Int
  var devices = DeviceNames()
  /// How many lines the chunk takes.
  var lineCount = 0
  /// Bad rows: the first few, all counted.
  var rejected: [Rejected] = []
  var rejectedCount = 0
  /// How many fixes the receiver itself calls invalid.
  var invalidCount = 0
  /// The fixes before which the track of their device is broken, as indices of `fixes`, ascending: what was
  /// between them and the fix before is not known.
  package private(set) var breaks: [UInt32] = []
  /// What was read and left out, beside bad rows.
  var remarks = ValueRemarks()
  let maximumRejected: Int
  /// Later times are bad rows; and whether that is for the time of their arrival.
  private let latest: Timestamp
  private let isLatestOfArrival: Bool

  /// A bad row.
  struct Rejected: Sendable {
    var number: Int
    var fault: RowFault
  }

  /// No rows yet, of those that the options allow.
  package init(_ options: ReadingOptions, known: DeviceNames? = nil) {
    maximumRejected = options.maximumRejected
    latest = options.latestTime
    isLatestOfArrival = options.notAfter == nil
    self.known = known
    knownCount = known?.count ?? 0
  }

  /// Whether there is nothing to report: no fix, no bad row, no invalid fix.
  var isEmpty: Bool { fixes.isEmpty && rejectedCount == 0 && invalidCount == 0 && remarks.isEmpty }

  /// How many fixes there are.
  package var count: Int { fixes.count }

  package mutating func reserve(_ count: Int) {
    fixes.reserveCapacity(count)
    numbers.reserveCapacity(count)
  }

  /// Notes that line `number` is bad.
  package mutating func reject(_ number: Int, _ fault: @autoclosure () -> RowFault) {
    rejectedCount += 1
    if rejected.count < maximumRejected {
      rejected.append(Rejected(number: number, fault: fault()))
    }
  }

  /// Notes that the device has no position here (``OptionalMeasurement/isNoPosition(_:)``): the row is
  /// dropped and counted.
  package mutating func dropPosition() {
    invalidCount += 1
    remarks.noPositions += 1
  }

  /// Sets the speed and course of `fix`, each if there is one; what cannot be one is unknown, and counted.
  package mutating func set(speed: Double?, course: Double?, of fix: inout Fix) {
    if let speed {
      switch OptionalMeasurement.speed(speed) {
      case .known(let value): fix.speed = value
      case .unknown: break
      case .outOfRange: remarks.badSpeeds += 1
      }
    }
    if let course {
      switch OptionalMeasurement.course(course) {
      case .known(let value): fix.course = value
      case .unknown: break
      case .outOfRange: remarks.badCourses += 1
      }
    }
  }

  /// Adds the first fix behind a break of its device's track.
  package mutating func appendAfterBreak(_ fix: Fix, device: UInt32, number: Int) {
    let next = UInt32(truncatingIfNeeded: fixes.count)
    if breaks.last != next { breaks.append(next) }
    append(fix, device: device, number: number)
  }

  @inline(__always)
  package mutating func append(_ fix: Fix, device: UInt32, number: Int) {
    if fix.time > latest { return rejectLate(fix.time, number) }
    let end = UInt32(truncatingIfNeeded: fixes.count)
    if let last = runs.last, last.number == device {
      runs[runs.count - 1].upperBound = end + 1
    } else {
      runs.append(TrackBatch.Run(number: device, lowerBound: end, upperBound: end + 1))
    }
    fixes.append(fix)
    numbers.append(UInt32(truncatingIfNeeded: number))
  }

  private mutating func rejectLate(_ time: Timestamp, _ number: Int) {
    let fault =
      isLatestOfArrival
      ? RowFault("the time \(time) is more than a day after its arrival", cure: .notAfter)
      : "the time \(time) is later than the latest allowed, \(latest)"
    reject(number, fault)
  }

  /// The number of the device called `identifier`, or what is wrong with it.
  package mutating func device(_ identifier: UnsafeBufferPointer<UInt8>) -> RowValue<UInt32> {
    guard identifier.count > 0 else { return .fault("the device is empty") }
    if let number = unsafe known?.number(of: identifier) { return .value(UInt32(truncatingIfNeeded: number)) }
    guard unsafe TextCheck.isUTF8(identifier) else {
      return .fault("the device is not valid UTF-8: \(unsafe TextCheck.shown(identifier))")
    }
    return .value(UInt32(truncatingIfNeeded: unsafe knownCount + devices.insert(identifier)))
  }

  /// The number of the device called `identifier`, which is UTF-8.
  package mutating func number(of identifier: String) -> UInt32 {
    UInt32(truncatingIfNeeded: known?.number(of: identifier) ?? (knownCount + devices.insert(identifier)))
  }
}
