// A process for the store's tests to start and kill; see `HelperRun`.
//
//   run FOLDER SEED FROM COUNT KILL TORN commits FROM ..< COUNT of a script, a line after each; killed before
//                                            SQLite's KILLth change to a file, with half of it made if TORN is 1
//   fail FOLDER SEED COUNT FROM FAILING the same with no room for FAILING changes from the FROMth on, each
//   commit
//                                            tried again until it is through
//   hold FOLDER NAME                         opens a store and waits for the end of standard input
//   read-only FOLDER NAME                    opens a store as a user who may only read
#if Store
  import Foundation
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  @main
  struct Helper {
    static func main() throws {
      let arguments = Array(CommandLine.arguments.dropFirst())
      let numbers = arguments.map { Int($0) ?? 0 }
      switch (arguments.first, arguments.count) {
      case ("run", 7):
        SystemCalls.replace()
        unsafe SystemCalls.killed = numbers[5]
        unsafe SystemCalls.isTorn = numbers[6] == 1
        try run(arguments[1], seed: UInt64(numbers[2]), commits: numbers[3]..<numbers[4])
      case ("fail", 6):
        SystemCalls.replace()
        unsafe SystemCalls.failing = numbers[4]..<numbers[4] + numbers[5]
        try fail(arguments[1], seed: UInt64(numbers[2]), count: numbers[3])
      case ("hold", 3):
        var store: (any RecordStore)?
        say(outcome { store = try SQLiteRecords(folder: arguments[1]).open(arguments[2]) })
        while readLine() != nil {}
        store?.close()
      case ("read-only", 3):
        // Root may write anywhere.
        if geteuid() == 0 { seteuid(65534) }
        say(outcome { _ = try SQLiteRecords(folder: arguments[1]).open(arguments[2]).load() })
      default:
        say("wrong arguments")
        exit(2)
      }
    }

    /// A line on standard output, at once.
    static func say(_ line: String) {
      try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    static func outcome(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "success"
      } catch let error as RecordStoreError {
        switch error {
        case .alreadyOpen: return "alreadyOpen"
        case .unavailable: return "unavailable"
        default: return "\(error)"
        }
      } catch {
        return "\(error)"
      }
    }

    static func run(_ folder: String, seed: UInt64, commits: Range<Int>) throws {
      let store = try SQLiteRecords(folder: folder, checkpointInterval: 20).open("script")
      say("open")
      for (i, commit) in RecordScript(seed: seed).prefix(commits.upperBound).enumerated()
      where i >= commits.lowerBound {
        try store.commit(commit)
        say("\(i)")
      }
      store.close()
      say("closed, \(unsafe SystemCalls.count) calls")
    }

    /// Says `success`, or what was wrong.
    static func fail(_ folder: String, seed: UInt64, count: Int) throws {
      let records = SQLiteRecords(folder: folder, checkpointInterval: 20)
      var failures = 0
      func again<R>(_ body: () throws -> R) throws -> R {
        while true {
          do {
            return try body()
          } catch RecordStoreError.unavailable {
            failures += 1
          }
        }
      }
      let store = try again { try records.open("script") }
      var stored = try again { try store.load() }
      for commit in RecordScript(seed: seed).prefix(count) {
        try again {
          do {
            try store.commit(commit)
          } catch {
            guard try again({ try store.load() }) == stored else {
              say("something of a failed commit is stored")
              exit(1)
            }
            throw error
          }
        }
        for change in commit { stored.apply(change) }
      }
      guard try again({ try store.load() }) == stored else {
        say("other contents")
        exit(1)
      }
      store.close()
      say("success, \(unsafe SystemCalls.count) calls, \(failures) failures")
    }
  }
#else
  @main
  struct Helper {
    static func main() { print("built without the trait Store") }
  }
#endif
