internal import VicinityIndex
internal import VicinityText

extension FormatError {
  init(_ error: FileError) { self = .unreadable(path: error.path, reason: error.message) }

  /// Does `work`; what the file system refuses cannot be read.
  static func reading<Result>(_ work: () throws(FileError) -> Result) throws(FormatError) -> Result {
    do throws(FileError) { return try work() } catch { throw FormatError(error) }
  }
}
