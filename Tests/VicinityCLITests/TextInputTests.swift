import Foundation
import Testing
import VicinityFormats

@testable import VicinityCLI

/// Tables as people's programs write them, from the file to the events; and what messages show of names in
/// them.
@Suite struct TextInputTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("id,latitude,longitude,radius\nzone,0,0,1000\n", to: "zone.csv")
  }

  func run(_ arguments: [String], input: String = "") throws -> CommandRun {
    try CommandRun(arguments, input: input, in: directory.url)
  }

  /// A minute a row, from 3 km west of the zone's middle to 0.9 km east of it.
  private static func rows(_ row: (_ minute: Int, _ longitude: String) -> String) -> [String] {
    (0..<39).map { row($0, String(format: "%.3f", Double($0 - 30) / 1000)) }
  }

  private static func time(_ minute: Int) -> String { "2026-01-01T11:\(minute < 10 ? "0" : "")\(minute):00Z" }

  /// The kinds of the events: one of entering at least, where the track is read.
  private func kinds(_ arguments: [String], input: String = "") throws -> [String] {
    let run = try run(["events", "zone.csv"] + arguments, input: input)
    #expect(run.status == 0, "\(run.errors)")
    return run.output.split(separator: "\n").dropFirst().map { String($0.split(separator: ",")[3]) }
  }

  @Test func readsLinesThatEndWithReturns() throws {
    let header = "device,time,latitude,longitude"
    let lines = [header] + Self.rows { "d,\(Self.time($0)),0,\($1)" }
    try directory.write("id,latitude,longitude,radius\rzone,0,0,1000\r", to: "returns.csv")
    for end in ["\n", "\r\n", "\r"] {
      try directory.write(lines.joined(separator: end) + end, to: "t.csv")
      #expect(try kinds(["--tracks", "t.csv"]) == ["enter"])
      #expect(
        try kinds(["--tracks", "-", "--follow"], input: lines.joined(separator: end) + end) == ["enter"])
      let run = try run(["events", "returns.csv", "--tracks", "t.csv"])
      #expect(run.output.contains("zone,enter"), "\(run.errors)")
    }
  }

  @Test func takesASingleDeviceAtItsWord() throws {
    let lines = ["id,time,lat,lon"] + Self.rows { "\($0 + 1),\(Self.time($0)),0,\($1)" }
    try directory.write(lines.joined(separator: "\n"), to: "t.csv")
    #expect(try kinds(["--tracks", "t.csv", "--single-device"]) == ["enter"])
    let both = try run(["events", "zone.csv", "--tracks", "t.csv", "--single-device", "--device-field", "id"])
    #expect(
      both.status == 64 && both.errors.contains("--single-device and --device-field exclude each other"))
  }

  @Test func readsAccuraciesByEveryName() throws {
    for name in ["acc", "accuracy(m)", "hAccuracy", "precision", "sigma"] {
      let lines = ["device,time,latitude,longitude,\(name)"] + Self.rows { "d,\(Self.time($0)),0,\($1),1500" }
      try directory.write(lines.joined(separator: "\n"), to: "t.csv")
      let option = name == "sigma" ? ["--accuracy-field", "sigma"] : []
      #expect(try kinds(["--tracks", "t.csv", "--rule", "overlap"] + option) == [], "\(name)")
    }
    let plain = ["device,time,latitude,longitude"] + Self.rows { "d,\(Self.time($0)),0,\($1)" }
    try directory.write(plain.joined(separator: "\n"), to: "t.csv")
    for follow in [[], ["--follow"]] {
      let told = try run(["events", "zone.csv", "--tracks", "t.csv", "--rule", "overlap"] + follow)
      #expect(told.errors.contains("no fix has an accuracy"), "\(told.errors)")
    }
    #expect(try !run(["events", "zone.csv", "--tracks", "t.csv"]).errors.contains("no fix has an accuracy"))
  }

  @Test func saysThatDaysAreNoSeconds() throws {
    let lines = ["device,time,latitude,longitude"] + Self.rows { "d,\(46023.4 + Double($0) / 1440),0,\($1)" }
    try directory.write(lines.joined(separator: "\n"), to: "t.csv")
    let told = try run(["events", "zone.csv", "--tracks", "t.csv"]).errors
    #expect(
      told.contains("they look like a spreadsheet's days") && told.contains("note: --time-unit"), "\(told)")
    let read = try run([
      "events", "zone.csv", "--tracks", "t.csv", "--time-unit", "days", "--utc-offset", "Z",
    ])
    #expect(
      read.output.contains("d,2026-01-01T") && !read.errors.contains("1980"), "\(read.output) \(read.errors)")
    let refused = try run(["events", "zone.csv", "--tracks", "t.csv", "--time-unit", "days"])
    #expect(refused.status == 1 && refused.errors.contains("note: --utc-offset"), "\(refused.errors)")
    let wrong = try run(["events", "zone.csv", "--tracks", "t.csv", "--time-unit", "weeks"])
    #expect(wrong.status == 64 && wrong.errors.contains("--time-unit must be one of"), "\(wrong.errors)")
    try directory.write("device,time,latitude,longitude\nd,1767261600000,0,0\n", to: "t.csv")
    #expect(try run(["events", "zone.csv", "--tracks", "t.csv"]).errors.contains("note: --time-unit"))
  }

  @Test func losesNoRowToWhatIsNotAvailable() throws {
    let lines =
      ["MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading"]
      + Self.rows { "366999001,\(Self.time($0).dropLast()),0,\($1),102.3,360.0,511" }
    try directory.write(lines.joined(separator: "\n"), to: "ais.csv")
    #expect(
      try kinds(["--tracks", "ais.csv", "--time-field", "BaseDateTime", "--utc-offset", "Z"]) == ["enter"])
  }

  @Test func goesOnBehindALongLine() throws {
    let lines = ["device,time,latitude,longitude"] + Self.rows { "d,\(Self.time($0)),0,\($1)" }
    let long = String(repeating: "x", count: 17 << 20)
    let text = (lines[..<20] + [long] + lines[20...]).joined(separator: "\n") + "\n"
    let run = try run(["events", "zone.csv", "--tracks", "-", "--follow"], input: text)
    #expect(run.status == 0 && run.output.contains("zone,enter"), "\(run.errors)")
    #expect(run.errors.contains("standard input:21: a line of more than"), "\(run.errors)")
  }

  /// Whatever a name holds, nothing of it steers a terminal, and no line of it looks like a message.
  @Test(arguments: [
    "\u{1B}[2J", "\u{07}", "\u{9B}31m", "\u{202E}", "\nvicinity: done: ", "\r", "\u{2028}", "\u{85}",
    "\u{7F}",
  ])
  func namesSteerNoTerminal(hostile: String) throws {
    let file = "a\(hostile)b.csv"
    let header = "dev\(hostile)ice,time,latitude,longitude,x\(hostile)y".replacing("\n", with: " ").replacing(
      "\r", with: " ")
    try directory.write(header + "\nd,1,1,1,1\n", to: file)
    try directory.write("\"a\(hostile)b\",lat,lon\n1,2,3\n", to: "p.csv")
    for arguments in [
      ["events", "zone.csv", "--tracks", file], ["events", "zone.csv", "--tracks", file, "--single-device"],
      ["events", "zone.csv", "--tracks", file, "--time-field", "t\(hostile)"],
      ["events", "zone.csv", "--tracks", file, "--device-field", "dev\(hostile)ice"],
      ["nearest", file, "--at", "0,0"], ["nearest", "no\(hostile)", "--at", "0,0"],
      ["nearest", "zone.csv", "--points", file], ["nearest", "zone.csv", "--points", "p.csv"],
      ["nearest", "zone.csv", "--points", "p.csv", "--point-id-field", "z\(hostile)"],
      ["index", file, "--output", "o\(hostile)/x"], ["info", file], ["plan", "zone.csv", "--track", file],
      ["events", "zone.csv", "--tracks", "zone.csv", "--utc-offset", "u\(hostile)"], ["no\(hostile)"],
      ["nearest", "zone.csv", "--n\(hostile)"],
    ] {
      let errors = try run(arguments).errors
      #expect(
        !errors.unicodeScalars.contains { $0 != "\n" && VisibleText.isControl($0) },
        "\(arguments): \(errors.debugDescription)")
      #expect(!errors.contains("\nvicinity: done: b"), "\(arguments): \(errors)")
    }
  }
}
