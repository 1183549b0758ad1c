import Foundation
import Synchronization
import VicinityTestSupport

/// The built `vicinity` run as a process: what it printed and how it ended.
struct CommandRun {
  var status: Int32
  /// Whether it ended by itself or by a signal, whose number is the status then.
  var reason: Process.TerminationReason
  var output: String
  var errors: String

  /// The executable, beside the test bundle that this code runs in.
  static var executable: URL? { try? BuiltExecutable.url("vicinity") }

  /// A process not yet started, its environment free of what would change the output.
  static func process(
    of program: String = "vicinity", _ arguments: [String], in directory: URL? = nil
  ) throws -> Process {
    let process = Process()
    process.executableURL = try BuiltExecutable.url(program)
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = directory }
    var environment = ProcessInfo.processInfo.environment
    environment["COLUMNS"] = "80"
    environment["NO_COLOR"] = nil
    process.environment = environment
    return process
  }

  /// Runs a program with `arguments`, `input` on standard input.
  init(
    of program: String = "vicinity", _ arguments: [String], input: String = "", in directory: URL? = nil
  ) throws {
    let process = try Self.process(of: program, arguments, in: directory)
    let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.run()
    // All three pipes move at once: none may wait for another.
    let results = Mutex<(Data, Data)>((Data(), Data()))
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      let data = standardOutput.fileHandleForReading.readDataToEndOfFile()
      results.withLock { $0.0 = data }
    }
    DispatchQueue.global().async(group: group) {
      let data = standardError.fileHandleForReading.readDataToEndOfFile()
      results.withLock { $0.1 = data }
    }
    standardInput.fileHandleForWriting.send(input)
    try? standardInput.fileHandleForWriting.close()
    group.wait()
    process.waitUntilExit()
    status = process.terminationStatus
    reason = process.terminationReason
    (output, errors) = results.withLock {
      (String(decoding: $0.0, as: UTF8.self), String(decoding: $0.1, as: UTF8.self))
    }
  }
}

extension FileHandle {
  /// Writes to a pipe whose reader may end without having read all: no signal ends the tests then.
  func send(_ text: String) {
    var (pipe, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    if (try? write(contentsOf: Data(text.utf8))) == nil {
      // The signal that came meanwhile is taken here.
      var (pending, number) = (sigset_t(), Int32(0))
      unsafe sigpending(&pending)
      if unsafe sigismember(&pending, SIGPIPE) == 1 { unsafe sigwait(&pipe, &number) }
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

/// A directory for one test, removed with it.
final class TemporaryDirectory {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("vicinity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file; its path.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

  /// Writes a file; its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = url.appendingPathComponent(name)
    try Data(bytes).write(to: file)
    return file.path
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
  }
}
