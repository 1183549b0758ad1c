import ArgumentParser

/// The tracks to work on, and how to read them.
struct TrackArguments: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: .value(
      "file",
      """
      Tracks: CSV (device,time,latitude,longitude and perhaps accuracy,speed,course), GPX, GeoLife PLT, NMEA, other vector \
      files, gzip of these; files, folders, patterns; - for standard input.
      """),
    completion: .file())
  var tracks: [String]

  @OptionGroup var reading: TrackReadingArguments
}
