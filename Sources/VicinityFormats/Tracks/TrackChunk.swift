internal import VicinityCrossings
internal import VicinityIndex

/// A part of an input that can be parsed on its own, on any thread.
///
/// Where chunks begin and end depends only on the input and on ``ReadingOptions/chunkByteCount``.
struct TrackChunk: Sendable {
  enum Content: Sendable {
    case csv(ByteBlock, CSVTrackColumns)
    case jsonLines(ByteBlock, JSONTrackNames)
    case plt(ByteBlock, device: String, headerLines: Int)
    case rows(TrackRows)
  }

  var content: Content
  /// The file's index and path.
  var file: Int
  var path: String
  var layer: String?
  /// The chunk's bytes or features.
  var offsets: Range<Int>
  /// The line of the chunk's first row, where it does not follow from the chunk before.
  var firstNumber: Int?
  /// What was assumed about the file, to be reported with this chunk.
  var warnings: [String] = []
  /// What the caller chose in the file, to be reported with this chunk.
  var notes: [String] = []

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
  static func parse(
    _ chunks: [TrackChunk], options: ReadingOptions, known: DeviceNames, threads: Int
  ) -> [TrackRows] {
    Parallel.map(chunks.count, threads: threads) { chunks[$0].parsed(options, known: known) }
  }
}

/// The chunks of one input, in order.
protocol TrackSource: AnyObject {
  /// The next chunk; nil at the end.
  func next() throws -> TrackChunk?
  /// Starts at `position`, the end of a chunk of an earlier run; to be called before ``next()``.
  func seek(to position: TrackPosition) throws
  /// How many bytes of the file have been read, as stored; nil where that is not known.
  var consumedByteCount: Int? { get }
}

/// What a source needs to know of the input it reads.
struct TrackInput {
  /// The file's index among the inputs, its path, and the device of its fixes where nothing in it names one.
  var file: Int
  var path: String
  var fallbackDevice: String
  var options: ReadingOptions
  /// What there is to say of the file, with its first chunk.
  var notes: [String] = []
}

extension TrackInput {
  func chunk(_ content: TrackChunk.Content, _ offsets: Range<Int>, firstNumber: Int? = nil) -> TrackChunk {
    TrackChunk(
      content: content, file: file, path: path, offsets: offsets, firstNumber: firstNumber,
      notes: offsets.lowerBound == 0 ? notes : [])
  }

  /// The same input, whose format has no names for its fields: the options that name some mean nothing.
  private func withoutNames(_ format: String) -> TrackInput {
    var input = self
    let names = [options.identifierField, options.timeField, options.latitudeField, options.longitudeField]
    input.notes = names.compactMap { $0 }.map { "no column \"\($0)\": \(format) has no columns with names" }
    return input
  }

  /// Opens the source of the input, whose first bytes decide what it is.
  ///
  /// - Throws: ``FormatError``
  func open() throws -> any TrackSource {
    var reader = BlockReader(
      try ByteSource(path), blockByteCount: options.chunkByteCount, isEager: options.follows)
    switch try InputKind.sniff(&reader, tracks: true) {
    case .csv: return try CSVTrackSource(reader, self)
    case .jsonLines: return try JSONTrackSource(reader, self)
    case .plt: return PLTTrackSource(reader, withoutNames("PLT"))
    case .nmea:
      return SequentialTrackSource(
        reader, withoutNames("NMEA 0183"),
        NMEAParser(device: fallbackDevice, ignoresChecksums: options.ignoresChecksums))
    case .gpx: return SequentialTrackSource(reader, withoutNames("GPX"), GPXParser(self))
    case .ogr: return try OGRTrackSource(reader.source, self)
    }
  }
}
