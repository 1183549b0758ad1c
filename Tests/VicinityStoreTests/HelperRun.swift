#if Store
  import Foundation
  import VicinityTestSupport

  /// The process `VicinityStoreHelper`, started by a test: what it said, and whether it was killed.
  final class HelperRun {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest: [UInt8] = []

    init(_ arguments: [String]) throws {
      process.executableURL = try BuiltExecutable.url("VicinityStoreHelper")
      process.arguments = arguments
      process.standardInput = input
      process.standardOutput = output
      try process.run()
    }

    deinit {
      if process.isRunning { kill() }
    }

    /// The next line; nil when the process has ended.
    func line() -> String? {
      while true {
        if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          defer { rest.removeFirst(end + 1) }
          return String(decoding: rest[..<end], as: UTF8.self)
        }
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { return nil }
        rest += more
      }
    }

    /// All lines until the process ends.
    func lines() -> [String] {
      var lines: [String] = []
      while let line = line() { lines.append(line) }
      process.waitUntilExit()
      return lines
    }

    /// Ends the process as the system does that needs its memory: at any instruction.
    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Lets a process end that waits for its input's end.
    func closeInput() { try? input.fileHandleForWriting.close() }

    /// Whether a signal ended it.
    var wasKilled: Bool {
      process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }
  }
#endif
