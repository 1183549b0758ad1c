import VicinityFormats
import VicinityIndex
import VicinityRuns

/// Finds the data that come with the program.
enum DemoData {
  /// A file by which the directory is recognised.
  static let ride = "rides/activity_4801048867.gpx.gz"

  /// The directory `wanted`, or else `Data` in the working directory, in a directory above the program, or in
  /// its share/vicinity, where packages put it: the program in PREFIX/bin, the data in PREFIX/share/vicinity.
  ///
  /// - Throws: ``CommandFailure`` where there is none.
  static func find(_ wanted: String?) throws -> String {
    if let wanted {
      guard FileSystem.exists("\(wanted)/\(ride)") else {
        throw CommandFailure("not the data that come with the program", at: wanted)
      }
      return wanted
    }
    var candidates = ["Data"]
    var path = FileSystem.resolved(program())
    while let slash = path.lastIndex(of: "/") {
      path = String(path[..<slash])
      candidates += ["\(path)/Data", "\(path)/share/vicinity/Data"]
    }
    for candidate in candidates where FileSystem.exists("\(candidate)/\(ride)") { return candidate }
    throw CommandFailure("the data that come with the program are not found; say where with --data")
  }

  /// The program's file: as it was called, or, where it was called by name alone, the first of that name on
  /// the path.
  private static func program() -> String {
    let name = CommandLine.arguments.first ?? ""
    if name.contains("/") { return name }
    let folders = System.environment("PATH")?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { FileSystem.exists($0) } ?? name
  }
}
