import ArgumentParser
import VicinityFormats

/// The tracks to work on, and how to read them.
struct TrackArguments: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Tracks: CSV (device,time,latitude,longitude and perhaps accuracy,speed,course), GPX, GeoLife PLT, NMEA, other vector \
      files, gzip of these; files, folders, patterns; - for standard input.
      """, valueName: "file"),
    completion: .file())
  var tracks: [String]

  @OptionGroup var reading: TrackReadingArguments

  /// Whether fixes are sorted first.
  var sort: Bool { reading.sort }

  /// The reader's options.
  func readerOptions(skipInvalid: Bool, follows: Bool = false) -> ReadingOptions {
    reading.readerOptions(skipInvalid: skipInvalid, follows: follows)
  }

  /// The options as text, for telling one run from another.
  var summary: [String] { reading.summary }
}
