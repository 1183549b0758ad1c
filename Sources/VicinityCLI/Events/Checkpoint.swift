import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex

/// All that is needed to resume a run: the reader's position, its devices and their last fixes, the state of the fleets, and
/// the number of events in the directory.
///
/// The file: magic and version, the question's fingerprint, then blocks, and the checksum of all that.
struct Checkpoint {
  /// The fingerprint of the inputs and options.
  var question: UInt64
  var position: TrackPosition
  var devices: DeviceNames
  var order: TrackOrder
  /// A snapshot of each shard's fleet.
  var fleets: [[UInt8]]
  var runCount: Int
  var eventCount: Int
  /// What had been read and dropped.
  var totals: EventTotals

  static let name = "checkpoint"
  private static let magic = Array("VICEVENT".utf8)
  private static let version: UInt32 = 1

  /// The file is not a checkpoint.
  struct Damaged: Error {}

  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.append(number: Self.version)
    bytes.append(number: question)
    for number in [position.file, position.offset, position.line, runCount, eventCount] + totals.numbers {
      bytes.append(number: UInt64(number))
    }
    bytes.append(number: UInt64(devices.count))
    for device in 0..<devices.count {
      bytes.append(block: devices.utf8(of: device))
      let last = order[device]
      bytes.append(number: last?.time.microseconds ?? 0)
      bytes.append(number: last?.coordinate.latitude ?? .nan)
      bytes.append(number: last?.coordinate.longitude ?? .nan)
    }
    bytes.append(number: UInt64(fleets.count))
    for fleet in fleets { bytes.append(block: fleet) }
    bytes.append(number: bytes.checksum)
    return bytes
  }
}

extension Checkpoint {
  /// A checkpoint from the bytes of a file.
  ///
  /// - Throws: ``Damaged``
  init(_ bytes: [UInt8]) throws {
    do {
      var end = ByteReader(bytes.suffix(8))
      guard bytes.count > 8, try end.number() == bytes.dropLast(8).checksum else { throw Damaged() }
      var reader = ByteReader(bytes.dropLast(8))
      guard try reader.bytes(8).elementsEqual(Self.magic), try reader.number() == Self.version else {
        throw Damaged()
      }
      question = try reader.number()
      var numbers: [Int] = []
      for _ in 0..<5 + EventTotals.count {
        guard let number = Int(exactly: try reader.number() as UInt64) else { throw Damaged() }
        numbers.append(number)
      }
      position = TrackPosition(file: numbers[0], offset: numbers[1], line: numbers[2])
      (runCount, eventCount) = (numbers[3], numbers[4])
      totals = EventTotals(numbers: Array(numbers[5...]))
      devices = DeviceNames()
      order = TrackOrder()
      for device in 0..<(try reader.count(each: 32)) {
        let name = try reader.block()
        guard devices.insert(String(decoding: name, as: UTF8.self)) == device else { throw Damaged() }
        let time = Timestamp(microseconds: try reader.number())
        let latitude = try reader.double()
        let longitude = try reader.double()
        if !latitude.isNaN {
          order[device] = TrackOrder.Last(
            time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude))
        }
      }
      fleets = []
      for _ in 0..<(try reader.count(each: 8)) { fleets.append(Array(try reader.block())) }
      guard reader.remaining == 0 else { throw Damaged() }
    } catch is ByteReader.Failure {
      throw Damaged()
    }
  }
}

/// How much a run has read and dropped.
struct EventTotals: Equatable {
  var fixes = 0
  var repeats = 0
  var invalidFixes = 0
  var conflicts = 0
  var skipped = 0
  var warnings = 0

  static let count = 6

  var numbers: [Int] { [fixes, repeats, invalidFixes, conflicts, skipped, warnings] }

  static func + (a: EventTotals, b: EventTotals) -> EventTotals {
    EventTotals(numbers: zip(a.numbers, b.numbers).map { $0 + $1 })
  }
}

extension EventTotals {
  init(numbers: [Int]) {
    self.init(
      fixes: numbers[0], repeats: numbers[1], invalidFixes: numbers[2], conflicts: numbers[3],
      skipped: numbers[4], warnings: numbers[5])
  }

  init(_ summary: TrackSummary) {
    self.init(
      fixes: summary.fixes, repeats: summary.repeats, invalidFixes: summary.invalidFixes,
      conflicts: summary.conflicts, skipped: summary.skipped.count, warnings: summary.warnings.count)
  }
}
