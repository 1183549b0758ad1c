import Foundation
import Testing
import VicinityTestSupport

private enum FieldReports {
  static let root = SharedTracks.root.deletingLastPathComponent().appendingPathComponent("reports")
  static var arePresent: Bool { FileManager.default.fileExists(atPath: root.path) }
}

/// Files with which people met wrong answers, each with what is right: ../shared/data/reports. Their kinds
/// have tests of their own.
@Suite(.enabled(if: FieldReports.arePresent, "needs ../shared/data/reports"))
struct FieldReportTests {
  /// Runs the program in the folder of a report.
  static func run(_ report: String, _ arguments: [String], input: String? = nil) throws -> CommandRun {
    let folder = FieldReports.root.appendingPathComponent(report)
    let text = try input.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
    return try CommandRun(arguments, input: text ?? "", in: folder)
  }

  static func rows(_ run: CommandRun) -> [String] {
    run.output.split(separator: "\n").dropFirst().map(String.init)
  }

  /// An entry and an exit along the equator, a fix a minute from 11:00 on, which most of the tracks make.
  static let crossings = [
    "2026-01-01T11:21:01.011Z,zone,enter,0.00000000,-0.00898315,false",
    "2026-01-01T11:38:58.989Z,zone,exit,0.00000000,0.00898315,false",
  ]

  static func expectCrossings(_ run: CommandRun, device: String = "d") {
    #expect(run.status == 0, "\(run.errors)")
    #expect(rows(run) == crossings.map { "\(device),\($0)" }, "\(run.errors)")
  }

  @Test func unsignedIdentifiers() throws {
    let directory = try TemporaryDirectory()
    let features = ["9223372036854775813", "9223372036854775817"].enumerated().map {
      "{\"type\":\"Feature\",\"id\":\($1),\"properties\":{\"radius\":100},\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(Double($0) * 0.02),0]}}"
    }
    let file = try directory.write(
      "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}",
      to: "regions.geojson")
    let run = try CommandRun(["nearest", file, "--at", "0,0", "-f", "csv"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      Self.rows(run).map { $0.split(separator: ",")[2] } == ["9223372036854775813", "9223372036854775817"],
      "\(run.output)\(run.errors)")
    let points = try Self.run(
      "01-unsigned-identifiers", ["nearest", file, "--points", "points.csv", "--count", "1", "-f", "csv"])
    #expect(
      Self.rows(points).map { $0.prefix(24) } == ["9223372036854775813,1,92", "9223372036854775817,1,92"])
  }

