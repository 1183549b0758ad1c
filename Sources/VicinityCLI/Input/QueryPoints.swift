import VicinityFormats
import VicinityGeodesy

/// The positions to ask about, with the identifiers they carry into the output.
struct QueryPoints: Sendable {
  var identifiers: [String]
  var coordinates: [Coordinate]

  /// The single position of `--at`, whose identifier is `at`.
  init(at position: Coordinate) {
    identifiers = ["at"]
    coordinates = [position]
  }

  /// The points in the file at `path`, or on standard input where that is `-`; what the reader warned
  /// about or skipped is printed on standard error. An empty file is no points, with a note.
  init(contentsOf path: String, skipInvalid: Bool, progress: ProgressMeter) throws {
    progress.stage("reading points")
    if path != "-", System.file(at: path) == nil {
      throw CommandFailure("no such file", at: path)
    }
    var options = PointReader.Options()
    options.skipInvalid = skipInvalid
    options.progress = { [weak progress] reading in
      if let fraction = reading.fraction { progress?.update(fraction: fraction) }
      return true
    }
    do {
      let reading = try PointReader.read(path, options: options)
      Notices.print(
        warnings: reading.warnings, warningCount: reading.warningCount,
        skipped: reading.skipped, skippedCount: reading.skippedCount)
      identifiers = reading.identifiers
      coordinates = reading.coordinates
    } catch FormatError.empty {
      identifiers = []
      coordinates = []
    } catch {
      throw CommandFailure(error, at: path == "-" ? "standard input" : path)
    }
    if coordinates.isEmpty {
      Notices.print("note", "no points (\(path == "-" ? "standard input" : path))")
    }
  }
}
