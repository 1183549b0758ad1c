import CLibrary
import Dispatch
import VicinityRuns

/// Removes unfinished output when a signal stops the process.
///
/// SIGINT, SIGTERM and SIGHUP are blocked in every thread and waited for on one, so what runs then is
/// ordinary code, not a signal handler: it removes half-written files and leaves with 128 + signal.
enum SignalGuard {
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

  /// Removes what is unfinished and ends the process.
  private static func leave(with code: CInt) {
    UnfinishedWork.abandon { words in
      System.printError("vicinity: note: interrupted\(words.map { "; \($0)" } ?? "")\n")
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
