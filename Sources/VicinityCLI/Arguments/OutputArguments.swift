import ArgumentParser
import VicinityRuns

/// Where a command writes its answer.
struct FileOutputArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: .value(
      "file",
      """
      Where to write (default: -, which is standard output). A file appears whole or not at all, and \
      replaces a file of that name.
      """
    ),
    completion: .file(),
    transform: { OutputPlace($0) == .standardOutput ? "-" : $0 })
  var output = "-"

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output must name a file, or be -") }
  }

  /// The format of the answer: the one that was asked for, or that of the file's ending, or the usual one.
  func format<Format: RawRepresentable<String>>(_ asked: Format?, usual: Format) -> Format {
    asked ?? Format(rawValue: ending) ?? usual
  }

  /// - Throws: A `ValidationError` where nothing was asked for, and the file's ending is that of a format
  ///   which is not written, and where the ending is that of a packed file.
  func checkEnding<Format: RawRepresentable<String> & CaseIterable>(_ asked: Format?) throws {
    let formats = Format.allCases.map(\.rawValue)
    try checkEnding(
      asked == nil ? formats : nil, "--format is one of \(formats.joined(separator: ", "))")
  }

  /// - Throws: A `ValidationError` where the file's ending is that of something else than CSV.
  func checkEndingOfCSV() throws { try checkEnding(["csv"], "CSV is") }

  /// - Parameter formats: Those that are written; `nil` for a format that somebody has asked for, under
  ///   whatever name.
  private func checkEnding(_ formats: [String]?, _ remedy: String) throws {
    if Self.packedEndings.contains(ending) {
      throw ValidationError(
        "--output ends in .\(ending), which is not written; without --output a packing program can take the answer"
      )
    }
    guard let formats, Self.endings.contains(ending), !formats.contains(ending) else { return }
    throw ValidationError("--output ends in .\(ending), which is not written; \(remedy)")
  }

  private var ending: String {
    (output.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? "").lowercased()
  }

  /// Of formats that people may expect.
  private static let endings: Set<String> = [
    "arrow", "csv", "feather", "fgb", "geojson", "geojsonl", "geojsons", "gpkg", "gpx", "html", "json",
    "jsonl", "kml", "kmz", "ndjson", "ods", "parquet", "shp", "sqlite", "topojson", "tsv", "xls", "xlsx",
  ]

  private static let packedEndings: Set<String> = ["bz2", "gz", "xz", "zip", "zst"]
}

/// The directory that a command writes files to besides its answer.
struct DirectoryOutputArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: .value(
      "directory",
      "The directory for the files; made if it does not exist. Files of the same names are replaced, each as a whole."
    ),
    completion: .directory)
  var output: String?

  func validate() throws {
    if output?.isEmpty == true || output == "-" { throw ValidationError("--output must name a directory") }
  }
}
