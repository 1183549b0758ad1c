import Foundation
import Testing

@testable import VicinityCLI

/// Where output goes, and what is left when it cannot.
@Suite struct OutputFileTests {
  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.write("id,latitude,longitude,radius\na,1,2,3\n", to: "regions.csv")
  }

  private func nearest(to output: String) throws -> CommandRun {
    try CommandRun(
      ["nearest", file, "--at", "1,2", "--format", "csv", "--output", output], in: directory.url)
  }

  @Test func writesAFileWhole() throws {
    try directory.write(
      "what stood here before, and was longer than what comes now, by far and away", to: "out.csv")
    let run = try nearest(to: "out.csv")
    #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
    let text = try String(contentsOfFile: directory.path("out.csv"), encoding: .utf8)
    #expect(text == "query,rank,region,boundary_distance,centre_distance\nat,1,a,-3.000,0.000\n")
    #expect(directory.names == ["out.csv", "regions.csv"])
  }

  @Test func followsSymbolicLinks() throws {
    try directory.write("", to: "real.csv")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("link.csv"), withDestinationPath: "real.csv")
    #expect(try nearest(to: "link.csv").status == 0)
    #expect(try String(contentsOfFile: directory.path("real.csv"), encoding: .utf8).contains("at,1,a"))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: directory.path("link.csv")) == "real.csv")
  }

  @Test func refusesItsOwnInput() throws {
    try FileManager.default.linkItem(atPath: file, toPath: directory.path("hard.csv"))
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("soft.csv"), withDestinationPath: "regions.csv")
    for name in ["regions.csv", "./regions.csv", "hard.csv", "soft.csv"] {
      for arguments in [["nearest", file, "--at", "1,2", "-o", name], ["index", file, "-o", name]] {
        let run = try CommandRun(arguments, in: directory.url)
        #expect(run.status == 1)
        #expect(run.errors == "vicinity: error: output would overwrite the input (\(name))\n")
      }
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("id,latitude"))
  }

  @Test func refusesWhatCannotBeWritten() throws {
    for (name, reason) in [(".", "directory"), ("none/", "none/"), ("none/out.csv", "none/out.csv")] {
      for arguments in [["nearest", file, "--at", "1,2", "-o", name], ["index", file, "-o", name]] {
        let run = try CommandRun(arguments, in: directory.url)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("vicinity: error: ") && run.errors.contains(reason))
      }
    }
    let device = try CommandRun(["index", file, "--output", "/dev/null"])
    #expect(device.status == 1)
    #expect(device.errors == "vicinity: error: output is not a regular file (/dev/null)\n")
    #expect(try nearest(to: "/dev/null").status == 0)
    #expect(directory.names == ["regions.csv"])
  }

  @Test func failureLeavesWhatStoodThere() throws {
    try directory.write("before", to: "out")
    try directory.write("id,latitude,longitude,radius\na,95,2,3\n", to: "bad.csv")
    for arguments in [
      ["nearest", "bad.csv", "--at", "1,2", "-o", "out"], ["index", "bad.csv", "-o", "out"],
    ] {
      #expect(try CommandRun(arguments, in: directory.url).status == 1)
    }
    #expect(try String(contentsOfFile: directory.path("out"), encoding: .utf8) == "before")
    #expect(directory.names == ["bad.csv", "out", "regions.csv"])
  }

  // Only Linux has the device that is always full.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "no /dev/full here"))
  func fullDisk() throws {
    let executable = try #require(CommandRun.executable?.path)
    for command in ["nearest '\(file)' --at 1,2", "--help", "nearest '\(file)' --at 1,2 --output /dev/full"] {
      let shell = try Shell("'\(executable)' \(command) > /dev/full")
      #expect(shell.status == 1)
      #expect(shell.errors.hasPrefix("vicinity: error: cannot write: "))
    }
  }

  @Test func closedPipeEndsQuietly() throws {
    let executable = try #require(CommandRun.executable?.path)
    var points = "id,latitude,longitude\n"
    for i in 0..<20_000 { points += "\(i),1,2\n" }
    let positions = try directory.write(points, to: "points.csv")
    let shell = try Shell(
      "{ '\(executable)' nearest '\(file)' --points '\(positions)' -f csv; echo $? >&2; } | head -n 1")
    #expect(shell.errors == "0\n")
    #expect(shell.output == "query,rank,region,boundary_distance,centre_distance\n")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func signalsLeaveNothingBehind(signal: Int32, status: Int32) throws {
    let process = try CommandRun.process(
      ["nearest", file, "--points", "-", "-o", directory.path("out.csv")])
    let (input, errors) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardError = errors
    try process.run()
    // It waits for points with its output begun.
    let deadline = Date(timeIntervalSinceNow: 20)
    while directory.names.count < 2, Date() < deadline { usleep(2000) }
    #expect(directory.names.count == 2)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationStatus == status)
    #expect(directory.names == ["regions.csv"])
    try input.fileHandleForWriting.close()
    let told = errors.fileHandleForReading.availableData
    #expect(String(decoding: told, as: UTF8.self) == "vicinity: note: interrupted\n")
  }
}

/// A line run by the shell.
struct Shell {
  var status: Int32
  var output: String
  var errors: String

  init(_ line: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", line]
    let (standardOutput, standardError) = (Pipe(), Pipe())
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.run()
    // Neither fills a pipe here: one line each.
    output = String(decoding: standardOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    errors = String(decoding: standardError.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}
