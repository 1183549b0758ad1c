import Foundation
import Testing

/// `vicinity simulate` as a process: files, sums, seeds, scenarios, refusals.
@Suite struct SimulateCommandTests {
  /// Ten circles of 200 m along the equator, 1 km apart, and a phone that goes east past them at 5 m/s for an
  /// hour, then stands for half an hour.
  private static let regions =
    "id,latitude,longitude,radius\n"
    + (1...10).map { "r\($0),0,\(degrees(1000 * Double($0))),200\n" }.joined()

  private static func track(device: String = "me") -> String {
    var text = "device,time,latitude,longitude\n"
    for i in 0...540 {
      let seconds = 10 * i
      text += "\(device),\(1_000_000 + seconds),0,\(degrees(5 * Double(min(seconds, 3600))))\n"
    }
    return text
  }

  private static func degrees(_ metres: Double) -> Double { metres / 111_319.490793 }

  private static let files = [
    "energy.csv", "events.csv", "fixes.csv", "lifecycle.csv", "registrations.csv", "report.html",
    "summary.json",
    "timeline.json",
  ]

  private func run(
    _ arguments: [String], in directory: TemporaryDirectory, track: String = Self.track()
  ) throws -> CommandRun {
    let regions = try directory.write(Self.regions, to: "stops.csv")
    let track = try directory.write(track, to: "way.csv")
    return try CommandRun(["simulate", regions, "--track", track] + arguments, in: directory.url)
  }

  private func contents(_ directory: TemporaryDirectory, _ name: String) throws -> String {
    String(decoding: try Data(contentsOf: directory.url.appendingPathComponent(name)), as: UTF8.self)
  }

  @Test func followedWithBestAccuracyEveryStopIsReported() throws {
    let directory = try TemporaryDirectory()
    let run = try run(
      ["--policy", "always-best", "--output", "out", "--format", "json", "--device", "iphone-6"],
      in: directory)
    #expect(run.status == 0, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("out")).sorted()
    #expect(names == Self.files)
    let sums = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(run.output == (try contents(directory, "out/summary.json")))
    #expect(sums["crossings"] as? Int == 20)
    #expect((sums["crossings_reported"] as? Int ?? 0) >= 19)
    #expect(sums["policy"] as? String == "always-best")
    #expect(sums["seconds"] as? Int == 5400)
    // The power's steps add up to the energy of the sums.
    let energy = try contents(directory, "out/energy.csv").split(separator: "\n").dropFirst()
    let reader = ISO8601DateFormatter()
    reader.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var joules: [String: Double] = [:]
    var level: [String: (time: Double, milliwatts: Double)] = [:]
    for row in energy {
      let cells = row.split(separator: ",").map(String.init)
      let time = try #require(reader.date(from: cells[0])).timeIntervalSince1970
      if let old = level[cells[1]] {
        joules[cells[1], default: 0] += old.milliwatts * (time - old.time) / 1000
      }
      level[cells[1]] = (time, try #require(Double(cells[2])))
    }
    for (name, old) in level { joules[name, default: 0] += old.milliwatts * (1_005_400 - old.time) / 1000 }
    let stated = try #require(sums["joules"] as? [String: Double])
    #expect(!stated.isEmpty && Set(joules.keys).isSubset(of: stated.keys))
    for (name, value) in stated {
      // Times are rounded to milliseconds in the file.
      #expect(
        abs((joules[name] ?? 0) - value) < 0.01 + 0.005 * value, "\(name): \(joules[name] ?? 0), \(value)")
    }
    let timeline = try JSONSerialization.jsonObject(
      with: Data(try contents(directory, "out/timeline.json").utf8))
    #expect((timeline as? [[String: Any]])?.isEmpty == false)
  }

  @Test("What stands for tiers that the phone lacks is told, and on the page too")
  func missingTiersAreToldOf() throws {
    let directory = try TemporaryDirectory()
    let words = "the profile nexus-6 lacks tiers, and another one stands for each: best for bestForNavigation"
    let run = try run(
      ["--policy", "always-kilometer", "--output", "out", "--device", "nexus-6"], in: directory)
    #expect(run.status == 0 && run.errors.contains("note: " + words), "\(run.errors)")
    #expect(try contents(directory, "out/report.html").contains("Note that " + words))
  }

