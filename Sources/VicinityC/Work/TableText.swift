internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinityText

/// Tables as the command line's CSV.
enum TableText {
  /// - Parameter decimals: Digits of the distances of neighbours.
  /// - Throws: ``Failure`` for a table that has no text.
  static func csv(_ table: ResultTable, decimals: Int, _ control: Control) throws(Failure) -> [[UInt8]] {
    switch table.kind {
    case .neighbors:
      return try rows(table, TableColumns.neighbors, control) {
        columns, i, text in
        columns[0].appendName(i, to: &text)
        text.append(comma)
        DecimalText.append(Int(columns[1].int32(i)), to: &text)
        text.append(comma)
        columns[2].appendName(i, to: &text)
        text.append(comma)
        DecimalText.append(columns[3].double(i), decimals: decimals, to: &text)
        text.append(comma)
        if !columns[4].isNull(i) { DecimalText.append(columns[4].double(i), decimals: decimals, to: &text) }
      }
    case .events:
      return try rows(table, TableColumns.events, control) {
        columns, i, text in
        columns[0].appendName(i, to: &text)
        text.append(comma)
        Timestamp(microseconds: columns[1].int64(i)).append(to: &text)
        for column in [2, 3] {
          text.append(comma)
          columns[column].appendName(i, to: &text)
        }
        for column in [4, 5] {
          text.append(comma)
          DecimalText.append(columns[column].double(i), decimals: TableColumns.coordinateDecimals, to: &text)
        }
        text += columns[6].bit(i) ? ",true".utf8 : ",false".utf8
      }
    case .stays:
      return try rows(table, TableColumns.stays, control) {
        columns, i, text in
        columns[0].appendName(i, to: &text)
        text.append(comma)
        columns[1].appendName(i, to: &text)
        text.append(comma)
        if !columns[2].isNull(i) { Timestamp(microseconds: columns[2].int64(i)).append(to: &text) }
        text.append(comma)
        Timestamp(microseconds: columns[3].int64(i)).append(to: &text)
        text.append(comma)
        if !columns[4].isNull(i) {
          DecimalText.append(columns[4].double(i), decimals: TableColumns.durationDecimals, to: &text)
        }
        for column in [5, 6] {
          text.append(comma)
          columns[column].appendName(i, to: &text)
        }
      }
    case .plans(let plans):
      return [plans.isEmpty ? Array(PlanTable.header.utf8) + [newline] : self.plans(plans)]
    case .other: throw .argument("this table has no CSV")
    }
  }

  private static let comma = UInt8(ascii: ",")
  private static let newline = UInt8(ascii: "\n")

  private static func plans(_ rows: [PlanRecord]) -> [UInt8] {
    CSVRows.table(PlanTable.header, rows) { row, cells in
      PlanTable.append(row.device, row.plan, row.diff, to: &cells)
    }
  }

  /// The text of all rows, made on all threads; in pieces.
  private static func rows(
    _ table: ResultTable, _ header: TableColumns, _ control: Control,
    _ append: @Sendable ([OutputColumn], Int, inout [UInt8]) -> Void
  ) throws(Failure) -> [[UInt8]] {
    var pieces = [Array("\(header.header)\n".utf8)]
    let size = 1 << 13
    var done = 0
    for batch in table.batches {
      let columns = zip(batch.children, table.fields).map { OutputColumn($0, $1.format) }
      let chunks = (batch.length + size - 1) / size
      pieces += Parallel.map(chunks, threads: control.threads) { chunk in
        var text: [UInt8] = []
        for i in chunk * size..<min(batch.length, (chunk + 1) * size) {
          append(columns, i, &text)
          text.append(newline)
        }
        return text
      }
      done += batch.length
      try control.report(done, of: table.rowCount)
    }
    return pieces
  }
}

/// Reads back a column that was made here.
@safe private struct OutputColumn: @unchecked Sendable {
  // SAFETY: the buffers are kept by the node, and are not written any more.
  private let node: ArrowNode
  /// Of whole numbers; strings otherwise.
  private let type: ArrowType
  private let values: UnsafeRawPointer
  private let bytes: UnsafeRawPointer

  init(_ node: ArrowNode, _ format: String) {
    self.node = node
    type = ArrowType(format: format)
    let nothing = ArrowBuffer(byteCount: 0)
    let (first, last) = (node.buffers.count > 1 ? node.buffers[1] : nil, node.buffers[node.buffers.count - 1])
    unsafe values = UnsafeRawPointer((first ?? nothing).base)
    unsafe bytes = UnsafeRawPointer((last ?? nothing).base)
  }

  func isNull(_ i: Int) -> Bool {
    guard node.nullCount > 0, let validity = node.buffers[0] else { return false }
    return unsafe !Bits.isSet(UnsafeRawPointer(validity.base), i)
  }

  func bit(_ i: Int) -> Bool { unsafe Bits.isSet(values, i) }
  func int32(_ i: Int) -> Int32 { unsafe values.load(fromByteOffset: i * 4, as: Int32.self) }
  func int64(_ i: Int) -> Int64 { unsafe values.load(fromByteOffset: i * 8, as: Int64.self) }
  func double(_ i: Int) -> Double { unsafe values.load(fromByteOffset: i * 8, as: Double.self) }

  /// Appends a string, or a whole number, as a field of CSV.
  func appendName(_ i: Int, to text: inout [UInt8]) {
    guard type.isText else {
      let place = unsafe values + i * type.width
      switch type.layout {
      case .int8: unsafe DecimalText.append(Int(place.load(as: Int8.self)), to: &text)
      case .uint8: unsafe DecimalText.append(Int(place.load(as: UInt8.self)), to: &text)
      case .int16: unsafe DecimalText.append(Int(place.load(as: Int16.self)), to: &text)
      case .uint16: unsafe DecimalText.append(Int(place.load(as: UInt16.self)), to: &text)
      case .int32: unsafe DecimalText.append(Int(place.load(as: Int32.self)), to: &text)
      case .uint32: unsafe DecimalText.append(Int(place.load(as: UInt32.self)), to: &text)
      case .uint64: unsafe text += String(place.load(as: UInt64.self)).utf8
      case .int128: unsafe text += String(place.load(as: Int128.self)).utf8
      default: unsafe DecimalText.append(Int(place.load(as: Int64.self)), to: &text)
      }
      return
    }
    let (from, to) = (Int(int32(i)), Int(int32(i + 1)))
    let characters = unsafe UnsafeBufferPointer(
      start: (bytes + from).assumingMemoryBound(to: UInt8.self), count: to - from)
    unsafe CSVText.append(characters.span, to: &text)
  }
}
