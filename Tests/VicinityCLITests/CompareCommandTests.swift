import Foundation
import Testing
import VicinityProfiles

/// `vicinity compare` as a process: table, files, seeds, threads, requirements, refusals.
@Suite struct CompareCommandTests {
  /// Ten circles of 80, 150 and 260 m along the equator, 1 km apart.
  private static let regions =
    "id,latitude,longitude,radius\n"
    + (1...10).map { "r\($0),0,\(degrees(1000 * Double($0))),\([80, 150, 260][$0 % 3])\n" }.joined()

  /// Devices that go east past them for an hour, each at its own pace, then stand for half an hour.
  private static func tracks(_ devices: Int = 3) -> String {
    var text = "device,time,latitude,longitude\n"
    for device in 0..<devices {
      for i in 0...540 {
        let way = (3 + 2 * Double(device)) * Double(min(10 * i, 3600))
        text += "phone \(device),\(1_000_000 + 10 * i),0,\(degrees(way))\n"
      }
    }
    return text
  }

  private static func degrees(_ metres: Double) -> Double { metres / 111_319.490793 }

  private static let files = [
    "classes.csv", "crowded.csv", "devices.csv", "missed.csv", "paired.csv", "phones.csv", "radii.csv",
    "report.html",
    "summary.csv", "summary.json", "tuned.csv",
  ]
  private static let policies = [
    "--policies", "always-best,always-hundred-meters,significant-change,monitor-slots",
  ]

  private func run(
    _ arguments: [String], in directory: TemporaryDirectory, tracks: String = Self.tracks()
  ) throws -> CommandRun {
    let regions = try directory.write(Self.regions, to: "stops.csv")
    let tracks = try directory.write(tracks, to: "ways.csv")
    return try CommandRun(["compare", regions, "--tracks", tracks] + arguments, in: directory.url)
  }

  private func contents(_ directory: TemporaryDirectory, _ name: String) throws -> String {
    String(decoding: try Data(contentsOf: directory.url.appendingPathComponent(name)), as: UTF8.self)
  }

  /// The rows of a CSV file without quotes, by column.
  private func rows(_ text: String) -> [[String: String]] {
    let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    guard let header = lines.first else { return [] }
    return lines.dropFirst().map { line in
      #expect(line.count == header.count, "\(line)")
      var row: [String: String] = [:]
      for (name, cell) in zip(header, line) { row[String(name)] = String(cell) }
      return row
    }
  }

