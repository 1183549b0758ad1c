import Foundation
import Testing

/// `vicinity generate` as a process: rows, seeds, round trips, refusals.
@Suite struct GenerateCommandTests {
  private func run(_ arguments: [String], _ directory: TemporaryDirectory) throws -> CommandRun {
    try CommandRun(["generate"] + arguments, in: directory.url)
  }

  private func contents(_ directory: TemporaryDirectory, _ name: String) throws -> String {
    String(decoding: try Data(contentsOf: directory.url.appendingPathComponent(name)), as: UTF8.self)
  }

  @Test func regionsAreRowsThatOtherCommandsRead() throws {
    let directory = try TemporaryDirectory()
    let made = try run(
      [
        "regions", "--count", "500", "--around", "-16.5,180", "--spread", "5", "--polygons", "0.3", "--seed",
        "4",
        "--output", "made.csv",
      ], directory)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.isEmpty)
    let rows = try contents(directory, "made.csv").split(separator: "\n")
    #expect(rows.count == 501 && rows[0] == "id,latitude,longitude,radius,wkt")
    #expect(rows.contains { $0.contains("POLYGON((") } && rows[1].hasPrefix("region-1,"))
    let read = try CommandRun(
      ["nearest", "made.csv", "--at", "-16.5,180", "--count", "500", "--format", "csv"], in: directory.url)
    #expect(read.status == 0, "\(read.errors)")
    #expect(read.output.split(separator: "\n").count == 501)
    let again = try run(
      [
        "regions", "--count", "500", "--around", "-16.5,180", "--spread", "5", "--polygons", "0.3", "--seed",
        "4",
      ], directory)
    #expect(again.output == (try contents(directory, "made.csv")))
  }

  @Test func placesGetRegionsByTheirArea() throws {
    let directory = try TemporaryDirectory()
    try directory.write("id,latitude,longitude,radius\nsmall,0,0,1000\nlarge,0,10,3000\n", to: "cities.csv")
    let made = try run(["regions", "--count", "100", "--places", "cities.csv"], directory)
    #expect(made.status == 0, "\(made.errors)")
    let small = made.output.split(separator: "\n").dropFirst().filter {
      abs(Double($0.split(separator: ",")[2]) ?? 99) < 1
    }
    #expect(small.count == 10)
  }

  @Test func tracksAreRowsThatOtherCommandsRead() throws {
    let directory = try TemporaryDirectory()
    let arguments = [
      "tracks", "--devices", "2", "--days", "1", "--around", "48.2082,16.3738", "--interval", "30", "--pause",
      "60",
    ]
    let made = try run(arguments + ["--output", "days.csv"], directory)
    #expect(made.status == 0, "\(made.errors)")
    let rows = try contents(directory, "days.csv").split(separator: "\n")
    #expect(rows[0] == "device,time,latitude,longitude")
    #expect(rows[1].hasPrefix("device-1,2026-06-01T00:00:00.000Z,48."))
    #expect(rows.last?.hasPrefix("device-2,2026-06-02T00:00:00.000Z,48.") == true)
    #expect(try run(arguments, directory).output == (try contents(directory, "days.csv")))
    try directory.write("id,latitude,longitude,radius\ncity,48.2082,16.3738,50000\n", to: "city.csv")
    let read = try CommandRun(["events", "city.csv", "--tracks", "days.csv"], in: directory.url)
    #expect(read.status == 0, "\(read.errors)")
  }

  @Test func kindsOfPeople() throws {
    let directory = try TemporaryDirectory()
    func week(_ options: String...) throws -> String {
      let made = try run(
        ["tracks", "--devices", "1", "--days", "2", "--around", "48.2082,16.3738", "--interval", "10"]
          + options, directory)
      #expect(made.status == 0, "\(made.errors)")
      return made.output
    }
    let commuter = try week()
    #expect(try week("--people", "commuter") == commuter)
    let courier = try week("--people", "courier")
    let home = try week("--people", "home")
    // Who moves more has more rows: there is one every ten seconds then, and one a minute else.
    #expect(courier.utf8.count > commuter.utf8.count && commuter.utf8.count > home.utf8.count)
    let help = try run(["tracks", "--help"], directory)
    #expect(
      help.output.contains("--people <kind>") && help.output.contains("courier: from Monday to Saturday"))
  }

  @Test func aPipeThatClosesIsNoError() throws {
    let directory = try TemporaryDirectory()
    let none = try run(["regions", "--count", "0", "--around", "0,0"], directory)
    #expect(none.status == 0 && none.output == "id,latitude,longitude,radius\n")
  }

  @Test(arguments: [
    (["regions", "--count", "5"], Int32(64), "either --around LAT,LON or --places FILE"),
    (["regions", "--count", "-5", "--around", "0,0"], 64, "count"),
    (["regions", "--count", "5", "--around", "95,0"], 64, "latitude"),
    (["regions", "--count", "5", "--around", "0,0", "--radius", "big"], 64, "no radii \"big\""),
    (["regions", "--count", "5", "--around", "0,0", "--radius", "9-3"], 64, "the greatest radius"),
    (
      ["regions", "--count", "5", "--around", "0,0", "--spread", "0"], 64, "the spread of place 1 cannot be 0"
    ),
    (["regions", "--count", "5", "--around", "0,0", "--spread", "nan"], 64, "the spread of place 1"),
    (
      ["regions", "--count", "5", "--around", "0,0", "--polygons", "2"], 64,
      "the share of polygons cannot be 2"
    ),
    (["regions", "--count", "5", "--places", "missing.csv", "--spread", "0"], 64, "the spread"),
    (["regions", "--count", "5", "--places", "missing.csv"], 1, "no such file (missing.csv)"),
    (["regions", "--count", "5", "--around", "0,0", "--output", "."], 1, "output is a directory"),
    (["tracks", "--devices", "1"], 64, "around"),
    (["tracks", "--devices", "1", "--around", "0,0", "--days", "0"], 64, "the number of days cannot be 0"),
    (["tracks", "--devices", "1", "--around", "0,0", "--interval", "nan"], 64, "the interval cannot be nan"),
    (["tracks", "--devices", "1", "--around", "0,0", "--start", "tomorrow"], 64, "no time"),
    (
      ["tracks", "--devices", "1", "--around", "0,0", "--people", "tourist"], 64,
      "no people \"tourist\"; there are commuter, courier, home"
    ),
  ])
  func refusals(arguments: [String], status: Int32, message: String) throws {
    let directory = try TemporaryDirectory()
    let run = try run(arguments, directory)
    #expect(run.status == status, "\(arguments): \(run.errors)")
    #expect(run.errors.contains(message), "\(arguments): \(run.errors)")
    #expect(run.output.isEmpty)
  }
}
