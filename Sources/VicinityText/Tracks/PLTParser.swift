internal import VicinityCrossings
internal import VicinityGeodesy

/// Fixes of GeoLife's PLT (Y. Zheng and others, *GeoLife GPS trajectory dataset, User Guide 1.3*, 2011): six
/// lines of header, then `latitude,longitude,0,altitude,days,date,time`, GMT.
enum PLTParser {
  static let headerLines = 6

  static func parse(
    _ block: ByteBlock, device: String, headerLines: Int, options: ReadingOptions, known: DeviceNames?
  ) -> TrackRows {
    var rows = TrackRows(options, known: known)
    let number = rows.number(of: device)
    rows.known = nil
    rows.reserve(block.count / 48 + 16)
    var times = TimeParser(zone: .utc)
    var text: [UInt8] = []
    unsafe CSVScanner.forEachLine(block.bytes) { line in
      if rows.lineCount >= headerLines, line.count > 0 {
        switch unsafe fix(line, &times, &text) {
        case .fault(let fault): rows.reject(rows.lineCount, fault)
        case .value(let fix): rows.append(fix, device: number, number: rows.lineCount)
        }
      }
      rows.lineCount += 1
    }
    return rows
  }

  private static func fix(
    _ line: UnsafeBufferPointer<UInt8>, _ times: inout TimeParser, _ text: inout [UInt8]
  ) -> RowValue<Fix> {
    // Where the line's seven fields end.
    var ends = InlineArray<7, Int>(repeating: 0)
    var count = 0
    for i in 0...line.count where unsafe i == line.count || line[i] == UInt8(ascii: ",") {
      if count < 7 { ends[count] = i }
      count += 1
    }
    guard count == 7 else { return .fault("\(count) fields where 7 are expected") }
    func field(_ index: Int) -> UnsafeBufferPointer<UInt8> {
      let start = index == 0 ? 0 : ends[index - 1] + 1
      return unsafe TextCheck.trimmed(UnsafeBufferPointer(rebasing: line[start..<ends[index]]))
    }
    return RowValue { () throws(RowFault) in
      let coordinate = try unsafe RowValue.coordinate(
        field(0), field(1), names: ("latitude", "longitude")
      ).get()
      text.removeAll(keepingCapacity: true)
      unsafe text.append(contentsOf: field(5))
      text.append(UInt8(ascii: "T"))
      unsafe text.append(contentsOf: field(6))
      let time = unsafe text.withUnsafeBufferPointer { unsafe times.parse($0) }
      return Fix(time: try time.get(), coordinate: coordinate)
    }
  }
}

/// The chunks of a PLT file: blocks of whole lines.
final class PLTTrackSource: TrackSource {
  private var reader: BlockReader
  private let input: TrackInput
  private var firstNumber: Int? = 1
  private var headerLines = PLTParser.headerLines

  init(_ reader: consuming BlockReader, _ input: TrackInput) {
    self.reader = reader
    self.input = input
  }

  var consumedByteCount: Int? { reader.source.consumedByteCount }
  var unfinishedByteCount: Int { reader.unfinishedByteCount }

  func seek(to position: TrackPosition) throws {
    guard position.offset > 0 else { return }
    try reader.seek(to: position.offset)
    firstNumber = position.line
    headerLines = 0
  }

  func next() throws -> TrackChunk? {
    let start = reader.offset
    guard let block = try unsafe reader.next(cut: { unsafe CSVScanner.wholeLines($0, from: $1) }) else {
      return nil
    }
    defer { firstNumber = nil }
    guard !block.isOverlong else {
      headerLines = max(0, headerLines - 1)
      return input.chunk(
        input.overlongLine(reader.overlongMessage), start..<reader.offset, firstNumber: firstNumber)
    }
    // A first block too short for the header leaves the rest of it to the next.
    let skipped = headerLines
    if skipped > 0 {
      var lines = 0
      unsafe CSVScanner.forEachLine(block.bytes) { _ in lines += 1 }
      headerLines = max(0, headerLines - lines)
    }
    return input.chunk(
      .plt(block, device: input.fallbackDevice, headerLines: skipped), start..<reader.offset,
      firstNumber: firstNumber)
  }
}
