/// Which reader a file of tracks is for, told from its first bytes and, for text, from its name.
enum TrackKind {
  case csv
  case plt
  case nmea
  case gpx
  /// Anything else: OGR decides.
  case ogr

  /// Decides on the source behind `reader`, which it unpacks when that is gzip.
  ///
  /// - Throws: ``FormatError`` for an empty file, UTF-16 text, and what cannot be read twice but would have to be.
  static func sniff(_ reader: inout BlockReader) throws(FormatError) -> TrackKind {
    let path = reader.source.path
    var head = try reader.peek(InputKind.headByteCount)
    var isPacked = false
    if head.starts(with: [0x1F, 0x8B]) {
      try reader.unpack()
      head = try reader.peek(InputKind.headByteCount)
      isPacked = true
    }
    guard !head.isEmpty else { throw .empty(path: path) }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
      throw .unrecognizedFormat(path: path, reason: "UTF-16 text; UTF-8 is expected")
    }
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
    let kind = kind(of: head, path: path, isPacked: isPacked)
    if kind == .ogr, !reader.source.isRegularFile {
      throw .unrecognizedFormat(
        path: path, reason: "only CSV, GPX, PLT and NMEA can be read from standard input or a pipe")
    }
    return kind
  }

  private static func kind(of head: [UInt8], path: String, isPacked: Bool) -> TrackKind {
    if head.starts(with: "Geolife trajectory".utf8) { return .plt }
    if head.starts(with: "SQLite format 3".utf8) { return .ogr }
    if isGPX(head) { return .gpx }
    let isText = InputKind.isText(head)
    if isText, CSVTable.looksLikeHeader(head) { return .csv }
    if isNMEA(head) { return .nmea }
    return isText && InputKind.isDelimited(head, path: path, isPacked: isPacked) ? .csv : .ogr
  }

  /// Whether the outermost element is `gpx`; declarations and comments may come before it.
  private static func isGPX(_ head: [UInt8]) -> Bool {
    guard head.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return false }
    var i = 0
    while let start = head[i...].firstIndex(of: UInt8(ascii: "<")) {
      let rest = head[(start + 1)...]
      if rest.starts(with: "!--".utf8) {
        // To the end of the comment: the next "-->".
        i = start + 4
        while i + 2 < head.count, !head[i...].starts(with: "-->".utf8) { i += 1 }
        if i + 2 >= head.count { return false }
      } else if let first = rest.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "?") {
        i = start + 1
      } else {
        let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        return (name.split(separator: UInt8(ascii: ":")).last ?? name).elementsEqual("gpx".utf8)
      }
    }
    return false
  }

  /// Whether a line holds one of the common sentences.
  private static func isNMEA(_ head: [UInt8]) -> Bool {
    let names = ["GGA", "RMC", "GLL", "GNS", "ZDA", "GSA", "GSV", "VTG", "TXT"].map { Array($0.utf8) }
    for i in head.indices.dropLast(6) where head[i] == UInt8(ascii: "$") {
      let name = head[(i + 3)..<(i + 6)]
      if head[i + 6] == UInt8(ascii: ","), names.contains(where: { name.elementsEqual($0) }) { return true }
    }
    return false
  }
}
