import Foundation
import Testing

@testable import VicinityCLI

/// Whether there is a way to run a command on a terminal.
private let hasTerminal = (try? Shell("script -qec true /dev/null </dev/null").status) == 0

/// What a terminal gets to see; `script` (util-linux) provides one.
@Suite(.enabled(if: hasTerminal, "no script(1) of util-linux here"))
struct TerminalTests {
  private let directory: TemporaryDirectory
  private let command: String

  init() throws {
    directory = try TemporaryDirectory()
    let file = try directory.write(
      "id,latitude,longitude,radius\na name that does not fit into thirty-four columns,1,2,3\n",
      to: "regions.csv")
    command = "'\(try #require(CommandRun.executable?.path))' nearest '\(file)'"
  }

  /// What `line` shows on a terminal of 40 columns.
  private func shown(_ line: String) throws -> String {
    let script = try directory.write(
      "unset COLUMNS NO_COLOR; export TERM=xterm\nstty cols 40\n\(line)\n", to: "run.sh")
    return try Shell("script -qec 'sh \(script)' /dev/null < /dev/null").output
      .replacing("\r\n", with: "\n")
  }

  @Test func tablesFitAndStandOut() throws {
    #expect(
      try shown("\(command) --at 1,2")
        == """
        \u{1B}[1mrank  region    boundary (m)  centre (m)\u{1B}[0m
           1  a name …        -3.000       0.000

        """)
    #expect(try !shown("NO_COLOR=1 \(command) --at 1,2").contains("\u{1B}"))
    #expect(try shown("\(command) --at 1,2 | cat").contains("thirty-four columns"))
  }

  @Test func progressShowsAndGoes() throws {
    let clear = "\r\u{1B}[K"
    let slow = "(sleep 1.6; printf 'id,latitude,longitude\\np,1,2\\n') | \(command) --points - -f csv -c 0"
    let output = try shown(slow)
    #expect(output.contains("\(clear)searching (1 s)\(clear)"))
    #expect(output.hasSuffix("\(clear)query,rank,region,boundary_distance,centre_distance\n"))
    #expect(try !shown("\(slow) 2>&1 | cat").contains(clear))
  }
}
