import VicinityFormats
import VicinityGeodesy

/// The positions to ask about, with the identifiers that the output names them by.
enum QueryPoints {
  /// The single position of `--at`, whose identifier is `at`.
  static func at(_ position: Coordinate) -> PointSet {
    var points = PointSet()
    points.identifiers = ["at"]
    points.coordinates = [position]
    return points
  }

  /// The points in the file at `path`, or on standard input if that is `-`; an empty file is no points, with a note.
  ///
  /// Prints the reader's warnings and what it skipped.
  static func read(_ path: String, options: ReadingOptions, progress: ProgressMeter) throws -> PointSet {
    progress.stage("reading points")
    if path != "-", System.file(at: path) == nil { throw CommandFailure("no such file", at: path) }
    let name = path == "-" ? "standard input" : path
    var options = options
    options.progress = progress.readingProgress
    var points = PointSet()
    do {
      let reading = try PointReader.read(path, options: options)
      Notices.print(reading)
      points = reading.content
    } catch FormatError.empty {
    } catch {
      throw CommandFailure(error, at: name)
    }
    if points.coordinates.isEmpty { Notices.print("note", "no points (\(name))") }
    return points
  }
}
