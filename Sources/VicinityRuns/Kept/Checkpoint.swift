internal import VicinityCrossings
internal import VicinityFormats
internal import VicinityIndex

/// All that is needed to resume a run: the question, the reader's position, its devices, the state of the
/// fleets, and what the other files of the directory hold.
package struct Checkpoint {
  package var question: EventsQuestion
  var position: TrackPosition
  var states: DeviceStates
  /// The sorted runs of events.
  var runs: [KeptPiece]
  var eventCount: Int
  /// The bad rows so far; `nil` where they are only counted.
  var rejects: [KeptPiece]?
  /// What had been read and dropped.
  var totals: EventTotals

  static let name = "checkpoint"
  private static let format = SealedBytes("VICEVENT", version: 3)

  var bytes: [UInt8] {
    Self.format.seal { bytes in
      question.append(to: &bytes)
      for number in [position.file, position.offset, position.line, eventCount] {
        bytes.append(number: UInt64(number))
      }
      totals.append(to: &bytes)
      bytes.append(number: UInt32(rejects == nil ? 0 : 1))
      for pieces in [runs, rejects ?? []] {
        bytes.append(number: UInt64(pieces.count))
        for piece in pieces { piece.append(to: &bytes) }
      }
      states.append(to: &bytes)
    }
  }
}

extension Checkpoint {
  /// A checkpoint from the bytes of a file.
  init(_ bytes: [UInt8]) throws(SealedBytes.Fault) {
    self = try Self.format.open(bytes) { reader in
      let question = try EventsQuestion(&reader)
      var numbers: [Int] = []
      for _ in 0..<4 {
        guard let number = Int(exactly: try reader.number() as UInt64) else { throw ByteReader.Failure() }
        numbers.append(number)
      }
      let totals = try EventTotals(&reader)
      let keepsRejects = try reader.number(as: UInt32.self) != 0
      let runs = try Self.pieces(&reader)
      let rejects = try Self.pieces(&reader)
      return Checkpoint(
        question: question,
        position: TrackPosition(file: numbers[0], offset: numbers[1], line: numbers[2]),
        states: try DeviceStates(&reader), runs: runs, eventCount: numbers[3],
        rejects: keepsRejects ? rejects : nil, totals: totals)
    }
  }

  private static func pieces(_ reader: inout ByteReader) throws -> [KeptPiece] {
    try (0..<(try reader.count(each: 16))).map { _ in try KeptPiece(&reader) }
  }

  /// The checkpoint in the directory beside an output; `nil` where there is none.
  ///
  /// - Throws: ``CommandFailure`` where it is damaged.
  package static func kept(beside output: String) throws -> Checkpoint? {
    let path = "\(RunDirectory.path(beside: output))/\(name)"
    guard FileSystem.exists(path) else { return nil }
    let bytes = try InputFile.bytes(of: path)
    do throws(SealedBytes.Fault) {
      return try Checkpoint(bytes)
    } catch {
      switch error {
      // Checkpoints do not name their writer.
      case .damaged, .otherWriter: throw PieceReader.failure("is a damaged checkpoint", at: path)
      case .otherVersion(let version):
        throw PieceReader.failure("is a checkpoint of another version (\(version))", at: path)
      }
    }
  }
}
