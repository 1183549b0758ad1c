package import VicinityCrossings
internal import VicinityIndex

/// A part of an input that can be parsed on its own, on any thread.
///
/// Where chunks begin and end depends only on the input and on ``ReadingOptions/chunkByteCount``.
package struct TrackChunk: Sendable {
  enum Content: Sendable {
    case csv(ByteBlock, CSVTrackColumns)
    case jsonLines(ByteBlock, JSONTrackNames)
    case plt(ByteBlock, device: String, headerLines: Int)
    case rows(TrackRows)
  }

  var content: Content
  /// The file's index and path.
  package var file: Int
  package var path: String
  package var layer: String?
  /// The chunk's bytes or features.
  package var offsets: Range<Int>
  /// The line of the chunk's first row, where it does not follow from the chunk before.
  package var firstNumber: Int?
  /// What is to be reported with this chunk.
  package var remarks = TrackRemarks()
  /// What helps where fixes are out of order.
  var orderCure = Cure.sort

  /// The chunk's rows.
  ///
  /// - Parameter known: Devices that have their numbers already.
  /// - Complexity: O(bytes)
  func parsed(_ options: ReadingOptions, known: DeviceNames?) -> TrackRows {
    switch content {
    case .csv(let block, let columns):
      CSVTrackParser.parse(block, columns: columns, options: options, known: known)
    case .jsonLines(let block, let names):
      JSONTrackParser.parse(block, names: names, options: options, known: known)
    case .plt(let block, let device, let headerLines):
      PLTParser.parse(block, device: device, headerLines: headerLines, options: options, known: known)
    case .rows(let rows): rows
    }
  }

  /// The rows of each of `chunks`, parsed on up to `threads` threads.
  package static func parse(
    _ chunks: [TrackChunk], options: ReadingOptions, known: DeviceNames, threads: Int
  ) -> [TrackRows] {
    Parallel.map(chunks.count, threads: threads) { chunks[$0].parsed(options, known: known) }
  }
}

/// What there is to say of a file, with its first chunk.
package struct TrackRemarks: Sendable {
  /// What was assumed about the file.
  package var warnings: [String] = []
  /// What the caller chose in the file.
  package var notes: [String] = []

  package init() {}

  /// Says that all fixes are taken for those of `device`: a warning, unless the caller chose it.
  ///
  /// - Parameter kind: What names devices in other files: a column, a member, a field.
  package mutating func addOnlyDevice(_ device: String, _ options: ReadingOptions, lacks kind: String) {
    let words = "all fixes are taken for those of \"\(device)\""
    if options.isSingleDevice {
      notes.append(words)
    } else {
      warnings.append("no \(kind) for devices; \(words)")
    }
  }

  /// Adds where devices come from: a warning, unless the caller chose it.
  package mutating func addDevices(_ notice: String, _ options: ReadingOptions) {
    if options.identifierField == nil { warnings.append(notice) } else { notes.append(notice) }
  }

  /// All that there is, which is not said again.
  package mutating func take() -> TrackRemarks {
    defer { self = TrackRemarks() }
    return self
  }
}

/// The chunks of one input, in order.
package protocol TrackSource: AnyObject {
  /// The next chunk; nil at the end.
  func next() throws -> TrackChunk?
  /// Starts at `position`, the end of a chunk of an earlier run; to be called before ``next()``.
  func seek(to position: TrackPosition) throws
  /// How many bytes of the file have been read, as stored; nil where that is not known.
  var consumedByteCount: Int? { get }
  /// How many bytes of an unfinished line have been left at the end.
  var unfinishedByteCount: Int { get }
}

/// What a source needs to know of the input it reads.
package struct TrackInput {
  /// The file's index among the inputs, its path, and the device of its fixes where nothing in it names one.
  package var file: Int
  package var path: String
  package var fallbackDevice: String
  package var options: ReadingOptions
  /// What there is to say of the file, with its first chunk.
  var remarks = TrackRemarks()
  /// What helps where fixes are out of order.
  var orderCure = Cure.sort

  package init(file: Int, path: String, fallbackDevice: String, options: ReadingOptions) {
    self.file = file
    self.path = path
    self.fallbackDevice = fallbackDevice
    self.options = options
  }
}

extension TrackInput {
  func chunk(_ content: TrackChunk.Content, _ offsets: Range<Int>, firstNumber: Int? = nil) -> TrackChunk {
    TrackChunk(
      content: content, file: file, path: path, offsets: offsets, firstNumber: firstNumber,
      remarks: offsets.lowerBound == 0 ? remarks : TrackRemarks(), orderCure: orderCure)
  }

  /// What stands for a line that is longer than any may be: a bad row.
  func overlongLine(_ message: String) -> TrackChunk.Content {
    var rows = TrackRows(options)
    rows.reject(0, RowFault(message))
    rows.lineCount = 1
    return .rows(rows)
  }

  /// A chunk of features that have been read.
  package func chunk(_ rows: TrackRows, _ offsets: Range<Int>, firstNumber: Int) -> TrackChunk {
    chunk(.rows(rows), offsets, firstNumber: firstNumber)
  }

  /// The same input, whose format has no names for its fields: the options that name some mean nothing.
  private func withoutNames(_ format: String) -> TrackInput {
    var input = self
    let names = [
      options.identifierField, options.timeField, options.latitudeField, options.longitudeField,
      options.accuracyField,
    ]
    input.remarks.notes = names.compactMap { $0 }.map {
      "no column \"\($0)\": \(format) has no columns with names"
    }
    return input
  }

  /// Opens the source of the input, whose first bytes decide what it is.
  ///
  /// - Parameters:
  ///   - blocks: The input's bytes, from the first.
  ///   - openFeatures: Opens what is no text: files of features.
  /// - Throws: ``FormatError``; what `openFeatures` throws.
  package func open(
    _ blocks: consuming BlockReader, features openFeatures: () throws -> any TrackSource
  ) throws -> any TrackSource {
    var reader = blocks
    switch try InputKind.sniff(&reader, tracks: true) {
    case .csv: return try CSVTrackSource(reader, self)
    case .jsonLines: return try JSONTrackSource(reader, self)
    case .plt: return PLTTrackSource(reader, withoutNames("PLT"))
    case .nmea:
      return SequentialTrackSource(
        reader, withoutNames("NMEA 0183"),
        NMEAParser(device: fallbackDevice, ignoresChecksums: options.ignoresChecksums))
    case .gpx:
      var input = withoutNames("GPX")
      input.orderCure = .sortTracks
      return SequentialTrackSource(reader, input, GPXParser(self))
    case .ogr: return try openFeatures()
    }
  }
}
