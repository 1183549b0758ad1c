internal import CLibrary

/// A call to the file system that failed.
package struct FileError: Error, Equatable {
  /// What was tried, as a verb: `open`, `read`.
  package let operation: String
  package let path: String
  /// The system's number of the error (`errno`).
  package let code: Int32
  /// What was wrong; the system's own words where it was the system that refused.
  package let message: String

  /// An error with these words; by default the last one that the system has reported to this thread.
  init(_ operation: String, _ path: String, code: Int32 = errno, message: String? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    self.message = unsafe message ?? strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }

  /// The last error that the system has reported to this thread.
  package static func last(_ operation: String, _ path: String) -> FileError { FileError(operation, path) }

  package static func notRegular(_ operation: String, _ path: String) -> FileError {
    FileError(operation, path, code: EINVAL, message: "not a regular file")
  }

  /// Symbolic links that lead in a circle.
  package static func tooManyLinks(_ path: String) -> FileError { FileError("resolve", path, code: ELOOP) }

  package var isMissing: Bool { code == ENOENT }
  /// Whether what was to be made is there already.
  package var exists: Bool { code == EEXIST }
  /// Whether nobody reads the pipe that was written to.
  package var isBrokenPipe: Bool { code == EPIPE }
}

extension FileError: CustomStringConvertible {
  package var description: String { "cannot \(operation) \(path): \(message)" }
}
