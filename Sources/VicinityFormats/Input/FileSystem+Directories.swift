internal import CLibrary
package import VicinityIndex

/// Directories, which only programs list and make.
extension FileSystem {
  /// The names in the directory at `path` in the order of their bytes, without `.` and `..`.
  package static func names(in path: String) throws(FileError) -> [String] {
    guard let directory = unsafe opendir(path) else { throw .last("list", path) }
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

  /// The paths that match a pattern, in the order of their bytes.
  static func matches(_ pattern: String) -> [String] {
    var result = unsafe glob_t()
    defer { unsafe globfree(&result) }
    guard unsafe glob(pattern, 0, nil, &result) == 0 else { return [] }
    var names: [String] = []
    for i in 0..<(unsafe Int(result.gl_pathc)) {
      if let name = unsafe result.gl_pathv[i] { names.append(unsafe String(cString: name)) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  // MARK: Paths

  /// `path` with symbolic links resolved, also one that leads to where nothing is yet. Where nothing is, only
  /// the last part is resolved; a chain of links without an end stays as it is.
  package static func resolved(_ path: String) -> String {
    let path = (try? followingLinks(path)) ?? path
    guard let pointer = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(pointer) }
    return unsafe String(cString: pointer)
  }

  /// `path` from the root on, symbolic links resolved, whether there is a file or not.
  package static func absolute(_ path: String) -> String {
    let path = resolved(path)
    if exists(path) { return path }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = resolved(parent(of: path))
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The directory of the file at `path`, with a slash at its end.
  package static func parent(of path: String) -> String {
    let directory = directory(of: path)
    return directory.isEmpty ? "./" : directory
  }

  // MARK: Making and removing

  /// Checks that files may be made in the directory at `path`.
  package static func checkWritable(_ path: String) throws(FileError) {
    guard unsafe access(path, W_OK | X_OK) == 0 else { throw .last("write", path) }
  }

  /// Makes a directory at `path` unless there is one.
  package static func makeDirectory(_ path: String) throws(FileError) {
    guard unsafe mkdir(path, 0o777) != 0 else { return }
    let error = FileError.last("make", path)
    guard error.exists, status(of: path)?.kind == .directory else { throw error }
  }

  /// Makes a new directory whose name is `prefix` and six letters; its path.
  package static func makeDirectory(prefix: String) throws(FileError) -> String {
    var template = Array((prefix + "XXXXXX").utf8CString)
    let path = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    guard let path else { throw .last("make", prefix) }
    return path
  }

  package static func removeEmptyDirectory(_ path: String) { _ = unsafe rmdir(path) }

  /// Removes the directory at `path` and the files in it.
  package static func removeDirectory(_ path: String) {
    // A file made between the listing and the removal is found by the next round.
    for _ in 0..<16 {
      for name in (try? names(in: path)) ?? [] { remove("\(path)/\(name)") }
      if unsafe rmdir(path) == 0 || errno != ENOTEMPTY && errno != EEXIST { return }
    }
  }
}