  @Test func datumWithoutAShift() throws {
    let run = try Self.run(
      "02-datum-without-a-shift", ["nearest", "block.csv", "--at", "25.0270677,121.5690766", "-f", "csv"])
    if run.status == 0 {
      let distance = try #require(
        Self.rows(run).first?.split(separator: ",", omittingEmptySubsequences: false)[3])
      #expect(abs(try #require(Double(distance)) + 200) < 5, "\(run.output)")
    } else {
      #expect(run.errors.contains("ballpark") && run.errors.contains("--allow-ballpark"), "\(run.errors)")
    }
  }

  @Test func unknownSystem() throws {
    let run = try Self.run("03-unknown-crs", ["nearest", "zone.geojson", "--at", "50.05,10.05"])
    #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("999999"), "\(run.errors)")
  }

  @Test func oneTimeInTheFuture() throws {
    let report = "04-one-time-in-the-future"
    let skipped = try Self.run(
      report, ["events", "zone.csv", "--tracks", "track.csv", "--skip-invalid-tracks"])
    Self.expectCrossings(skipped)
    #expect(
      skipped.errors.contains("track.csv:3: the time 2036") && skipped.errors.contains("dropped 1 bad row"))
    let followed = try Self.run(
      report, ["events", "zone.csv", "--tracks", "-", "--follow"], input: "track.csv")
    Self.expectCrossings(followed)
    #expect(followed.errors.contains("dropped 1 bad row"))
    let strict = try Self.run(report, ["events", "zone.csv", "--tracks", "track.csv"])
    #expect(strict.status == 1 && strict.errors.contains("track.csv:3:"), "\(strict.errors)")
    // In the first row; too early in a later one.
    let text = try String(
      contentsOf: FieldReports.root.appendingPathComponent("\(report)/track.csv"), encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    let directory = try TemporaryDirectory()
    let zone = FieldReports.root.appendingPathComponent("\(report)/zone.csv").path
    for (name, changed) in [
      ("first", [lines[0], lines[2], lines[1]] + lines[3...]),
      (
        "1999",
        lines.map { $0.replacingOccurrences(of: "2036-01-01T10:00:10Z", with: "1999-05-16T11:00:10Z") }
      ),
      (
        "2006",
        lines.map { $0.replacingOccurrences(of: "2036-01-01T10:00:10Z", with: "2006-05-16T11:00:10Z") }
      ),
      ("late", lines.filter { !$0.contains("2036") }.dropLast() + [lines[2], lines[lines.count - 1]]),
    ] {
      let track = try directory.write(changed.joined(separator: "\n") + "\n", to: "\(name).csv")
      let run = try CommandRun([
        "events", zone, "--tracks", track, "--skip-invalid-tracks", "--state",
        directory.path("\(name).state"), "--output",
        directory.path("\(name).out"),
      ])
      #expect(run.status == 0 && run.errors.contains("dropped 1 bad row"), "\(name): \(run.errors)")
      let events = try String(contentsOfFile: directory.path("\(name).out"), encoding: .utf8)
      #expect(
        events.split(separator: "\n").dropFirst().map(String.init) == Self.crossings.map { "d,\($0)" },
        "\(name)")
    }
  }

  @Test(arguments: ["nested.kml", "two.kml"]) func layers(file: String) throws {
    let run = try Self.run("05-layers", ["nearest", file, "--at", "50.05,10.05", "-f", "csv"])
    if run.status == 0 {
      #expect(Self.rows(run).count == 2, "\(run.output)\(run.errors)")
    } else {
      #expect(
        file == "two.kml" && run.errors.contains("--layer") && run.errors.contains("second"), "\(run.errors)")
    }
  }

  @Test func carriageReturns() throws {
    Self.expectCrossings(
      try Self.run("06-carriage-returns", ["events", "zone.csv", "--tracks", "track.csv"]))
  }

  @Test func singleDevice() throws {
    Self.expectCrossings(
      try Self.run("07-single-device", ["events", "zone.csv", "--tracks", "track.csv", "--single-device"]),
      device: "track")
  }

  @Test func moreThanTwentyContain() throws {
    let report = "08-more-than-twenty-contain"
    for arguments in [["nearest", "nested.csv", "--max-distance", "0"], ["containing", "nested.csv"]] {
      let run = try Self.run(report, arguments + ["--at", "0,0", "-f", "csv"])
      #expect(Self.rows(run).count == 60, "\(run.errors)")
    }
  }

  @Test func accuracyByAnotherName() throws {
    let report = "09-accuracy-by-another-name"
    let run = try Self.run(report, ["events", "zone.csv", "--tracks", "track.csv", "--rule", "overlap"])
    #expect(run.status == 0 && Self.rows(run).isEmpty, "\(run.output)\(run.errors)")
    let text = try String(
      contentsOf: FieldReports.root.appendingPathComponent("\(report)/track.csv"), encoding: .utf8)
    let directory = try TemporaryDirectory()
    let zone = FieldReports.root.appendingPathComponent("\(report)/zone.csv").path
    for (name, more) in [
      ("accuracy(m)", []), ("hAccuracy", []), ("precision", []),
      ("wie genau", ["--accuracy-field", "wie genau"]),
    ] {
      let track = try directory.write(
        text.replacingOccurrences(of: ",acc\n", with: ",\(name)\n"), to: "track.csv")
      let run = try CommandRun(["events", zone, "--tracks", track, "--rule", "overlap"] + more)
      #expect(run.status == 0 && Self.rows(run).isEmpty, "\(name): \(run.output)\(run.errors)")
    }
  }

  @Test func daysAsSeconds() throws {
    let run = try Self.run("10-days-as-seconds", ["events", "zone.csv", "--tracks", "track.csv"])
    #expect(run.errors.contains("--time-unit") && run.errors.contains("days"), "\(run.errors)")
  }

  @Test func segments() throws {
    let run = try Self.run("11-segments", ["events", "zone.csv", "--tracks", "track.gpx"])
    // The device passes the region between the segments: who knows whether it was there.
    #expect(
      run.status == 0 && Self.rows(run).allSatisfy { $0.hasSuffix(",true") }, "\(run.output)\(run.errors)")
  }

  @Test func aHoleOutside() throws {
    let run = try Self.run(
      "12-hole-outside", ["nearest", "region.csv", "--at", "16.035,10.005", "-f", "csv"])
    #expect(run.status == 0, "\(run.errors)")
    let distance = try #require(
      Self.rows(run).first?.split(separator: ",", omittingEmptySubsequences: false)[3])
    #expect(try #require(Double(distance)) > 1000, "\(run.output)")
  }

  @Test func notAvailable() throws {
    Self.expectCrossings(
      try Self.run(
        "13-not-available",
        ["events", "zone.csv", "--tracks", "ais.csv", "--time-field", "BaseDateTime", "--utc-offset", "Z"]),
      device: "366999001")
  }

  @Test func nestedTopoJSON() throws {
    let run = try Self.run(
      "14-nested-topojson", ["nearest", "zones.json", "--at", "50.05,10.05", "-f", "csv"])
    #expect(
      Self.rows(run).count == 2 || run.errors.contains("collections within a collection"),
      "\(run.output)\(run.errors)")
  }
}
