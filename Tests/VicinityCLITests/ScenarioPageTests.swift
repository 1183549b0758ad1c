import Foundation
import Testing

/// The examples on the page Scenarios, run as they stand, and what a scenario is refused for.
@Suite struct ScenarioPageTests {
  private static func degrees(_ metres: Double) -> Double { metres / 111_319.490793 }

  /// Ten circles of 200 m along the equator, 1 km apart.
  private static let regions =
    "id,latitude,longitude,radius\n"
    + (1...10).map { "r\($0),0,\(degrees(1000 * Double($0))),200\n" }.joined()

  /// East past them at 5 m/s for an hour, then half an hour at rest.
  private static let track =
    "device,time,latitude,longitude\n"
    + (0...540).map { "me,\(1_000_000 + 10 * $0),0,\(degrees(5 * Double(min(10 * $0, 3600))))\n" }.joined()

  /// West at the same speed, from 3 km east of where it begins.
  private static let friend =
    "device,time,latitude,longitude\n"
    + (0...360).map { "friend,\(1_000_000 + 10 * $0),0,\(degrees(3000 - 5 * Double(10 * $0)))\n" }.joined()

  private static func page() throws -> String {
    try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(
          path: "Sources/VicinitySimulation/VicinitySimulation.docc/Scenarios.md"), encoding: .utf8)
  }

  /// The examples by the word that their comment begins with.
  private static func examples() throws -> [String: String] {
    var examples: [String: String] = [:]
    for block in try page().components(separatedBy: "```scenario\n").dropFirst() {
      let text = block.components(separatedBy: "```")[0]
      let name = text.dropFirst(2).prefix { $0 != ":" }
      examples[String(name)] = text
    }
    return examples
  }

  /// Runs a scenario, and gives its timeline.
  private func run(_ arguments: [String], in directory: TemporaryDirectory) throws -> CommandRun {
    let regions = try directory.write(Self.regions, to: "stops.csv")
    let track = try directory.write(Self.track, to: "way.csv")
    try directory.write(Self.friend, to: "friend.csv")
    try directory.write(Self.friend.replacing("friend,1", with: "friend,2"), to: "later.csv")
    return try CommandRun(
      ["simulate", regions, "--track", track, "--device", "iphone-6"] + arguments, in: directory.url)
  }

  /// What must be in each example's timeline, in this order.
  private static let expected: [(name: String, lines: [String])] = [
    (
      "beacons",
      [
        #""service":"advertising","setting":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/0/0""#,
        #""event":"entered","region":"shop""#, #""event":"ranged","beacons":1"#,
        #""event":"exited","region":"shop""#,
      ]
    ),
    (
      "keep-alive",
      [
        #""service":"socket","setting":"connected for VoIP""#, #""event":"socket_data""#,
        #""event":"kept_alive""#, #""event":"launched","because":"keepAlive""#,
      ]
    ),
    ("heading", [#""service":"heading","setting":"filter 20.0 degrees""#, #""event":"heading""#]),
    (
      "deferral",
      [#""setting":"deferred: 2000.0 m"#, #""event":"deferred_updates_finished","because":"timeout""#]
    ),
    (
      "notifications",
      [
        #""kind":"notified","notification":"lunch""#, #""kind":"notified","notification":"reminder""#,
        #""kind":"notified","notification":"arrival""#,
      ]
    ),
    (
      "capabilities",
      [
        "no compass", #""setting":"authorization denied""#, #""setting":"authorization always""#,
        #""setting":"background refresh off""#,
      ]
    ),
    (
      "user actions",
      [
        #""event":"became_active""#, #""event":"entered_background""#, #""because":"memory pressure""#,
        #""because":"force-quit""#, #""because":"launched: user""#,
        #""kind":"task_began""#, #""kind":"task_ended""#,
      ]
    ),
    ("surroundings", [#""event":"locations","source":"standard""#]),
    ("faults", [#""because":"memory pressure""#]),
    (
      "a blocked main thread",
      [
        #""setting":"the main thread is blocked for 30.0 seconds""#, #""state":"background""#,
        #""setting":"work is done""#, #""because":"killed: main thread blocked""#,
      ]
    ),
    (
      "a blocking loop",
      [
        #""event":"entered_background""#, #""kind":"task_began""#, #""event":"task_expires""#,
        #""kind":"task_ended""#, #""state":"suspended""#,
      ]
    ),
    (
      "wishes",
      [
        #""event":"determined","region":"shop""#, #""notification":"daily""#,
        #""event":"exited","region":"stop""#,
      ]
    ),
    (
      "limits",
      [
        "100 regions are monitored, the system's limit, 99 of them for other apps",
        "a radius of 20000.0 m is more than 10000.0 m", #""kind":"registered","region":"b""#,
      ]
    ),
    ("a computer", [#""event":"launched""#]),
    (
      "sessions",
      [
        #""service":"service session","setting":"begun""#,
        #""service":"background activity","setting":"begun""#,
        #""setting":"best, filter 10.0 m, in the background""#, #""event":"locations","source":"standard""#,
        #""service":"background activity","setting":"ended""#, #""state":"suspended""#,
        #""service":"live","setting":"fitness""#,
      ]
    ),
    (
      "phones together",
      [
        #""event":"ranged","beacons":0"#, #""event":"ranged","beacons":1"#,
        #""event":"entered","region":"people""#, #""event":"exited","region":"people""#,
        #""event":"entered","region":"people""#,
      ]
    ),
  ]

  @Test func everyExampleRuns() throws {
    let examples = try Self.examples()
    #expect(Set(examples.keys) == Set(Self.expected.map(\.name)))
    for (name, lines) in Self.expected {
      let directory = try TemporaryDirectory()
      let file = try directory.write(try #require(examples[name]), to: "scenario.txt")
      let run = try run(["--scenario", file, "--output", "out"], in: directory)
      #expect(run.status == 0, "\(name): \(run.errors)")
      let timeline = try String(
        contentsOf: directory.url.appending(path: "out/timeline.json"), encoding: .utf8)
      var rest = timeline[...]
      for line in lines {
        guard let range = rest.range(of: line) else {
          Issue.record("\(name): no \(line) in the rest of the timeline")
          break
        }
        rest = rest[range.upperBound...]
      }
    }
  }

  /// Each line of the page's tables is a line of an example, of another test, or of this list: `--with` takes
  /// it.
  @Test func linesOfTheCommandLine() throws {
    let directory = try TemporaryDirectory()
    let lines = [
      "rules ios7", "reduced-accuracy on", "location-services off", "notifications off", "location-mode off",
      "indoors on", "charging on", "cells rural", "way foot", "hardware no-regions", "hardware no-bluetooth",
      "hardware no-modem", "hardware no-multitasking", "launch significant-changes", "launch visits",
      "at +5 significant-changes off", "at +6 visits off", "at +7 locate hundredMeters",
      "at +8 monitor \"a place\" circle 0,0.01 100", "at +9 state \"a place\"",
      "at +10 unmonitor \"a place\"",
      "at +11 range E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 off", "at +12 advertise off", "at +13 unnotify a",
      "at +14 notify b leaving r1 repeats", "at +15 notify c after 60 repeats", "at +16 heading off",
      "at +17 keep-alive off", "at +18 defer any any", "at +19 defer off", "at +20 terminate",
      "resign-active on", "cushion 50", "other-regions 3", "leaving work 5", "hardware no-satellites",
      "at +21 other-regions 4", "at +22 socket", "at +23 socket off", "at +24 badge 2",
      "at +25 block 1 under-task", "at +26 block 1", "at +27 notify d now title T body B",
      "at +28 notify e crossing r1", "at +29 monitor m circle 0,0.01 100 no-exits",
      "beacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 at 0,0",
      "at 1000100 open", "at 1970-01-12T13:50:00Z leave", "at +300 location-services on",
      "at +301 reduced-accuracy off", "at +302 notifications on", "at +303 bluetooth off",
    ]
    // The rules of iOS 7 know no such setting.
    for lines in [lines, ["low-power on", "at +5 low-power off"]] {
      let run = try run(lines.flatMap { ["--with", $0] }, in: directory)
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  /// The same actions from CSV, with blanks or colons.
  @Test func actionsOfAFile() throws {
    let directory = try TemporaryDirectory()
    let actions = try directory.write(
      "time,action\n1000010,heading:20\n1000030,notify a after 20\n1000060,leave\n1000100,authorization denied\n",
      to: "acts.csv")
    let run = try run(["--actions", actions, "--output", "out"], in: directory)
    #expect(run.status == 0, "\(run.errors)")
    let timeline = try String(contentsOf: directory.url.appending(path: "out/timeline.json"), encoding: .utf8)
    #expect(timeline.contains("filter 20.0 degrees") && timeline.contains("notification_received"))
    #expect(timeline.contains("authorization denied"))
  }

  @Test(arguments: [
    // Unknown.
    ("dance", "\"dance\" is no line of a scenario", "1:1"),
    (
      "rules ios99", "the rules \"ios99\" is none of ios4, ios7, ios13, ios16.4, ios17, ios18, ios26, macos",
      "1:7"
    ),
    ("rules ios7\n\n  fault  none", "the fault \"none\" is none of withheld-entries", "3:10"),
    ("at +60 dance", "no action \"dance\"; there are open", "1:8"),
    ("at noon leave", "the time \"noon\"", "1:4"),
    ("at +x leave", "the time \"+x\" is no number of seconds", "1:4"),
    ("launch leave", "an app cannot ask for \"leave\"", "1:8"),
    ("airplane maybe", "airplane \"maybe\" is none of on, off", "1:10"),
    ("airplane on off", "\"off\" means nothing here", "1:13"),
    ("airplane", "airplane is missing", "1:9"),
    ("beacon E2C5 at 0,0", "is no UUID", "1:8"),
    ("at +1 monitor a circle 0,0 5 on-display", "only the state of a beacon region", "1:30"),
    ("at +1 notify a at 1000100 repeats", "repeats every SECONDS", "1:27"),
    ("at +1 notify a after 60 every 60", "only what comes at a time", "1:25"),
    ("at +1 notify a at 1000100 every 59", "no number between 60 and", "1:33"),
    ("leaving dance", "an app cannot ask for \"dance\" when it is left", "1:9"),
    ("cushion -1", "the cushion in metres \"-1\"", "1:9"),
    ("other-regions 1.5", "the number of other apps' regions \"1.5\"", "1:15"),
    ("rules ios4\nleaving range E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "rules ios4 know no beacons", "2:1"),
    (
      "beacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/2 at 91,0", "the latitude must lie in -90...90", "1:52"
    ),
    ("at +1 exit many", "the status \"many\" is no whole number", "1:12"),
    ("at +1 notify a after 5 repeats", "more often than every 60 s", "1:24"),
    ("at +1 notify a after 5 wall", "only a time can be one on the wall", "1:24"),
    ("at +1 monitor \"a b circle 0,0 5", "the quote does not end", "1:15"),
    ("phone", "the name of the phone is missing", "1:6"),
    ("phone a", "what there is to say of the phone is missing", "1:8"),
    ("phone a along", "the file of its track is missing", "1:14"),
    ("phone a along none.csv", "the track of the phone: cannot read", "1:15"),
    ("phone a along friend.csv of me", "no device me", "1:15"),
    ("phone a dance", "\"dance\" is no line of a scenario", "1:9"),
    ("phone a stands 91,0", "the latitude must lie in -90...90", "1:16"),
    ("phone a stands 0,0\nphone a phone b stands 0,0", "has none beside itself", "2:9"),
    ("phone a at +1 sleep\nphone a stands 0,0", "only a computer sleeps", "1:9"),
    // Contradictory.
    ("phone a at +5 leave", "where the phone a is, is not stated", "1:7"),
    ("phone a stands 0,0\nphone a along friend.csv", "where the phone is, is stated twice", "2:9"),
    ("phone a along later.csv", "have no time in common", "1:7"),
    ("phone a stands 0,0\nphone a at +5401 open", "is not within the track", "2:9"),
    ("phone a stands 0,0\nphone a wifi on\nphone a wifi off", "wifi is stated at", "3:9"),
    ("rules ios7\nrules ios4", "rules is stated at", "2:1"),
    ("wifi on\nairplane on\nwifi off", "wifi is stated at", "3:1"),
    ("fault no-relaunch\nfault no-relaunch", "stated twice", "2:7"),
    ("hardware no-modem\nhardware no-modem", "stated twice", "2:10"),
    ("at +1 sleep", "only a computer sleeps", "1:1"),
    ("rules ios7\nlow-power on", "rules ios7 know no low power mode", "2:1"),
    ("rules ios17\nexplicit-sessions on", "rules ios17 know no service sessions", "2:1"),
    ("rules ios4\nat +1 background-refresh off", "rules ios4 know no background refresh", "2:1"),
    ("rules ios4\nlaunch range E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "rules ios4 know no beacons", "2:1"),
    (
      "rules ios4\nat +1 advertise E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1/2", "rules ios4 know no beacons",
      "2:1"
    ),
    (
      "rules ios4\nlaunch monitor door beacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0",
      "rules ios4 know no beacons", "2:1"
    ),
    ("rules ios4\nat +1 defer any any", "rules ios4 know no deferred updates", "2:1"),
    ("rules macos\nlaunch significant-changes", "rules macos know no significant changes", "2:1"),
    ("rules ios16.4\nlaunch live-updates", "rules ios16.4 know no live updates", "2:1"),
    ("rules ios17\nat +1 service-session", "rules ios17 know no service sessions", "2:1"),
    ("at +1 open\nat +1 leave", "contradicts what happens at the same time", "2:1"),
    ("at +1 wifi on\nat +1 wifi off", "contradicts what happens at the same time", "2:1"),
    ("at +1 authorization always\nat +1 authorization denied", "contradicts what happens", "2:1"),
    ("at +5401 leave", "is not within the track", "1:1"),
    ("at 999999 leave", "is not within the track", "1:1"),
  ])
  func refused(text: String, message: String, place: String) throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(text + "\n", to: "scenario.txt")
    let run = try run(["--scenario", file], in: directory)
    #expect(run.status == 1, "\(text): \(run.errors)")
    #expect(run.errors.contains(message), "\(text): \(run.errors)")
    #expect(run.errors.contains("scenario.txt:\(place))"), "\(text): \(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test(arguments: [
    (["--rules", "ios7", "--with", "rules ios4"], "rules is stated by --rules already (--with:1:1)"),
    (["--no-wifi", "--with", "wifi on"], "wifi is stated by --no-wifi already (--with:1:1)"),
    (
      ["--authorization", "always", "--with", "charging on", "--with", "authorization denied"],
      "authorization is stated by --authorization already (--with:2:1)"
    ),
    (
      ["--actions", "acts.csv", "--with", "at +1 leave"],
      "the actions are stated by --actions already (--with:1:1)"
    ),
    (
      ["--environment", "env.csv", "--with", "at +1 wifi off"],
      "the surroundings are stated by --environment already (--with:1:1)"
    ),
    (["--scenario", "missing.txt"], "cannot read the scenario"),
    (["--actions", "bad.csv"], "the status \"x\" is no whole number"),
  ])
  func refusedWithOptions(arguments: [String], message: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("time,action\n1000060,leave\n", to: "acts.csv")
    try directory.write("time,action\n1000060,exit:x\n", to: "bad.csv")
    try directory.write("time,wifi\n1000000,1\n", to: "env.csv")
    let run = try run(arguments, in: directory)
    #expect(run.status == 1, "\(arguments): \(run.errors)")
    #expect(run.errors.contains(message), "\(arguments): \(run.errors)")
  }
}
