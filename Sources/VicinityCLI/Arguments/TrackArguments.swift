import ArgumentParser

struct TrackArguments: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: .value(
      "file",
      """
      Tracks: \(HelpText.tracks). Files, folders, patterns, packed by gzip, zstd, xz or bzip2 or not; - for \
      standard input. Parquet and Arrow files are read through Python: \
      Python/docs/FromPython.md.
      """),
    completion: .file())
  var tracks: [String]

  @OptionGroup var reading: TrackReadingArguments
}
