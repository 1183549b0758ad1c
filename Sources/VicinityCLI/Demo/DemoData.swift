import VicinityRuns

/// Finds the data that come with the program.
enum DemoData {
  /// A file by which the directory is recognised.
  static let ride = "rides/activity_4801048867.gpx.gz"

  /// The directory `wanted`, or else `Data` in the working directory or in a directory above the program.
  ///
  /// - Throws: ``CommandFailure`` where there is none.
  static func find(_ wanted: String?) throws -> String {
    if let wanted {
      guard System.file(at: "\(wanted)/\(ride)") != nil else {
        throw CommandFailure("not the data that come with the program", at: wanted)
      }
      return wanted
    }
    var candidates = ["Data"]
    var path = System.resolved(CommandLine.arguments.first ?? "")
    while let slash = path.lastIndex(of: "/") {
      path = String(path[..<slash])
      candidates.append("\(path)/Data")
    }
    for candidate in candidates where System.file(at: "\(candidate)/\(ride)") != nil { return candidate }
    throw CommandFailure("the data that come with the program are not found; say where with --data")
  }
}
