internal import Synchronization
internal import VicinityFormats
package import VicinityIndex

/// What must not be left behind when the process ends early: directories of half-written output, and what is
/// to be said then.
package enum UnfinishedWork {
  private struct Unfinished {
    /// Directories that go with all that is in them.
    var directories: [String] = []
    /// Directories that go if nothing is in them.
    var empty: [String] = []
    /// What is said at the end.
    var lastWords: String?
  }

  private static let unfinished = Mutex(Unfinished())

  /// Makes a directory for unfinished output; there is no moment at which it exists unregistered.
  ///
  /// - Parameter prefix: Its path but for the last letters.
  package static func makeDirectory(prefix: String) throws(FileError) -> String {
    try unfinished.withLock { unfinished throws(FileError) in
      let path = try FileSystem.makeDirectory(prefix: prefix)
      unfinished.directories.append(path)
      return path
    }
  }

  /// Makes a directory that is removed if nothing comes to be in it.
  ///
  /// - Returns: Whether it was made; false where it was there.
  package static func makeEmptyDirectory(_ path: String) throws(FileError) -> Bool {
    try unfinished.withLock { unfinished throws(FileError) in
      guard FileSystem.status(of: path)?.kind != .directory else { return false }
      try FileSystem.makeDirectory(path)
      unfinished.empty.append(path)
      return true
    }
  }

  /// Forgets a directory that is gone, or is there to stay.
  package static func unregister(_ directory: String) {
    unfinished.withLock { unfinished in
      unfinished.directories.removeAll { $0 == directory }
      unfinished.empty.removeAll { $0 == directory }
    }
  }

  /// What is said when a signal ends the process: what has been kept, and how to go on.
  static var lastWords: String? {
    get { unfinished.withLock { $0.lastWords } }
    set { unfinished.withLock { $0.lastWords = newValue } }
  }

  /// Removes what is unfinished and ends the process by `leave`, which is told the last words. Nothing new
  /// begins meanwhile.
  package static func abandon(_ leave: (_ lastWords: String?) -> Never) {
    unfinished.withLock { unfinished in
      for directory in unfinished.directories { FileSystem.removeDirectory(directory) }
      for directory in unfinished.empty { FileSystem.removeEmptyDirectory(directory) }
      leave(unfinished.lastWords)
    }
  }
}
