/// A part of an input that can be parsed on its own, on any thread.
///
/// Where chunks begin and end depends on the input and ``TrackReader/Options/chunkByteCount`` alone.
package struct TrackChunk: Sendable {
  enum Content: Sendable {
    case csv(ByteBlock, CSVTrackColumns)
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
  /// What was assumed, to be told with this chunk.
  var warnings: [String] = []

  /// The chunk's rows.
  ///
  /// - Parameter known: devices that have their numbers already.
  /// - Complexity: O(bytes)
  func parsed(_ options: TrackReader.Options, known: DeviceTable?) -> TrackRows {
    switch content {
    case .csv(let block, let columns):
      CSVTrackParser.parse(block, columns: columns, options: options, known: known)
    case .plt(let block, let device, let headerLines):
      PLTParser.parse(block, device: device, headerLines: headerLines, options: options, known: known)
    case .rows(let rows): rows
    }
  }
}

/// The chunks of one input, in order.
protocol TrackSource: AnyObject {
  /// The next chunk; nil at the end.
  func next() throws -> TrackChunk?
  /// Goes on at `position`, which is the end of a chunk read before; to be called before ``next()``.
  func seek(to position: TrackPosition) throws
  /// How many bytes have been read as they lie on the disk; nil where that is not known.
  var consumedByteCount: Int? { get }
}

/// What a source is to know of the input it reads.
struct TrackInput {
  /// The file's index among the inputs, its path, and the device of its fixes where nothing in it names one.
  var file: Int
  var path: String
  var fallbackDevice: String
  var options: TrackReader.Options
}

extension TrackInput {
  func chunk(_ content: TrackChunk.Content, _ offsets: Range<Int>, firstNumber: Int? = nil) -> TrackChunk {
    TrackChunk(content: content, file: file, path: path, offsets: offsets, firstNumber: firstNumber)
  }

  /// Opens the source of the input: what it is, its first bytes decide.
  ///
  /// - Throws: ``FormatError``
  func open() throws -> any TrackSource {
    var reader = BlockReader(
      try ByteSource(path), blockByteCount: options.chunkByteCount, isEager: options.follows)
    switch try TrackKind.sniff(&reader) {
    case .csv: return try CSVTrackSource(reader, self)
    case .plt: return PLTTrackSource(reader, self)
    case .nmea: return NMEATrackSource(reader, self)
    case .gpx: return GPXTrackSource(reader, self)
    case .ogr: return try OGRTrackSource(reader.source, self)
    }
  }
}
