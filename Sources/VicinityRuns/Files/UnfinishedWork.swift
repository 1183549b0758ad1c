internal import Synchronization

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
  package static func making(_ make: () -> (path: String, error: CInt)) -> (path: String, error: CInt) {
    unfinished.withLock { unfinished in
      let made = make()
      if made.error == 0 { unfinished.directories.append(made.path) }
      return made
    }
  }

  /// Makes a directory that is removed if nothing comes to be in it.
  package static func makingEmpty(_ path: String, _ make: () -> Bool) -> Bool {
    unfinished.withLock { unfinished in
      let isMade = make()
      if isMade { unfinished.empty.append(path) }
      return isMade
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
      for directory in unfinished.directories { System.removeDirectory(directory) }
      for directory in unfinished.empty { System.removeEmptyDirectory(directory) }
      leave(unfinished.lastWords)
    }
  }
}
