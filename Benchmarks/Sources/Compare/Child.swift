import Foundation
import Synchronization

/// A program run to its end, measured.
struct Child {
  /// Elapsed seconds.
  var wall: Double
  /// CPU seconds, all threads, user and system.
  var cpu: Double
  /// The most memory it had at a time, bytes.
  var peakMemory: Double

  /// Runs a program, its standard output and error in files, or nowhere.
  ///
  /// - Parameter feed: Writes the program's standard input; without it there is none.
  /// - Throws: What went wrong, with the end of what the program said.
  static func run(
    _ arguments: [String], output: String = "/dev/null", log: String, feed: ((Int32) throws -> Void)? = nil
  ) throws -> Child {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var pipe: [Int32] = [-1, -1]
    if feed != nil {
      guard unsafe Foundation.pipe(&pipe) == 0 else { throw Failure("pipe: errno \(errno)") }
      unsafe posix_spawn_file_actions_adddup2(&actions, pipe[0], 0)
      unsafe posix_spawn_file_actions_addclose(&actions, pipe[0])
      unsafe posix_spawn_file_actions_addclose(&actions, pipe[1])
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)

    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for word in unsafe words { unsafe free(word) } }
    var process: pid_t = 0
    let start = Clock.wall
    let status = unsafe posix_spawn(&process, arguments[0], &actions, nil, &words, environ)
    guard status == 0 else { throw Failure("cannot run \(arguments[0]): errno \(status)") }
    let watch = PeakMemory(of: process)
    var fault: (any Error)?
    if let feed {
      close(pipe[0])
      do { try feed(pipe[1]) } catch { fault = error }
      close(pipe[1])
    }
    var code: Int32 = 0
    var usage = rusage()
    while unsafe wait4(process, &code, 0, &usage) < 0 {
      guard errno == EINTR else { throw Failure("wait4: errno \(errno)") }
    }
    let wall = (Clock.wall - start) / 1e9
    guard code == 0 else {
      let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw Failure("\(arguments.joined(separator: " ")): status \(code): \(said.suffix(500))")
    }
    if let fault { throw fault }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    #if os(Linux)
      let unit = 1024.0
    #else
      let unit = 1.0
    #endif
    return Child(
      wall: wall, cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      peakMemory: watch.stop() ?? Double(usage.ru_maxrss) * unit)
  }
}

/// Watches the most memory that a program has had, for as long as it runs.
///
/// What `wait4` says includes the memory of the process that started the program, which it is part of until
/// it becomes that: on Linux the program's own is read from /proc, fifty times a second.
private final class PeakMemory: Sendable {
  private let largest = Mutex(0.0)
  private let isOver = Atomic(false)

  init(of process: pid_t) {
    #if os(Linux)
      Thread.detachNewThread { [self] in
        while !isOver.load(ordering: .relaxed) {
          if let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = Double(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "")
          {
            largest.withLock { $0 = max($0, 1024 * kilobytes) }
          }
          usleep(20_000)
        }
      }
    #endif
  }

  /// Ends the watch.
  ///
  /// - Returns: Bytes; nil where nothing could be read.
  func stop() -> Double? {
    isOver.store(true, ordering: .relaxed)
    let found = largest.withLock { $0 }
    return found > 0 ? found : nil
  }
}
