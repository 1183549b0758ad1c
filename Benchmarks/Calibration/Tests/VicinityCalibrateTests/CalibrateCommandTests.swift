import Foundation
import Testing
import VicinitySimulation

/// Measurements beside the repository that developers have and users do not.
private let mobilityNet = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
    "shared/data/mobilitynet")

/// `vicinity-calibrate` as a process: files, reports, refusals.
@Suite struct CalibrateCommandTests {
  /// Two days of one iPhone: a ride of 20 minutes each, an hour at rest around it, asked for Best throughout,
  /// and a phone that lay beside its like for twelve hours.
  private struct Folder {
    let directory: TemporaryDirectory
    var tables: [String: String] = [:]

    static let headers = [
      "ranges.csv":
        "range_id,run_id,timeline,phone,os,kind,regime,tracking,accuracy_constant,distance_filter_m,interval_s,"
        + "duty_cycled,start_ts,end_ts,end_local,drain_pct_h,drain_below100_pct_h,below100_h",
      "battery.csv": "range_id,ts,level_pct,battery_status",
      "errors.csv": "range_id,ts,truth,err_m,accuracy_m,truth_speed_mps",
      "reference.csv": "run_id,ts,latitude,longitude,suspect",
      "transitions.csv": "range_id,run_id,source,ts,end_ts,event",
      "exit_latency.csv": "range_id,trip_start,status,latency_from_100m_s",
    ]

    init() throws {
      directory = try TemporaryDirectory()
      for (name, header) in Self.headers { tables[name] = header + "\n" }
      for day in 0..<2 {
        let start = 1_600_000_000 + day * 86_400
        add(
          "ranges.csv",
          "r\(day),run\(day),ride,a,ios,evaluation,ALWAYS,1,kCLLocationAccuracyBest,1,,1,\(start),"
            + "\(start + 21_600),2020-09-1\(3 + day)T00:00:00,5,6,5")
        add(
          "ranges.csv",
          "l\(day),lay\(day),home,b,ios,calibration,LYING,1,kCLLocationAccuracyBest,1,,0,\(start),"
            + "\(start + 43_200),2020-09-1\(3 + day)T00:00:00,4.4,4.5,11")
        for hour in 0...6 {
          add("battery.csv", "r\(day),\(start + hour * 3600),\(100 - 5 * hour),1")
          add("battery.csv", "l\(day),\(start + hour * 7200),\(100 - 9 * hour),1")
        }
        add("transitions.csv", "r\(day),run\(day),statemachine,\(start + 1900),,T_EXITED_GEOFENCE")
        add("transitions.csv", "r\(day),run\(day),statemachine,\(start + 3100),,T_TRIP_ENDED")
        add("transitions.csv", "r\(day),run\(day),manual,\(start + 1795),\(start + 3000),trip")
        add("exit_latency.csv", "r\(day),\(start + 1795),woke,70")
        for second in 0..<1200 {
          let time = start + 1800 + second
          add("reference.csv", "run\(day),\(time),\(37 + Double(second) * 1e-4),-122,0")
          let error = 4 + (second * 7919 + day * 31) % 13
          add("errors.csv", "r\(day),\(time),reference,\(error),\(5 + error),10")
        }
      }
    }

    mutating func add(_ table: String, _ row: String) { tables[table, default: ""] += row + "\n" }

    func write() throws -> String {
      for (name, text) in tables { try directory.write(text, to: name) }
      return directory.url.path
    }
  }

