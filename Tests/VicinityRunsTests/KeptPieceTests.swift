import Foundation
import Testing

@testable import VicinityRuns

/// What a run keeps is compared block by block, before any of it is used.
@Suite struct KeptPieceTests {
  /// A piece of two whole blocks and a short one, in a directory that is removed with this object.
  private struct Kept {
    let directory: RunDirectory
    let piece: KeptPiece
    let content: [UInt8]
    let bytes: [UInt8]

    init() throws {
      directory = try RunDirectory()
      content = (0..<(2 * KeptPiece.blockSize + 1000)).map { UInt8(truncatingIfNeeded: $0 &* 167 >> 3) }
      var writer = PieceWriter(name: "events-0", byteCount: content.count)
      writer.append(content[...])
      writer.finish()
      (piece, bytes) = (writer.piece, writer.bytes)
    }

    /// Writes these bytes in the piece's place, and opens it.
    func reader(_ bytes: [UInt8]) throws -> PieceReader {
      try Data(bytes).write(to: URL(filePath: directory.path("events-0")))
      return try PieceReader(piece, "events-0", in: directory)
    }
  }

  @Test func handsOutWhatWasWritten() throws {
    let kept = try Kept()
    var reader = try kept.reader(kept.bytes)
    var found: [UInt8] = []
    while case let block = try reader.next(), !block.isEmpty { found += block }
    #expect(found == kept.content)
  }

  @Test func handsOutNothingOfADamagedBlock() throws {
    let kept = try Kept()
    for place in [0, KeptPiece.blockSize - 1, KeptPiece.blockSize + 7] {
      var bytes = kept.bytes
      bytes[place] ^= 16
      var reader = try kept.reader(bytes)
      #expect(throws: CommandFailure.self, "byte \(place)") { try reader.next() }
    }
  }

  /// Each block with its own checksum, in another order.
  @Test func refusesBlocksInAnotherOrder() throws {
    let kept = try Kept()
    let length = KeptPiece.blockSize + 8
    let exchanged =
      kept.bytes[length..<(2 * length)] + kept.bytes[..<length] + kept.bytes[(2 * length)...]
    var reader = try kept.reader(Array(exchanged))
    #expect(throws: CommandFailure.self) { while try !reader.next().isEmpty {} }
  }
}
