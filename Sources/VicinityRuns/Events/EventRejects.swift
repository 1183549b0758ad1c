internal import VicinityCrossings
internal import VicinityFormats

/// The bad rows of the regions and the tracks as CSV: `file,line,reason`. Those of tracks are kept in pieces,
/// as events are; regions are read anew by every run.
struct EventRejects {
  static let header = Array("file,line,reason\n".utf8)
  /// When what is held should be written out, bytes.
  private static let mostHeld = 16 << 20

  private var regions: [UInt8] = []
  private var held: [UInt8] = []
  private(set) var pieces: [KeptPiece] = []

  init(regions: [Diagnostic], pieces: [KeptPiece]) {
    for row in regions { Self.append(row, to: &self.regions) }
    self.pieces = pieces
  }

  static func name(_ number: Int) -> String { "rejects-\(number)" }

  var isFull: Bool { held.count >= Self.mostHeld }

  mutating func append(_ row: Diagnostic) { Self.append(row, to: &held) }

  /// Appends a row.
  static func append(_ row: Diagnostic, to text: inout [UInt8]) {
    let comma = UInt8(ascii: ",")
    CSVText.append(row.place.path == "-" ? "standard input" : row.place.path, to: &text)
    text.append(comma)
    if let number = row.place.line ?? row.place.feature.map({ Int($0) }) {
      DecimalText.append(number, to: &text)
    }
    text.append(comma)
    CSVText.append(row.message, to: &text)
    text.append(UInt8(ascii: "\n"))
  }

  /// Writes what is held to the directory, if there is anything.
  mutating func spill(to directory: RunDirectory) throws {
    guard !held.isEmpty else { return }
    let name = Self.name(pieces.count)
    var writer = PieceWriter(name: name, byteCount: held.count)
    writer.append(held[...])
    pieces.append(try directory.write(writer, as: name))
    held.removeAll(keepingCapacity: true)
  }

  func write(from directory: RunDirectory?, to writer: ByteWriter) throws {
    writer.buffer += Self.header
    writer.buffer += regions
    if let directory {
      for i in pieces.indices {
        var reader = try PieceReader(pieces[i], Self.name(i), in: directory)
        while true {
          let bytes = try reader.next()
          if bytes.isEmpty { break }
          writer.buffer += bytes
          try writer.flushIfFull()
        }
      }
    }
    writer.buffer += held
  }
}
