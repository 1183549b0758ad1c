internal import CLibrary

/// What readers and the command line ask of the system.
package enum SystemCall {
  /// The system's own words for an error code; for the last error of this thread by default.
  package static func message(_ code: Int32 = errno) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  /// The names in the directory at `path` in the order of their bytes, without `.` and `..`; nil if it cannot
  /// be read.
  package static func names(in path: String) -> [String]? {
    guard let directory = unsafe opendir(path) else { return nil }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // SAFETY: d_name is NUL-terminated within its declared capacity.
        unsafe pointer.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
        ) {
          unsafe String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
