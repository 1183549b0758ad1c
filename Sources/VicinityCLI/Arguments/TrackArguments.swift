import ArgumentParser

struct TrackArguments: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: .value(
      "file",
      """
      Tracks: CSV or lines of JSON (device,time,latitude,longitude and perhaps accuracy,speed,course), GPX, \
      GeoLife PLT, NMEA, other vector files, packed by gzip, zstd, xz or bzip2 or not; files, folders, \
      patterns; - for standard input. Parquet and Arrow files are read through Python: \
      Python/docs/FromPython.md.
      """),
    completion: .file())
  var tracks: [String]

  @OptionGroup var reading: TrackReadingArguments
}
