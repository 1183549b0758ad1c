import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityRuns

/// The positions to ask about, with the identifiers that the output names them by.
enum QueryPoints {
  /// The single position of `--at`, whose identifier is `at`.
  case at(Coordinate)
  /// The points in a file, or on standard input if the path is `-`; a header alone is no
  /// points, with a note.
  case file(path: String, ReadingOptions)

  /// Calls `body` with the next points, `batchSize` of them in each batch but the last. Memory does not grow
  /// with the file.
  ///
  /// Prints the reader's warnings and what it skipped when all has been read.
  func forEachBatch(_ batchSize: Int, _ progress: ProgressMeter, _ body: (PointSet) throws -> Void) throws {
    switch self {
    case .at(let position):
      var points = PointSet()
      points.identifiers = ["at"]
      points.coordinates = [position]
      try body(points)
    case .file(let path, var options):
      let name = path == "-" ? "standard input" : path
      options.progress = progress.readingProgress
      var count = 0
      do {
        let reading = try PointReader.read(path, options: options, batchSize: batchSize, body)
        Notices.print(reading, identifierOption: "--point-id-field")
        count = reading.content
        // Neither an answer nor an output, where whatever was asked about has been skipped.
        if count == 0, reading.skipped.count > 0 {
          throw CommandFailure("no points: all rows and features are bad", at: name)
        }
      } catch let error as FormatError {
        throw CommandFailure(error, at: name)
      }
      if count == 0 { Notices.print("note", "no points (\(name))") }
    }
  }

  /// Throws where there is no such file, before anything else is done.
  func check() throws {
    if case .file(let path, _) = self, path != "-", !FileSystem.exists(path) {
      throw CommandFailure("no such file", at: path)
    }
  }
}