  @Test func theTableAndTheFilesTellTheSame() throws {
    let directory = try TemporaryDirectory()
    // A phone that suspends none of the policies.
    let run = try run(
      Self.policies + ["--seeds", "2", "--output", "study", "--device", "iphone-6"], in: directory)
    #expect(run.status == 0, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("study")).sorted()
    #expect(names == Self.files)
    let summary = rows(try contents(directory, "study/summary.csv"))
    #expect(summary.map { $0["policy"] } == Self.policies[1].split(separator: ",").map(String.init))
    for row in summary {
      #expect(row["crossings"] == summary[0]["crossings"])
      let recall = try #require(Double(row["recall"] ?? ""))
      let (low, high) = (Double(row["recall_low"] ?? "") ?? 2, Double(row["recall_high"] ?? "") ?? -1)
      #expect(low <= recall && recall <= high)
      #expect(run.output.contains(row["policy"] ?? "?"))
    }
    let best = try #require(summary.first)
    #expect((Double(best["recall"] ?? "") ?? 0) > 0.9)
    #expect(run.output.contains("* no other policy is better"))
    // What is missed and what is late is what the recall and the classes say.
    let missed = rows(try contents(directory, "study/missed.csv"))
    for row in summary {
      let crossings = Double(row["crossings"] ?? "") ?? 0
      let lost = missed.count { $0["policy"] == row["policy"] && $0["latency"] == "" }
      #expect(
        abs(crossings * (1 - (Double(row["recall"] ?? "") ?? 0)) - Double(lost)) < 1e-3 * crossings + 0.01)
    }
    let classes = rows(try contents(directory, "study/classes.csv"))
    for dimension in ["size", "speed", "duration"] {
      let sum = classes.filter { $0["policy"] == "monitor-slots" && $0["dimension"] == dimension }
        .reduce(0) { $0 + (Int($1["crossings"] ?? "") ?? 0) }
      #expect("\(sum)" == summary[0]["crossings"])
    }
    #expect(rows(try contents(directory, "study/paired.csv")).count == 6 * 4)
    #expect(rows(try contents(directory, "study/devices.csv")).count == 4 * 3)
    // Every region that is passed has a verdict, and one that is too small a larger radius.
    let radii = rows(try contents(directory, "study/radii.csv"))
    #expect(!radii.isEmpty)
    for row in radii {
      #expect(["undetectable", "unreliable", "crowded", "fine"].contains(row["verdict"] ?? ""))
      #expect((Int(row["possible"] ?? "") ?? 9) <= (Int(row["passes"] ?? "") ?? 0))
      if let advised = Double(row["advised_radius"] ?? ""), row["verdict"] == "undetectable" {
        #expect(advised > (Double(row["radius"] ?? "") ?? .infinity))
      }
    }
    let crowded = try contents(directory, "study/crowded.csv")
    #expect(crowded.hasPrefix("latitude,longitude,wanted,left_out,seconds\n"))
    let json = try JSONSerialization.jsonObject(
      with: Data(try contents(directory, "study/summary.json").utf8))
    let object = try #require(json as? [String: Any])
    #expect((object["policies"] as? [Any])?.count == 4 && (object["paired"] as? [Any])?.count == 24)
    #expect(object["devices"] as? [String] == ["phone 0", "phone 1", "phone 2"])
    #expect(object["requirement"] == nil)
  }

  @Test func theSameSeedIsTheSameBytesWhateverTheThreads() throws {
    let directory = try TemporaryDirectory()
    let common = ["--policies", "significant-change,always-kilometer", "--require", "recall>=0.9", "--days"]
    var outputs: Set<String> = []
    for jobs in ["1", "2", "3"] {
      let run = try run(common + ["--jobs", jobs, "--output", "out\(jobs)"], in: directory)
      #expect(run.status == 0, "\(run.errors)")
      outputs.insert(run.output)
    }
    #expect(outputs.count == 1)
    _ = try run(common + ["--seed", "9", "--output", "other"], in: directory)
    for name in Self.files {
      let one = try contents(directory, "out1/\(name)")
      #expect(one == (try contents(directory, "out2/\(name)")), "\(name)")
      #expect(one == (try contents(directory, "out3/\(name)")), "\(name)")
    }
    #expect(try contents(directory, "out1/summary.csv") != (try contents(directory, "other/summary.csv")))
  }

  @Test func tracksAreReadAsEventsReadsThem() throws {
    let directory = try TemporaryDirectory()
    let whole = try run(["--policies", "always-best", "--format", "json"], in: directory)
    // A folder with a file for each device.
    let lines = Self.tracks().split(separator: "\n")
    try FileManager.default.createDirectory(
      atPath: directory.path("split"), withIntermediateDirectories: true)
    for device in 0..<3 {
      let own = lines.filter { $0.hasPrefix("device") || $0.hasPrefix("phone \(device),") }
      try directory.write(own.joined(separator: "\n") + "\n", to: "split/\(device).csv")
    }
    let regions = directory.path("stops.csv")
    let split = try CommandRun(
      [
        "compare", regions, "--tracks", directory.path("split"), "--policies", "always-best", "--format",
        "json",
      ])
    let pattern = try CommandRun(
      [
        "compare", regions, "--tracks", directory.path("split") + "/*.csv", "--policies", "always-best",
        "--format",
        "json",
      ])
    #expect(
      whole.status == 0 && whole.output == split.output && whole.output == pattern.output, "\(split.errors)")
    let piped = try CommandRun(
      ["compare", regions, "--tracks", "-", "--policies", "always-best", "--format", "json"],
      input: Self.tracks())
    #expect(piped.output == whole.output, "\(piped.errors)")
  }

  @Test func daysAreWholeAndStandStill() throws {
    let directory = try TemporaryDirectory()
    let plain = try run(["--policies", "always-best", "--output", "plain"], in: directory)
    let padded = try run(["--policies", "always-best", "--days", "--output", "padded"], in: directory)
    #expect(plain.status == 0 && padded.status == 0, "\(padded.errors)")
    let (a, b) = (
      rows(try contents(directory, "plain/devices.csv")), rows(try contents(directory, "padded/devices.csv"))
    )
    #expect(a.map { $0["hours"] } == ["1.5000", "1.5000", "1.5000"])
    #expect(b.map { $0["hours"] } == ["24.0000", "24.0000", "24.0000"])
    let (one, other) = (
      rows(try contents(directory, "plain/summary.csv")), rows(try contents(directory, "padded/summary.csv"))
    )
    #expect(one[0]["crossings"] == other[0]["crossings"])
  }

  @Test func aRequirementIsAnsweredInWords() throws {
    let directory = try TemporaryDirectory()
    let met = try run(
      ["--policies", "always-best,significant-change", "--require", "recall >= 80%, p95-latency <= 10min"],
      in: directory)
    #expect(met.status == 0, "\(met.errors)")
    #expect(met.output.contains("is the cheapest found among"))
    let unmet = try run(
      ["--policies", "significant-change", "--require", "recall>=1,p95-latency<=0.001s", "--output", "out"],
      in: directory)
    #expect(unmet.status == 0, "\(unmet.errors)")
    #expect(unmet.output.contains("none of") && unmet.output.contains("The nearest is"))
    let json = try JSONSerialization.jsonObject(with: Data(try contents(directory, "out/summary.json").utf8))
    let answer = try #require((json as? [String: Any])?["requirement"] as? [String: Any])
    #expect(answer["best"] is NSNull && answer["text"] as? String == "recall>=1,p95-latency<=0.001s")
  }

  /// What the app was allowed is part of the answer, on the page and in the files.
  @Test func aStudySaysWhatItsAppMayDo() throws {
    let directory = try TemporaryDirectory()
    let asked = [
      "--policies", "monitor-slots,monitor-adaptive,always-best", "--require", "recall>=0.1", "--device",
      "iphone-6", "--rules", "ios26",
    ]
    for (name, options) in [("all", []), ("less", ["--authorization", "whenInUse"])] {
      let run = try run(asked + options + ["--output", name], in: directory)
      #expect(run.status == 0, "\(run.errors)")
      let words = "with permission in use no region, visit or significant change wakes the app"
      let page = try contents(directory, "\(name)/report.html")
      #expect(page.contains("In this study, \(words)") == !options.isEmpty)
      #expect(page.contains("The rules for apps in the background are those called ios26."))
      #expect(run.errors.contains(words) == !options.isEmpty)
      let permission = "permission \(options.isEmpty ? "always" : "while using the app")"
      let answer = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(answer.contains("; \(permission)."), "\(answer)")
      let text = try contents(directory, "\(name)/summary.json")
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect(json?["rules"] as? String == "ios26")
      #expect(json?["authorization"] as? String == (options.isEmpty ? "always" : "whenInUse"))
      #expect((json?["limits"] as? String)?.hasPrefix(words) == (options.isEmpty ? nil : true))
      #expect(text.contains("permission always") == options.isEmpty)
    }
  }

  /// A changed copy of a profile is another phone, though it has the same name; the same phone is compared
  /// once.
  @Test func phonesOfOneNameAreToldApart() throws {
    let directory = try TemporaryDirectory()
    let phone = try DeviceProfile.named("iphone-6")
    try directory.write(String(decoding: try JSONEncoder().encode(phone), as: UTF8.self), to: "same.json")
    var changed = phone
    changed.idle.value *= 1.5
    changed.idle.high *= 1.5
    try directory.write(String(decoding: try JSONEncoder().encode(changed), as: UTF8.self), to: "mine.json")
    let run = try run(
      [
        "--policies", "always-best", "--seeds", "1", "--device", "iphone-6", "--phones",
        "same.json,mine.json", "--output", "out",
      ], in: directory)
    #expect(run.status == 0, "\(run.errors)")
    let phones = rows(try contents(directory, "out/phones.csv"))
    #expect(phones.compactMap { $0["phone"] } == ["iphone-6", "iphone-6-2"])
    let energies = phones.compactMap { Double($0["energy"] ?? "") }
    #expect(energies.count == 2 && energies[1] > energies[0] * 1.01, "\(energies)")
  }

  @Test func sharesInTimeAreShownAndRequired() throws {
    let directory = try TemporaryDirectory()
    let run = try run(
      [
        "--policies", "always-best,significant-change", "--within", "60,300", "--require",
        "entries-within-45s>=0.5,battery-days>=0.1", "--output", "out",
      ], in: directory)
    #expect(run.status == 0, "\(run.errors)")
    let title = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("policy") })
    for column in ["entries 60 s", "exits 60 s", "entries 300 s", "exits 300 s", "entries 45 s"] {
      #expect(title.contains(column), "\(title)")
    }
    #expect(run.output.contains("is the cheapest found among"), "\(run.output)")
    for row in rows(try contents(directory, "out/summary.csv")) {
      func number(_ name: String) throws -> Double { try #require(Double(row[name] ?? "")) }
      let shares = try ["45", "60", "300"].map { try number("entries_within_\($0)s") }
      #expect(shares == shares.sorted() && shares[2] <= 1)
      #expect(try abs(number("battery_days") * 24 * number("energy") - 100) < 0.01)
    }
    #expect(rows(try contents(directory, "out/classes.csv"))[0]["exits_within_60s"] != nil)
    #expect(rows(try contents(directory, "out/devices.csv"))[0]["entries_within_300s"] != nil)
    for text in ["0", "86401", "60,60", "1.5", "", "60,"] {
      let bad = try self.run(["--within", text], in: directory)
      #expect(bad.status == 64 && bad.errors.contains("--within"), "\(bad.errors)")
    }
  }

  @Test func theHeadlineIsOfTheVisitsAskedFor() throws {
    let directory = try TemporaryDirectory()
    let run = try run(
      [
        "--policies", "always-best", "--minimum-radius", "100", "--minimum-duration", "60", "--format",
        "json",
      ],
      in: directory)
    let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let policy = try #require(((json as? [String: Any])?["policies"] as? [[String: Any]])?.first)
    let (all, some) = (policy["crossings"] as? Int ?? 0, policy["headline_crossings"] as? Int ?? 0)
    #expect(some > 0 && some < all)
    let none = try self.run(["--policies", "always-best", "--minimum-radius", "1e6"], in: directory)
    #expect(none.status == 0 && none.errors.contains("nothing to report or to miss"))
  }

  @Test func oneDeviceHasNoIntervalsAndIsToldSo() throws {
    let directory = try TemporaryDirectory()
    let run = try run(
      ["--policies", "always-best", "--output", "out"], in: directory, tracks: Self.tracks(1))
    #expect(run.errors.contains("one device: no intervals"))
    #expect(rows(try contents(directory, "out/summary.csv"))[0]["recall_low"] == "")
  }

  @Test func copiesOfATrackAreToldOf() throws {
    let directory = try TemporaryDirectory()
    let tracks = Self.tracks(2)
    let words = "goes the same way as"
    let plain = try run(["--policies", "significant-change", "--seeds", "1"], in: directory, tracks: tracks)
    #expect(plain.status == 0 && !plain.errors.contains(words), "\(plain.errors)")
    // The same way on other days.
    let lines = tracks.split(separator: "\n").dropFirst()
    let device = try #require(lines.first?.split(separator: ",").first)
    let copy = lines.filter { $0.hasPrefix("\(device),") }.map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let time = (Double(fields[1]) ?? 0) + 86_400
      return (["copy", "\(time)"] + fields.dropFirst(2).map { "\($0)" }).joined(separator: ",") + "\n"
    }
    #expect(copy.count > 10)
    let copied = try run(
      ["--policies", "significant-change", "--seeds", "1"], in: directory, tracks: tracks + copy.joined())
    #expect(
      copied.errors.contains(
        "warning: \"copy\" goes the same way as \"\(device)\", place by place: intervals count"),
      "\(copied.errors)")
  }

  @Test("What stands for tiers that phones lack is told once for each of them")
  func missingTiersAreToldOf() throws {
    let directory = try TemporaryDirectory()
    let words = "note: the profile nexus-6 lacks tiers, and another one stands for each: best for"
    for (phones, count) in [
      (["--device", "nexus-6"], 1), (["--phones", "nexus-6,iphone-6"], 1), (["--device", "iphone-6"], 0),
    ] {
      let study = try run(
        ["--policies", "significant-change", "--seeds", "1"] + phones, in: directory, tracks: Self.tracks(1))
      #expect(study.status == 0, "\(study.errors)")
      #expect(study.errors.components(separatedBy: words).count == count + 1, "\(study.errors)")
    }
  }

  @Test func holesInATrackAreToldOf() throws {
    let directory = try TemporaryDirectory()
    let words =
      "note: between fixes, 1 step of 1 device takes more than 5 minutes and ends more than 100 m away"
    let lines = Self.tracks(1).split(separator: "\n")
    let holed = (lines.prefix(100) + lines.dropFirst(200)).joined(separator: "\n") + "\n"
    for (text, isTold) in [(Self.tracks(1), false), (holed, true)] {
      let study = try run(
        ["--policies", "significant-change", "--seeds", "1"], in: directory, tracks: text)
      #expect(study.status == 0 && study.errors.contains(words) == isTold, "\(study.errors)")
      let day = try CommandRun(
        ["simulate", "stops.csv", "--track", "ways.csv", "--policy", "significant-change", "--days"],
        in: directory.url)
      #expect(day.status == 0 && day.errors.contains(words) == isTold, "\(day.errors)")
    }
  }

  @Test func theHelpNamesPoliciesAndMetrics() throws {
    let run = try CommandRun(["compare", "--help"])
    #expect(run.status == 0 && run.errors.isEmpty)
    for part in ["EXAMPLES:", "EXIT CODES:", "  monitor-slots: ", "p95-latency (s)", "interval="] {
      #expect(run.output.contains(part), "\(part)")
    }
  }

  /// What the user does not allow is told, with the policies that fail of it; and the monitor, which is told
  /// as well, does not look for positions in vain.
  @Test(arguments: [
    (["--policies", "best-of-all"], Int32(64), "no policy best-of-all; there are monitor-slots"),
    (["--policies", "monitor-slots,,always-best"], 64, "no policy \"\";"),
    (["--policies", "monitor-slots,monitor-slots"], 64, "monitor-slots is there twice"),
    (["--policies", "monitor-slots:color=blue"], 64, "color"),
    (["--require", "recall>0.9"], 64, "neither >= nor <="),
    (["--require", "happiness>=1"], 64, "no metric \"happiness\""),
    (["--require", ""], 64, "a bound is expected"),
    (["--seeds", "0"], 64, "--seeds"),
    (["--minimum-radius", "nan"], 64, "--minimum-radius"),
    (["--minimum-duration", "-1"], 64, "--minimum-duration"),
    (["--jobs", "0"], 64, "--jobs"),
    (["--device", "toaster"], 64, "--device: no device toaster"),
    (["--phones", "toaster"], 64, "--phones: no device toaster; there are iphone-6, modern-phone, nexus-6"),
    (["--require", "recall<=0.9"], 64, ">= is meant"),
    (["--output", "stops.csv"], 1, "not a directory (stops.csv)"),
    (["--tracks", "missing.csv"], 1, "no such file (missing.csv)"),
    (["--tracks", "bad.csv"], 1, "bad.csv:3"),
  ])
  func refusals(arguments: [String], status: Int32, message: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("device,time,latitude,longitude\na,1,0,0\na,2,91,0\n", to: "bad.csv")
    let run = try run(arguments, in: directory)
    #expect(run.status == status, "\(arguments): \(run.errors)")
    #expect(run.errors.contains(message), "\(arguments): \(run.errors)")
    #expect(run.output.isEmpty)
    #expect(!directory.names.contains { $0.hasPrefix(".vicinity-") })
  }

  @Test func presetsAndTunedSettingsAreApart() throws {
    let directory = try TemporaryDirectory()
    let others = try directory.write(Self.tracks(4), to: "others.csv")
    let more = try directory.write(Self.regions, to: "more.csv")
    let asked = [
      "--policies", "fixed-interval,always-best,monitor-adaptive", "--seeds", "2", "--require", "recall>=0.5",
      "--tune", "--device", "iphone-6",
    ]
    let run = try run(
      asked + ["--choose-tracks", others, "--choose-regions", more, "--output", "out"], in: directory)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("On 3 devices that it was not chosen on"))
    let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("less than always-best") && words.contains("To ship it takes"))
    #expect(words.contains("but 3 devices cannot make that sure"))
    let rows = rows(try contents(directory, "out/tuned.csv"))
    let names = ["fixed-interval", "always-best", "monitor-adaptive"]
    #expect(rows.map { $0["policy"] } == names.flatMap { [$0, $0] })
    #expect(rows.map { $0["settings"] } == names.flatMap { _ in ["own", "tuned"] })
    #expect(rows[0]["label"] == "fixed-interval" && rows[1]["label"]?.hasPrefix("fixed-interval:") == true)
    #expect(rows.allSatisfy { Double($0["probability"] ?? "") != nil && Double($0["energy"] ?? "") != nil })
    let json = try JSONSerialization.jsonObject(with: Data(try contents(directory, "out/summary.json").utf8))
    let object = try #require(json as? [String: Any])
    // What each of a policy's two settings takes to ship is that of these settings, and not of the others.
    let found = try #require(rows[5]["label"]?.split(separator: "=").last)
    #expect(found != "60" && rows[4]["label"] == "monitor-adaptive")
    let needs = ["60", String(found)].map {
      "Monitor with .adaptive(latency: .seconds(\($0))) and presence .indicator: background mode location; its user sees a blue bar; permission always"
    }
    #expect(rows[4...].map { $0["needs"] } == needs)
    let tuned = try #require(object["tuned"] as? [[String: Any]])
    #expect(tuned.count == 3 && tuned[2]["needs"] as? String == needs[0])
    #expect(tuned[2]["tuned_needs"] as? String == needs[1])
    let confirmed = try #require((object["requirement"] as? [String: Any])?["confirmed"] as? [String: Any])
    #expect((confirmed["bounds"] as? [[String: Any]])?.first?["text"] as? String == "recall>=0.5")
    #expect((confirmed["references"] as? [[String: Any]])?.first?["policy"] as? String == "always-best")
  }

  @Test(arguments: [
    (["--tune"], "--tune needs --require"),
    (["--choose-tracks", "ways.csv"], "--choose-tracks needs --require"),
    (
      ["--require", "recall>=0.5", "--choose-regions", "stops.csv"], "--choose-regions needs --choose-tracks"
    ),
    (["--require", "recall>=0.5", "--choose-tracks", "-"], "--choose-tracks cannot be standard input"),
  ])
  func whatChoosesNeedsAQuestion(arguments: [String], message: String) throws {
    let run = try run(arguments, in: try TemporaryDirectory())
    #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
  }
}
