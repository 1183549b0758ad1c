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

  /// A file's ending says what is in it, where nothing else is asked for.
  @Test(arguments: [
    ("out.csv", [], "query,rank,"), ("out.CSV", [], "query,rank,"), ("out.json", [], "[{\"query\":"),
    ("out.geojson", [], "{\"type\":\"FeatureCollection\""), ("out.txt", [], "RANK"), ("out", [], "RANK"),
    ("csv", [], "RANK"), ("out.csv", ["--format", "json"], "[{\"query\":"),
  ])
  func endingsAreFormats(output: String, options: [String], beginning: String) throws {
    let run = try CommandRun(
      ["nearest", file, "--at", "1,2", "--output", output] + options, in: directory.url)
    #expect(run.status == 0 && run.errors.isEmpty)
    let text = try String(contentsOfFile: directory.path(output), encoding: .utf8)
    #expect(text.filter { !$0.isWhitespace }.uppercased().hasPrefix(beginning.uppercased()), "\(text)")
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

  /// Links to where nothing is yet, one after the other and from other folders: the target appears, whole,
  /// and the links stay.
  @Test func followsSymbolicLinksToWhereNothingIs() throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: directory.path("there"), withIntermediateDirectories: false)
    let links = [
      ("link", "there/real.csv"), ("chain", "link"), ("there/back", "../new.csv"),
      ("absolute", directory.path("abs.csv")),
    ]
    for (name, target) in links {
      try manager.createSymbolicLink(atPath: directory.path(name), withDestinationPath: target)
    }
    for (name, target) in [("chain", "there/real.csv"), ("there/back", "new.csv"), ("absolute", "abs.csv")] {
      #expect(try nearest(to: name).status == 0)
      #expect(
        try String(contentsOfFile: directory.path(target), encoding: .utf8).contains("at,1,a"), "\(name)")
      try manager.removeItem(atPath: directory.path(target))
      let index = try CommandRun(["index", file, "--output", name], in: directory.url)
      #expect(index.status == 0)
      #expect(try CommandRun(["info", target], in: directory.url).status == 0, "\(name)")
      try manager.removeItem(atPath: directory.path(target))
    }
    // A run that keeps its progress keeps it beside the target, and takes it away.
    try directory.write(
      "device,time,latitude,longitude\nd,2020-01-01T00:00:00Z,1,1.9\nd,2020-01-01T00:04:00Z,1,2\n",
      to: "t.csv")
    let events = try CommandRun(
      ["events", file, "--tracks", "t.csv", "--output", "chain", "--keep-every", "0"], in: directory.url)
    #expect(events.status == 0, "\(events.errors)")
    #expect(
      try String(contentsOfFile: directory.path("there/real.csv"), encoding: .utf8).contains(",a,enter,"))
    for (name, target) in links {
      #expect(try manager.destinationOfSymbolicLink(atPath: directory.path(name)) == target)
    }
    #expect(
      try manager.contentsOfDirectory(atPath: directory.path("there")).sorted() == ["back", "real.csv"])
    #expect(directory.names == ["absolute", "chain", "link", "regions.csv", "t.csv", "there"])
    // A folder that is yet to be made, too.
    try manager.createSymbolicLink(atPath: directory.path("study"), withDestinationPath: "there/run")
    let run = try CommandRun(
      ["simulate", file, "--track", "t.csv", "--policy", "always-best", "--output", "study"],
      in: directory.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(manager.fileExists(atPath: directory.path("there/run/report.html")))
    #expect(try manager.destinationOfSymbolicLink(atPath: directory.path("study")) == "there/run")
  }

  @Test func refusesLinksWithoutAnEnd() throws {
    for (name, target) in [("a", "b"), ("b", "a"), ("self", "self")] {
      try FileManager.default.createSymbolicLink(atPath: directory.path(name), withDestinationPath: target)
    }
    for name in ["a", "b", "self"] {
      for arguments in [["nearest", file, "--at", "1,2", "-o", name], ["index", file, "-o", name]] {
        let run = try CommandRun(arguments, in: directory.url)
        #expect(run.status == 1)
        #expect(
          run.errors.hasPrefix("vicinity: error: cannot write: ") && run.errors.hasSuffix(" (\(name))\n"))
      }
    }
    #expect(directory.names == ["a", "b", "regions.csv", "self"])
  }

  /// What the process has open is written as it is, whatever it is and by whatever name: nothing is kept
  /// beside it, and what stands in it already stays.
  @Test func openDescriptorsAreWrittenDirectly() throws {
    try directory.write(
      "device,time,latitude,longitude\nd,2020-01-01T00:00:00Z,1,1.9\nd,2020-01-01T00:04:00Z,1,2\n",
      to: "t.csv")
    let program = try #require(CommandRun.executable?.path)
    let events = "'\(program)' events regions.csv --tracks t.csv --keep-every 0"
    let nearest = "'\(program)' nearest regions.csv --at 1,2 --format csv"
    let enter = { (text: String) in text.contains(",a,enter,") }
    func content(_ name: String) throws -> String {
      try String(contentsOfFile: directory.path(name), encoding: .utf8)
    }
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("link"), withDestinationPath: "/dev/stdout")
    for (number, name) in ["/dev/stdout", "/dev/fd/1", "link", "-"].enumerated() {
      let shell = try Shell(
        "cd '\(directory.url.path)' && echo before > out\(number) && \(events) -o \(name) >> out\(number)"
          + " && \(nearest) -o \(name) >> out\(number)")
      #expect(shell.status == 0, "\(name): \(shell.errors)")
      let text = try content("out\(number)")
      #expect(text.hasPrefix("before\n") && enter(text) && text.hasSuffix("at,1,a,-3.000,0.000\n"), "\(name)")
    }
    #expect(try Set((0..<4).map { try content("out\($0)") }).count == 1)
    let other = try Shell(
      "cd '\(directory.url.path)' && \(events) -o /dev/fd/3 3> three --rejects /dev/stderr")
    #expect(other.status == 0 && other.errors.contains("file,line,reason"))
    #expect(try enter(content("three")))
    let pipe = try Shell("cd '\(directory.url.path)' && \(events) -o /dev/stdout | cat")
    #expect(enter(pipe.output))
    let closed = try Shell("cd '\(directory.url.path)' && \(nearest) -o /dev/fd/9")
    #expect(
      closed.status == 1 && closed.errors.contains("cannot write: ") && closed.errors.contains("(/dev/fd/9)"))
    for more in ["--visits /dev/stdout", "--visits v --rejects ./v", "-o e --visits e"] {
      let twice = try Shell("cd '\(directory.url.path)' && \(events) \(more)")
      #expect(twice.status == 1 && twice.errors.contains("two outputs would be one file"), "\(more)")
    }
    let resumed = try Shell("cd '\(directory.url.path)' && \(events) -o /dev/fd/3 --resume 3> three")
    #expect(resumed.status == 1 && resumed.errors.contains("--resume needs a regular file as --output"))
    #expect(
      directory.names == ["link", "out0", "out1", "out2", "out3", "regions.csv", "t.csv", "three"])
  }

  /// One rule for every command: what stood under the name of an output is replaced, as a whole.
  @Test func everyCommandReplaces() throws {
    try directory.write(
      "device,time,latitude,longitude\nd,2020-01-01T00:00:00Z,1,1.9\nd,2020-01-01T00:04:00Z,1,2\n",
      to: "t.csv")
    let before = String(repeating: "before ", count: 20_000)
    for arguments in [
      ["nearest", file, "--at", "1,2", "-f", "csv"], ["containing", file, "--at", "1,2", "-f", "csv"],
      ["events", file, "--tracks", "t.csv"], ["plan", file, "--track", "t.csv"], ["index", file],
      ["generate", "regions", "--count", "5", "--around", "1,2"],
      ["generate", "tracks", "--devices", "1", "--around", "1,2", "--interval", "600"],
    ] {
      try directory.write(before, to: "out")
      let run = try CommandRun(arguments + ["--output", "out"], in: directory.url)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.path("out")))
      #expect(bytes.count > 10 && !bytes.starts(with: Data("before".utf8)), "\(arguments)")
      #expect(bytes.range(of: Data("before".utf8)) == nil, "\(arguments)")
      #expect(directory.names == ["out", "regions.csv", "t.csv"], "\(arguments)")
    }
    try FileManager.default.createDirectory(atPath: directory.path("run"), withIntermediateDirectories: false)
    try directory.write(before, to: "run/report.html")
    try directory.write(before, to: "run/mine.txt")
    let run = try CommandRun(
      ["simulate", file, "--track", "t.csv", "--policy", "always-best", "--output", "run"], in: directory.url)
    #expect(run.status == 0, "\(run.errors)")
    let page = try String(contentsOfFile: directory.path("run/report.html"), encoding: .utf8)
    #expect(page.hasPrefix("<!doctype html>") && !page.contains("before before"))
    #expect(try String(contentsOfFile: directory.path("run/mine.txt"), encoding: .utf8) == before)
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