  private func contents(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func writesProfilesAndReports() throws {
    let folder = try Folder()
    let path = try folder.write()
    let options = ["--seed", "3", "--leave-out", "day"]
    let first = try CommandRun(
      of: "vicinity-calibrate", [path, "--output", folder.directory.path("one")] + options)
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.isEmpty)
    #expect(first.errors.contains("4 ranges; "))
    let second = try CommandRun(
      of: "vicinity-calibrate", [path, "--output", folder.directory.path("two")] + options)
    #expect(second.status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.directory.path("one")).sorted()
    // The folder knows no Android phone.
    #expect(
      names == [
        "iphone-6.json", "validation-day.svg", "validation.csv", "validation.html", "validation.json",
        "validation.md",
      ])
    for name in names {
      #expect(
        try contents(folder.directory.path("one/\(name)")) == contents(folder.directory.path("two/\(name)")))
    }
    let rows = try contents(folder.directory.path("one/validation.csv")).split(separator: "\n")
    let header = [
      "split,platform,tier,regime,moving,quantity,unit,measured,low,high,n,ranges,predicted,difference,goal,met",
      "by_interval,predicted_low,predicted_high,spread,note",
    ].joined(separator: ",")
    #expect(rows[0] == header)
    let error = try #require(rows.first { $0.hasPrefix("day,ios,best,ALWAYS,true,error p50,m,") }).split(
      separator: ",", omittingEmptySubsequences: false)
    #expect(error[7] == "10.0000")
    #expect(error[10] == "2400")
    // No truth's noise is known here: what is predicted of the other day is what was measured on this.
    let predicted = try #require(Double(error[12]))
    #expect(abs(predicted - 10) < 1.5)
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: folder.directory.url.appendingPathComponent("one/validation.json")))
    let comparisons = try #require((json as? [String: Any])?["comparisons"] as? [[String: Any]])
    #expect(comparisons.count == rows.count - 1)
    // No fixes are known here, so nothing of a filter.
    #expect(((json as? [String: Any])?["filter_effects"] as? [Any])?.isEmpty == true)
    let report = try contents(folder.directory.path("one/validation.md"))
    // The picture is on the first screen, and on the page.
    #expect(report.split(separator: "\n")[1].hasPrefix("![Days left out: predicted against measured; "))
    #expect(report.split(separator: "\n")[1].hasSuffix("](validation-day.svg)"))
    let picture = try contents(folder.directory.path("one/validation-day.svg"))
    // A picture of its own size, so that a page that links to the file does not shrink it.
    #expect(picture.prefix(200).contains(#" width="520.0" height="560.0""#))
    let page = try contents(folder.directory.path("one/validation.html"))
    #expect(page.contains(picture) && !page.contains("{{"))
    // A mark with a title for each judged comparison, and the picture's own title.
    let judged = rows.count {
      ["true", "false"].contains($0.split(separator: ",", omittingEmptySubsequences: false)[15])
    }
    #expect(judged > 0)
    #expect(picture.components(separatedBy: "<title>").count == judged + 2)
    #expect(report.contains("among them: 2020-09-13, 2020-09-14; a night counts"))
    // No phone was carried with tracking off: drains rest on the published idle power, and are not judged.
    let drains = rows.filter { $0.contains(",drain,%/h,") }
    #expect(drains.count == 2)
    for row in drains {
      let cells = row.split(separator: ",", omittingEmptySubsequences: false)
      #expect(cells[15].isEmpty && cells[16].isEmpty, "\(row)")
      #expect(row.contains("idle power"))
    }
    try checkGoals(rows, json: json, report: report, said: first.errors, notCounted: 2)
    #expect(report.contains("## What cannot be validated"))
  }

  /// The rows' verdicts are counted alike in the report, the JSON and what the command says, and never as a
  /// total alone.
  private func checkGoals(
    _ rows: [Substring], json: Any, report: String, said: String, notCounted: Int
  ) throws {
    var (met, byInterval, missed, none) = (0, 0, 0, 0)
    for row in rows.dropFirst() {
      let cells = row.split(separator: ",", omittingEmptySubsequences: false)
      switch (cells[14].isEmpty, cells[15], cells[16]) {
      case (true, "", ""): break
      case (false, "true", "false"): met += 1
      case (false, "true", "true"): byInterval += 1
      case (false, "false", "false"): missed += 1
      case (false, "", ""): none += 1
      default: Issue.record("\(row)")
      }
    }
    #expect(met > 0)
    #expect(none == notCounted)
    let splits = try #require((json as? [String: Any])?["splits"] as? [[String: Any]])
    #expect(splits.compactMap { $0["split"] as? String } == ["day"])
    let goals = try #require(splits.first?["goals"] as? [String: Int])
    #expect(goals == ["met": met, "met_by_interval": byInterval, "missed": missed, "not_counted": none])
    let phrase =
      "\(met + byInterval) of \(met + byInterval + missed) met (\(met) by the share, \(byInterval) by the interval alone), "
      + "\(missed) missed"
    #expect(report.contains("Goals: \(phrase).\n"), "\(report)")
    #expect(said.contains("; days left out: \(phrase); see "), "\(said)")
    #expect(report.contains("Not counted, as nothing can be told: \(none), ") == (none > 0))
    #expect(report.components(separatedBy: "| met |").count - 1 == met)
    #expect(report.components(separatedBy: "| met by the interval |").count - 1 == byInterval)
    #expect(report.components(separatedBy: "| **missed** |").count - 1 == missed)
    #expect(report.components(separatedBy: "| not counted |").count - 1 == none)
  }

  @Test func judgesAnotherFolderByOneFit() throws {
    let fitted = try Folder()
    var judged = try Folder()
    // Other names, and errors three times as large.
    for (name, text) in judged.tables {
      judged.tables[name] =
        text.split(separator: "\n").enumerated().map { line, row in
          guard line > 0 else { return String(row) }
          var cells = row.split(separator: ",", omittingEmptySubsequences: false).map { "\($0)" }
          cells[0] = "other-" + cells[0]
          if name == "ranges.csv" || name == "transitions.csv" { cells[1] = "other-" + cells[1] }
          if name == "errors.csv" { cells[3] = "\(3 * (Int(cells[3]) ?? 0))" }
          return cells.joined(separator: ",")
        }.joined(separator: "\n") + "\n"
    }
    let (path, other) = (try fitted.write(), try judged.write())
    let run = try CommandRun(
      of: "vicinity-calibrate",
      [
        path, "--judge", other, "--output", fitted.directory.path("judged"),
      ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("4 ranges fitted; "))
    let rows = try contents(fitted.directory.path("judged/validation.csv")).split(separator: "\n")
    #expect(rows.dropFirst().allSatisfy { $0.hasPrefix("folder,") })
    let cells = try #require(rows.first { $0.hasPrefix("folder,ios,best,ALWAYS,true,error p50") })
      .split(separator: ",", omittingEmptySubsequences: false)
    // Measured of the one, predicted by the other.
    #expect(cells[7] == "30.0000")
    #expect(abs(try #require(Double(cells[12])) - 10) < 1.5)
    let report = try contents(fitted.directory.path("judged/validation.md"))
    #expect(report.contains("\n## Another folder\n") && report.contains("other-run0, other-run1"))
    // What is written is fitted to the first folder alone.
    let alone = try CommandRun(of: "vicinity-calibrate", [path, "--output", fitted.directory.path("alone")])
    #expect(alone.status == 0, "\(alone.errors)")
    #expect(
      try contents(fitted.directory.path("alone/iphone-6.json"))
        == contents(fitted.directory.path("judged/iphone-6.json")))
    // Without being told, days are left out and then outings.
    let both = try contents(fitted.directory.path("alone/validation.md"))
    for split in ["day", "outing"] {
      #expect(both.contains("](validation-\(split).svg)"))
      #expect(try contents(fitted.directory.path("alone/validation-\(split).svg")).hasPrefix("<svg "))
    }
    #expect(both.contains("\n## Days left out\n") && both.contains("\n## Outings left out\n"))
    #expect(alone.errors.contains("days left out: ") && alone.errors.contains("outings left out: "))
    let itself = try CommandRun(
      of: "vicinity-calibrate", [path, "--judge", path, "--output", fitted.directory.path("no")])
    #expect(itself.status == 1)
    #expect(itself.errors.contains("r0 of run run0 is among what is fitted too"), "\(itself.errors)")
    let contradiction = ["--judge", other, "--leave-out", "day", "--output", fitted.directory.path("no")]
    #expect(try CommandRun(of: "vicinity-calibrate", [path] + contradiction).status == 64)
  }

  /// A range of ten hours with other drains.
  private static func hours(drains: String) -> String {
    "r7,x,ride,a,ios,evaluation,A,1,kCLLocationAccuracyBest,1,,1,1600000000,1600036000,2020-09-13,\(drains)"
  }

  @Test("Levels that are shares are refused; a level that rounding puts above 100 is 100")
  func levelsArePerCent() throws {
    var folder = try Folder()
    let rows = folder.tables["battery.csv", default: ""].split(separator: "\n").map { row in
      var cells = row.split(separator: ",").map { String($0) }
      if let level = Double(cells[2]) { cells[2] = "\(level / 100)" }
      return cells.joined(separator: ",")
    }
    folder.tables["battery.csv"] = rows.map { $0 + "\n" }.joined()
    let output = folder.directory.path("out")
    var run = try CommandRun(of: "vicinity-calibrate", [try folder.write(), "--output", output])
    #expect(run.status == 1)
    #expect(run.errors.contains("level_pct is 0.95, and no level of the range is above 1"), "\(run.errors)")
    #expect(run.errors.contains("battery.csv") && run.errors.contains("4"), "\(run.errors)")

    var rounded = try Folder()
    rounded.tables["battery.csv"] = rounded.tables["battery.csv"]?.replacing(",100,", with: ",100.0001,")
    // An almost empty battery is no share.
    rounded.add("battery.csv", "r0,1600021599,0.5,1")
    run = try CommandRun(
      of: "vicinity-calibrate",
      [try rounded.write(), "--output", rounded.directory.path("out"), "--leave-out", "day"])
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(
    "Damage is named with file and line",
    arguments: [
      ("errors.csv", "r0,1600001801,reference,far,5,10", "err_m \"far\" is not a number"),
      ("errors.csv", "r9,1600001801,reference,1,5,10", "no range r9"),
      ("errors.csv", "r0,1600001801,oracle,1,5,10", "truth oracle is not known"),
      ("errors.csv", "r0,1600001801,reference,-1,5,10", "an error without"),
      ("reference.csv", "run0,1600001801,97,-122,0", "no place"),
      ("battery.csv", "r0,1600000000", "2 fields where the header has 4"),
      ("transitions.csv", "r0,run0,manual,1600000500,1600000400,trip", "does not end after it began"),
      (
        "ranges.csv",
        "r0,x,ride,a,ios,evaluation,A,1,kCLLocationAccuracyBest,1,,1,1600000000,1600000010,2020-09-13,,,",
        "range r0 a second time"
      ),
      (
        "ranges.csv",
        "r7,x,ride,a,palm,evaluation,A,1,kCLLocationAccuracyBest,1,,1,1600000000,1600000010,2020-09-13,,,",
        "os palm is neither"
      ),
      (
        "ranges.csv",
        "../r7,x,ride,a,ios,evaluation,A,1,kCLLocationAccuracyBest,1,,1,1600000000,1600000010,2020-09-13,,,",
        "is no name of a range"
      ),
      (
        "ranges.csv", "r7,x,ride,a,ios,evaluation,A,1,Finest,1,,1,1600000000,1600000010,2020-09-13,,,",
        "accuracy Finest is not known"
      ),
      ("ranges.csv", hours(drains: "-4.4,4.5,9"), "drain_pct_h is -4.4, and cannot be negative"),
      ("ranges.csv", hours(drains: "4.4,450,9"), "drain_below100_pct_h is 450: per cent an hour"),
      ("ranges.csv", hours(drains: "4.4,4.5,400"), "below100_h is 400, and the range lasts only 10.0 hours"),
      ("ranges.csv", hours(drains: "4.4,4.5,-1"), "below100_h is -1, and cannot be negative"),
      ("battery.csv", "r0,1600000001,-100,1", "level_pct is -100: while iOS does not know the level"),
      ("battery.csv", "r0,1600000001,-1,1", "which is -100 per cent. Leave such rows out"),
      ("battery.csv", "r0,1600000001,-5,1", "level_pct is -5: per cent are expected, 0 to 100"),
      ("battery.csv", "r0,1600000001,150,1", "level_pct is 150: per cent are expected, 0 to 100"),
      (
        "battery.csv", "r0,1600000001000,80,1",
        "the time 1600000001000 is not within range r0, from 1600000000 to 1600021600: seconds since 1970"
      ),
      ("errors.csv", "r0,1600000001000,reference,1,5,10", "the time 1600000001000 is not within range r0"),
      ("errors.csv", "r0,1600001801,reference,1,5,-1", "truth_speed_mps is -1, and cannot be negative"),
      (
        "transitions.csv", "r0,run0,statemachine,1600000001000,,T_TRIP_ENDED",
        "the time 1600000001000 is not within range r0"
      ),
      ("exit_latency.csv", "r0,1600001795000,woke,70", "the time 1600001795000 is not within range r0"),
      ("exit_latency.csv", "r0,1600001795,woke,70000", "trip_start + latency_from_100m_s = 1600071795.0"),
    ])
  func damage(table: String, row: String, reason: String) throws {
    var folder = try Folder()
    folder.add(table, row)
    let line = folder.tables[table, default: ""].split(separator: "\n").count
    let path = try folder.write()
    let run = try CommandRun(of: "vicinity-calibrate", [path, "--output", folder.directory.path("out")])
    #expect(run.status == 1)
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(run.errors.contains("\(table)") && run.errors.contains("\(line)"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.directory.path("out/validation.md")))
  }

  @Test("A profile of one's own is what a fit starts from: its name and its battery stay")
  func startsFromAnotherProfile() throws {
    let folder = try Folder()
    let path = try folder.write()
    func fitted(_ options: [String], _ name: String) throws -> DeviceProfile {
      let output = folder.directory.path("of-" + name)
      let run = try CommandRun(
        of: "vicinity-calibrate", [path, "--output", output, "--leave-out", "day"] + options)
      #expect(run.status == 0, "\(run.errors)")
      let file = URL(fileURLWithPath: "\(output)/\(name).json")
      return try DeviceProfile(json: Array(Data(contentsOf: file)))
    }
    let shipped = try fitted([], "iphone-6")
    var own = try DeviceProfile.named("iphone-6")
    own.name = "my-phone"
    own.battery = Figure(
      2 * own.battery.value, low: 2 * own.battery.low, high: 2 * own.battery.high, basis: .published,
      source: own.battery.source)
    func write(_ profile: DeviceProfile) throws -> String {
      try folder.directory.write(String(decoding: profile.encoded(), as: UTF8.self), to: "own.json")
      return folder.directory.path("own.json")
    }
    let found = try fitted(["--base", try write(own)], "my-phone")
    #expect(found.battery == own.battery)
    // The same drain is twice the power.
    func motion(_ profile: DeviceProfile) throws -> Double {
      try #require(profile.listedFigures.first { $0.path == "tiers.best.motion" }).figure.value
    }
    #expect(try motion(found) > 1.5 * motion(shipped))

    func refusal(_ options: [String]) throws -> String {
      let run = try CommandRun(
        of: "vicinity-calibrate", [path, "--output", folder.directory.path("no")] + options)
      #expect(run.status == 1)
      return run.errors
    }
    let file = folder.directory.path("own.json")
    #expect(try refusal(["--base", file, "--base", file]).contains("is of platform ios too"))
    own.platform = .android
    #expect(try refusal(["--base", try write(own)]).contains("of which no phone was measured"))
    (own.platform, own.name) = (.ios, "validation")
    #expect(try refusal(["--base", try write(own)]).contains("two files would be called validation.json"))
  }

  @Test func helpFitsATerminal() throws {
    let run = try CommandRun(of: "vicinity-calibrate", ["--help"])
    #expect(run.status == 0 && run.errors.isEmpty)
    for part in ["EXAMPLES:", "EXIT CODES:", "USAGE:"] { #expect(run.output.contains(part)) }
    for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    let wrong = try CommandRun(of: "vicinity-calibrate", ["mine", "--outptu", "x"])
    #expect(wrong.status == 64 && wrong.errors.hasPrefix("vicinity-calibrate: error: "), "\(wrong.errors)")
  }

  @Test func missingFilesAndColumns() throws {
    let folder = try Folder()
    let path = try folder.write()
    try FileManager.default.removeItem(atPath: folder.directory.path("battery.csv"))
    var run = try CommandRun(of: "vicinity-calibrate", [path, "--output", folder.directory.path("out")])
    #expect(run.status == 1)
    #expect(run.errors.contains("battery.csv"))
    try folder.directory.write("range_id,ts\nr0,1\n", to: "battery.csv")
    run = try CommandRun(of: "vicinity-calibrate", [path, "--output", folder.directory.path("out")])
    #expect(run.status == 1)
    #expect(run.errors.contains("no column \"level_pct\""))
    run = try CommandRun(
      of: "vicinity-calibrate",
      [
        folder.directory.path("nowhere"), "--output", folder.directory.path("out"),
      ])
    #expect(run.status == 1)
    #expect(run.errors.contains("no such folder"))
    #expect(try CommandRun(of: "vicinity-calibrate", [path]).status == 64)
    #expect(try CommandRun(of: "vicinity-calibrate", [path, "--output", "-"]).status == 64)
  }

  /// What a phone has recorded in a night at home and on a walk of half an hour around it.
  private static func recording(day: Int, phone: String, accuracy: String, seed: Int) -> String {
    let start = 1_600_000_000 + day * 86_400
    var lines = ["\(start),phone,\(phone),iPhone,26"]
    func range(_ run: String, _ outing: String, _ motion: String, from first: Int, hours: Int) {
      lines.append("\(first),range,\(run),\(outing),2020-09-1\(3 + day),\(motion),\(accuracy),")
      if motion == "still" { lines.append("\(first),place,37,-122") }
      for minute in 0..<(60 * hours) {
        let time = first + 60 * minute
        if minute % 10 == 0 { lines.append("\(time),battery,\(100 - minute / 20)") }
        if minute == 60, motion == "moving" { lines.append("\(time),trip") }
        if minute == 90, motion == "moving" { lines.append("\(time),arrived") }
        guard accuracy != "off" else { continue }
        let seconds =
          motion == "moving" && (60..<90).contains(minute) ? Array(stride(from: 0, to: 60, by: 5)) : [0]
        for second in seconds {
          let way = motion == "moving" ? min(1800, max(0, 60 * (minute - 60) + second)) : 0
          let error = Double((minute * 7919 + second * 31 + seed) % 9) * 1e-5
          lines.append("\(time + second).5,fix,\(37 + 1e-5 * Double(way) + error),-122,8,\(time + second)")
        }
      }
      lines.append("\(first + 3600 * hours),end")
    }
    range("night\(day)", "home", "still", from: start, hours: 8)
    range("walk\(day)", "walk", "moving", from: start + 40_000, hours: 6)
    return lines.map { $0 + "\n" }.joined()
  }

  @Test func readsWhatPhonesHaveRecorded() throws {
    let directory = try TemporaryDirectory()
    var paths: [String] = []
    for day in 0..<2 {
      for (number, accuracy) in ["best", "hundredMeters", "off"].enumerated() {
        let name = "p\(number)-\(day).recording"
        let text = Self.recording(day: day, phone: "p\(number)", accuracy: accuracy, seed: 3 * day + number)
        try directory.write(text, to: name)
        paths.append(directory.path(name))
      }
    }
    let options = ["--output", directory.path("out"), "--leave-out", "day"]
    let run = try CommandRun(of: "vicinity-calibrate", paths + options)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("12 ranges"), "\(run.errors)")
    #expect(FileManager.default.fileExists(atPath: directory.path("out/iphone-6.json")))
    let rows = try contents(directory.path("out/validation.csv")).split(separator: "\n")
    #expect(rows.contains { $0.contains(",drain,") }, "\(rows)")

    try directory.write("1600000000,phone,p,a,b\n1600000001,range,x\n", to: "broken.recording")
    let broken = try CommandRun(of: "vicinity-calibrate", [directory.path("broken.recording")] + options)
    #expect(broken.status == 1)
    #expect(broken.errors.contains("broken.recording:2"), "\(broken.errors)")
    let twice = try CommandRun(of: "vicinity-calibrate", [paths[0], paths[0]] + options)
    #expect(twice.status == 1)
    #expect(twice.errors.contains("has the name p0-0 too"), "\(twice.errors)")
  }

  @Test(
    "Real phones: two outings and a night of MobilityNet, where it lies beside the repository",
    .enabled(
      if: FileManager.default.fileExists(atPath: mobilityNet.appendingPathComponent("ranges.csv").path),
      "no ../shared/data/mobilitynet"))
  func realPhones() throws {
    let root = mobilityNet
    let directory = try TemporaryDirectory()
    let runs = [
      "unimodal_trip_car_bike_mtv_la__0", "unimodal_trip_car_bike_mtv_la__1",
      "sfba_hf_calibration_stationary_only__8", "sfba_hf_calibration_stationary_only__9",
    ]
    for name in ["ranges", "battery", "errors", "reference", "transitions", "exit_latency"] {
      let text = try Self.text(root.appendingPathComponent(name + ".csv"))
      let lines = text.split(separator: "\n").enumerated().filter { index, line in
        // A run's name; or a range's, which has the phone in the middle.
        index == 0
          || runs.contains { run in
            let parts = run.components(separatedBy: "__")
            let first = line.prefix { $0 != "," }
            return first.hasPrefix(parts[0] + "__") && first.hasSuffix("__" + parts[1])
          }
      }
      #expect(lines.count > 1, "\(name)")
      try directory.write(lines.map(\.element).joined(separator: "\n") + "\n", to: name + ".csv")
    }
    try FileManager.default.createSymbolicLink(
      at: directory.url.appendingPathComponent("fixes"),
      withDestinationURL: root.appendingPathComponent("fixes"))
    let run = try CommandRun(
      of: "vicinity-calibrate",
      [
        directory.url.path, "--output", directory.path("out"), "--leave-out", "day",
      ])
    #expect(run.status == 0, "\(run.errors)")
    let rows = try contents(directory.path("out/validation.csv")).split(separator: "\n")
    #expect(rows.contains { $0.hasPrefix("day,ios,hundredMeters,MAHFDC,true,error p50") })
    #expect(rows.contains { $0.hasPrefix("day,ios,regions,") })
    #expect(rows.contains { $0.hasPrefix("day,android,best,HAHFDC,true,error p50") })
    // Fitted on one weekend's Saturday, its Sunday is predicted within a third.
    let row = try #require(rows.first { $0.hasPrefix("day,ios,best,HAHFDC,true,error p50") })
    let cells = row.split(separator: ",", omittingEmptySubsequences: false)
    let difference = try #require(Double(cells[13]))
    #expect(abs(difference) < 0.34)
    // What a filter lets through is judged of both tiers that had none.
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: directory.url.appendingPathComponent("out/validation.json")))
    let effects = try #require((json as? [String: Any])?["filter_effects"] as? [[String: Any]])
    #expect(effects.compactMap { $0["regime"] as? String } == ["HAHFDC", "MAHFDC"])
    for effect in effects {
      let number = { (key: String) in try #require(effect[key] as? Double) }
      #expect(try number("n_behind") < number("n") && number("n_behind") > 0)
      #expect(try number("measured_behind") > number("measured"))
    }
    #expect(try contents(directory.path("out/validation.md")).contains("\n## What a distance filter does\n"))
  }

  private static func text(_ file: URL) throws -> String {
    if FileManager.default.fileExists(atPath: file.path) {
      return try String(contentsOf: file, encoding: .utf8)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", file.path + ".gz"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(file.path).gz")
    return String(decoding: data, as: UTF8.self)
  }
}
