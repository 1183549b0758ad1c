import ArgumentParser

struct TrackArguments: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: .value(
      "file",
      """
      Tracks: \(HelpText.tracks). Names of files, folders or patterns, or - for standard input. Files may \
      be packed by gzip, zstd, xz or bzip2. Parquet and Arrow files are read through Python: \
      Python/docs/FromPython.md.
      """),
    completion: .file())
  var tracks: [String]

  @OptionGroup var reading: TrackReadingArguments
}