  @Test func aRotationRegistersAndIsWoken() throws {
    let directory = try TemporaryDirectory()
    let run = try run(["--output", "out"], in: directory)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("monitor-slots"))
    let registrations = try contents(directory, "out/registrations.csv").split(separator: "\n")
    #expect(registrations.count == 11)
    let events = try contents(directory, "out/events.csv").split(separator: "\n").dropFirst()
    #expect(events.count >= 20)
    let states = try contents(directory, "out/lifecycle.csv")
    #expect(states.contains("foreground") && states.contains("suspended") && states.contains("background"))
  }

  @Test func theSameSeedIsTheSameRun() throws {
    let directory = try TemporaryDirectory()
    _ = try run(["--output", "a", "--seed", "7"], in: directory)
    _ = try run(["--output", "b/", "--seed", "7"], in: directory)
    _ = try run(["--output", "c", "--seed", "8"], in: directory)
    for name in Self.files {
      #expect(try contents(directory, "a/\(name)") == (try contents(directory, "b/\(name)")), "\(name)")
    }
    #expect(try contents(directory, "a/timeline.json") != (try contents(directory, "c/timeline.json")))
  }

  @Test("--days plays whole days, at rest before and after the track, which itself is played as without it")
  func wholeDays() throws {
    let directory = try TemporaryDirectory()
    for (arguments, folder) in [([], "ride"), (["--days"], "day")] {
      let run = try run(["--policy", "always-best", "--output", folder] + arguments, in: directory)
      #expect(run.status == 0, "\(run.errors)")
    }
    func field(_ folder: String, _ name: String) throws -> String {
      let summary = try contents(directory, "\(folder)/summary.json")
      let rest = summary.split(separator: "\"\(name)\":", maxSplits: 1)
      return String(try #require(rest.last).prefix { $0 != "," && $0 != "}" && $0 != "\n" })
    }
    func seconds(_ folder: String) throws -> Double {
      try #require(Double(try field(folder, "seconds").trimmingCharacters(in: .whitespaces)))
    }
    #expect(try seconds("day") == 86_400 && (try seconds("ride")) == 5400)
    func entries(_ folder: String) throws -> Int {
      try contents(directory, "\(folder)/events.csv").split(separator: "\n").count { $0.contains(",enter") }
    }
    #expect(try entries("day") >= (try entries("ride")) && (try entries("ride")) > 0)
  }

  @Test func thePageIsWholeAndSafe() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(
      "id,latitude,longitude,radius\n\"</script><script>alert(1)</script>\",0,0.005,200\n", to: "evil.csv")
    let track = try directory.write(Self.track(), to: "way.csv")
    let run = try CommandRun(
      ["simulate", regions, "--track", track, "--policy", "always-best", "--output", "out"], in: directory.url
    )
    #expect(run.status == 0, "\(run.errors)")
    let page = try contents(directory, "out/report.html")
    #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
    #expect(page.components(separatedBy: "</script>").count == 3)
    #expect(page.contains("\\u003c/script>\\u003cscript>alert(1)"))
    #expect(!page.contains("{{"))
  }

  @Test func surroundingsAndActionsFromFiles() throws {
    let directory = try TemporaryDirectory()
    let environment = try directory.write(
      "time,airplane,wifi,cells\n1000000,1,0,none\n1001800,0,1,urban\n", to: "around.csv")
    let actions = try directory.write(
      "time,action\n1000060,leave\n1003000,force-quit\n1004000,open\n1004100,exit:1\n", to: "done.csv")
    let run = try run(
      [
        "--environment", environment, "--actions", actions, "--policy", "always-hundred-meters", "--output",
        "out",
      ], in: directory)
    #expect(run.status == 0, "\(run.errors)")
    // Without Wi-Fi and cells there is no position of a hundred metres.
    let fixes = try contents(directory, "out/fixes.csv").split(separator: "\n").dropFirst()
    let first = try #require(fixes.first)
    #expect(first >= "1970-01-12T14:16:40")
    let states = try contents(directory, "out/lifecycle.csv").split(separator: "\n")
    #expect(states.last?.hasSuffix("notRunning") == true)
    #expect(states.contains { $0.hasSuffix("notRunning") && $0.hasPrefix("1970-01-12T14:36:40.000Z") })
  }

  @Test(arguments: [
    (["--policy", "best-of-all"], Int32(64), "no policy best-of-all; there are monitor-slots"),
    (["--device", "toaster"], 64, "--device: no device toaster; there are iphone-6"),
    (["--of", "nobody"], 1, "no device nobody"),
    (["--output", "stops.csv"], 1, "not a directory (stops.csv)"),
    (["--environment", "bad.csv"], 1, "bad.csv:3"),
    (["--environment", "mistyped.csv"], 1, "\"indoor\" means nothing here; there are \"time\", \"indoors\""),
    (["--actions", "acts.csv"], 1, "dance"),
    (["--actions", "mistyped.csv"], 1, "no column \"action\""),
    (["--actions", "more.csv"], 1, "the column \"note\" means nothing here; there are \"time\", \"action\""),
    (["--rules", "ios99"], 64, "ios99"),
    (["--power-profile", "missing.xml"], 1, "missing.xml"),
  ])
  func refusals(arguments: [String], status: Int32, message: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("time,indoors\n1000000,1\n1000001,perhaps\n", to: "bad.csv")
    try directory.write("time,indoor\n1000000,1\n", to: "mistyped.csv")
    try directory.write("time,action\n1000000,open\n1000001,dance\n", to: "acts.csv")
    try directory.write("time,action,note\n1000000,open,first\n", to: "more.csv")
    let run = try run(arguments, in: directory)
    #expect(run.status == status, "\(arguments): \(run.errors)")
    #expect(run.errors.contains(message), "\(arguments): \(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func severalDevicesAreAmbiguous() throws {
    let directory = try TemporaryDirectory()
    let both =
      Self.track() + Self.track(device: "you").split(separator: "\n").dropFirst().joined(separator: "\n")
    let vague = try run([], in: directory, track: both)
    #expect(vague.status == 1)
    #expect(vague.errors.contains("several devices, me and you among them"))
    let clear = try run(["--of", "you"], in: directory, track: both)
    #expect(clear.status == 0, "\(clear.errors)")
  }
}
