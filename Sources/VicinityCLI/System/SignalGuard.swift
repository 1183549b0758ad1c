import CLibrary
import Dispatch
import Synchronization
import VicinityFormats
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
      System.printError("\(programName): note: interrupted\(words.map { "; \(VisibleText.of($0))" } ?? "")\n")
      _exit(code)
    }
  }

  /// The end of a pipe to write to when memory is gone that an index file was mapped to; negative while there
  /// is none.
  private static let lostMemory = Atomic<CInt>(-1)

  /// Ends the process with an error, and not by a signal, when the index file at `path`, which is mapped into
  /// memory, is cut short from then on. Called before it is mapped.
  ///
  /// A thread that reads beyond the file's new end gets SIGBUS, and cannot go on. Its handler may do next to
  /// nothing: it wakes another thread by a pipe, and waits. What that one does is ordinary code.
  static func expectTruncation(ofIndexAt path: String) {
    guard lostMemory.load(ordering: .relaxed) < 0 else { return }
    var ends: [CInt] = [-1, -1]
    // Without a pipe the system's own way must do: the process ends by the signal.
    guard unsafe pipe(&ends) == 0 else { return }
    let waiting = ends[0]
    lostMemory.store(ends[1], ordering: .releasing)
    DispatchQueue(label: "lost memory").async {
      var byte: UInt8 = 0
      while unsafe read(waiting, &byte, 1) != 1 {}
      ProgressMeter.clearLine()
      UnfinishedWork.abandon { words in
        Notices.print(
          "error",
          ErrorText.message(CommandFailure("the index file was cut short while it was read", at: path)))
        if let words { Notices.print("note", words) }
        _exit(1)
      }
    }
    _ = signal(SIGBUS) { _ in
      // SAFETY: all of this may be called in a handler; the pipe's end was stored before the handler was
      // installed.
      var byte: UInt8 = 0
      unsafe _ = write(SignalGuard.lostMemory.load(ordering: .acquiring), &byte, 1)
      while true { pause() }
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
