import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is to be undone when the process is told to stop.
///
/// SIGINT, SIGTERM and SIGHUP are blocked in every thread and waited for on one, so what runs then is
/// ordinary code, not a signal handler: it removes half-written files and leaves with 128 + signal.
enum SignalGuard {
  private static let directories = Mutex<[String]>([])

  /// Blocks the signals and starts waiting for them. Called once, before any other thread starts.
  static func install() {
    _ = signal(SIGPIPE, SIG_IGN)
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
    directories.withLock { directories in
      let made = make()
      if made.error == 0 { directories.append(made.path) }
      return made
    }
  }

  /// Forgets a directory that is gone.
  static func unregister(_ directory: String) {
    directories.withLock { $0.removeAll { $0 == directory } }
  }

  /// Removes what is unfinished and ends the process; the lock is kept, so that nothing new begins.
  private static func leave(with code: CInt) {
    directories.withLock {
      for directory in $0 { System.removeDirectory(directory) }
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
