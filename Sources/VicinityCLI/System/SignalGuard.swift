import CLibrary
import Dispatch
import Synchronization

/// Removes unfinished output when a signal stops the process.
///
/// SIGINT, SIGTERM and SIGHUP are blocked in every thread and waited for on one, so what runs then is
/// ordinary code, not a signal handler: it removes half-written files and leaves with 128 + signal.
enum SignalGuard {
  private struct Unfinished {
    /// Directories that go with all that is in them.
    var directories: [String] = []
    /// Directories that go if nothing is in them.
    var empty: [String] = []
    /// What is said at the end.
    var lastWords: String?
  }

  private static let unfinished = Mutex(Unfinished())

  /// Blocks the signals and starts waiting for them. Called once, before any other thread starts.
  static func install() {
    _ = signal(SIGPIPE, SIG_IGN)
    // Beyond the largest file that is allowed, writing fails with an error code.
    _ = signal(SIGXFSZ, SIG_IGN)
    var stopping = sigset_t()
    unsafe sigemptyset(&stopping)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // A signal ignored by the parent (`nohup`) stays ignored.
      if !isIgnored(number) { unsafe _ = sigaddset(&stopping, number) }
    }
    unsafe _ = pthread_sigmask(SIG_BLOCK, &stopping, nil)
    let waited = stopping
    DispatchQueue(label: "signals").async {
      var number: CInt = 0
      var set = waited
      while unsafe sigwait(&set, &number) != 0 {}
      ProgressMeter.clearLine()
      leave(with: 128 + number)
    }
  }

  /// Makes a directory for unfinished output; there is no moment at which it exists unregistered.
  static func making(_ make: () -> (path: String, error: CInt)) -> (path: String, error: CInt) {
    unfinished.withLock { unfinished in
      let made = make()
      if made.error == 0 { unfinished.directories.append(made.path) }
      return made
    }
  }

  /// Makes a directory that is removed if nothing comes to be in it.
  static func makingEmpty(_ path: String, _ make: () -> Bool) -> Bool {
    unfinished.withLock { unfinished in
      let isMade = make()
      if isMade { unfinished.empty.append(path) }
      return isMade
    }
  }

  /// Forgets a directory that is gone, or is there to stay.
  static func unregister(_ directory: String) {
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

  /// Removes what is unfinished and ends the process; the lock is kept, so that nothing new begins.
  private static func leave(with code: CInt) {
    unfinished.withLock { unfinished in
      for directory in unfinished.directories { System.removeDirectory(directory) }
      for directory in unfinished.empty { System.removeEmptyDirectory(directory) }
      if let words = unfinished.lastWords { System.printError("vicinity: note: interrupted; \(words)\n") }
      _exit(code)
    }
  }

  private static func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #elseif canImport(Musl)
      let handler = unsafe action.__sa_handler.sa_handler
    #else
      let handler = unsafe action.__sigaction_u.__sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
  }
}
