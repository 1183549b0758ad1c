import Testing
import VicinityCrossings
import VicinityIndex
import VicinityPlanner

@testable import VicinityCLI

/// What the command line says about itself and about wrong usage.
@Suite struct UsageTests {
  @Test func version() throws {
    let run = try CommandRun(["--version"])
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "vicinity 0.1.0")
    #expect(lines.last == "")
    // A number for each library, and what is true of every build.
    let patterns: [Regex<Substring>] = [
      /Swift: 6\.[0-9.]+(?: or later)?/,
      /GDAL: [0-9]+\.[0-9]+\.[0-9]+.*/,
      /GEOS: (?:[0-9]+\.[0-9]+\.[0-9]+.*|not built in)/,
      /PROJ: [0-9]+\.[0-9]+\.[0-9]+/,
      /processor: [a-z0-9_]+, vectors of (?:4|8|16) floats.*/,
      /licence: Apache-2.0/,
    ]
    #expect(lines.dropFirst().dropLast().count == patterns.count)
    for (line, pattern) in zip(lines.dropFirst(), patterns) {
      #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
    }
  }

  @Test("Commands have all options that the library has for them, with its help")
  func optionsOfTheLibrary() throws {
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    func check<Settings>(_ command: String, _ options: [NamedOption<Settings>]) throws {
      let help = words(try CommandRun([command, "--help"]).output)
      for option in options {
        let value = option.placeholder.map { " <\($0)>" } ?? ""
        #expect(help.contains("--\(option.name)\(value) \(words(option.help))"), "\(command): \(option.name)")
      }
    }
    try check("plan", PlanOptions.named)
    try check("events", CrossingOptions.named)
    try check("nearest", QueryOptions.named)
  }

  @Test(
    "A command that is not there is named, and one that is spelt almost like it",
    arguments: [
      ("evnts", "There is no command \"evnts\". Did you mean events?"),
      ("plna", "There is no command \"plna\". Did you mean plan?"),
      ("", "There is no command \"\". The commands are nearest, containing, plan"),
      (
        "stores.csv\u{1B}",
        "There is no command \"stores.csv\\u{1B}\". The commands are nearest, containing, plan"
      ),
    ])
  func misspeltCommand(name: String, message: String) throws {
    let run = try CommandRun([name, "regions.csv", "--tracks", "t.csv"])
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test(arguments: [
    ["--help"], ["nearest", "--help"], ["containing", "--help"], ["index", "--help"], ["info", "--help"],
    ["help", "info"],
    ["compare", "--help"], ["simulate", "--help"], ["plan", "--help"],
    ["events", "--help"],
    ["generate", "--help"], ["generate", "regions", "--help"], ["generate", "tracks", "--help"],
    ["demo", "--help"],
  ])
  func helpFitsATerminal(arguments: [String]) throws {
    let run = try CommandRun(arguments)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    for part in ["EXAMPLES:", "EXIT CODES:", "USAGE:"] { #expect(run.output.contains(part)) }
    for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    // Examples and lists stand on lines of their own: none was wrapped. Scripts/check-examples runs the
    // examples.
    var section = ""
    var examples = 0
    for line in run.output.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty { section = "" }
      if !section.isEmpty { #expect(line.hasPrefix("  "), "\(section) \(line)") }
      if section == "EXAMPLES:", line.hasPrefix("  vicinity ") { examples += 1 }
      if line.hasSuffix(":"), line.prefix(4).allSatisfy(\.isUppercase) { section = String(line) }
    }
    #expect(examples > 0)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let run = try CommandRun(["--generate-completion-script", shell])
    #expect(run.status == 0)
    #expect(run.output.contains("max-distance"))
    #expect(run.output.contains("threeKilometers"))
  }

  @Test(arguments: [
    (["frobnicate"], "frobnicate"),
    (["nearest"], "regions"),
    (["nearest", "r.csv"], "one of --at and --points is needed"),
    (["nearest", "r.csv", "--at", "1,2", "--points", "p.csv"], "exclude each other"),
    (["nearest", "r.csv", "--at", "91,0"], "the latitude must lie in -90...90"),
    (["nearest", "r.csv", "--at", "-90.0001,0"], "the latitude must lie in -90...90"),
    (["nearest", "r.csv", "--at", "53.4,600"], "the longitude must lie in -540...540"),
    (["containing", "r.csv", "--at", "53.4,-1e9"], "the longitude must lie in -540...540"),
    (["nearest", "r.csv", "--at", "nan,0"], "the latitude is not a number"),
    (["nearest", "r.csv", "--at", "0,inf"], "the longitude is not a number"),
    (["nearest", "r.csv", "--at", "0,1e999"], "the longitude is not a number"),
    (["nearest", "r.csv", "--at", "0x10,0"], "the latitude is not a number"),
    (["nearest", "r.csv", "--at", "1"], "one comma"),
    (["nearest", "r.csv", "--at", "1,2,3"], "one comma"),
    (["nearest", "r.csv", "--at", ","], "not a number"),
    (["nearest", "r.csv", "--at", ""], "one comma"),
    (["nearest", "r.csv", "--at"], "--at"),
    (["nearest", "r.csv", "--at", "1,2", "--count", "-1"], "--count"),
    (["nearest", "r.csv", "--at", "1,2", "--count", "many"], "many"),
    (["nearest", "r.csv", "--at", "1,2", "--tier", "worst"], "nearestTenMeters"),
    (["nearest", "r.csv", "--at", "1,2", "--format", "xml"], "geojson"),
    (["nearest", "r.csv", "--at", "1,2", "--precision", "16"], "--precision"),
    (["nearest", "r.csv", "--at", "1,2", "--max-distance", "nan"], "--max-distance"),
    (["nearest", "r.csv", "--at", "1,2", "--jobs", "0"], "--jobs"),
    (["nearest", "r.csv", "--at", "1,2", "--default-radius", "-5"], "--default-radius"),
    (["nearest", "r.csv", "--at", "1,2", "extra"], "extra"),
    (["nearest", "-", "--at", "1,2"], "standard input"),
    (["containing", "r.csv"], "one of --at and --points is needed"),
    (["containing", "r.csv", "--at", "1,2", "--points", "p.csv"], "exclude each other"),
    (["containing", "r.csv", "--at", "1,2", "--count", "3"], "--count"),
    (["containing", "r.csv", "--at", "1,2", "--outlines"], "--outlines is for --format geojson"),
    (["containing", "-", "--at", "1,2"], "standard input"),
    (["nearest", "r.csv", "--at", "1,2", "--output", ""], "--output must name a file"),
    (["index", "r.csv"], "--output"),
    (["index", "r.csv", "--output", "-"], "standard output"),
    (["index", "r.csv", "--output", "/dev/stdout"], "standard output"),
    (
      ["events", "r.csv", "--tracks", "t.csv", "--output", "/dev/stdout", "--resume"],
      "--resume needs --output"
    ),
    (["events", "r.csv", "--tracks", "t.csv", "-o", "e.csv", "--state", "/dev/stdout"], "--state must name"),
    (["index", "r.csv", "--output", ""], "--output"),
    (["events", "r.csv", "--tracks", "t.csv", "-o", "e.json"], "--format is one of csv, ndjson, geojson"),
    (["events", "r.csv", "--tracks", "t.csv", "-o", "e.csv.gz"], "--output ends in .gz"),
    (["events", "r.csv", "--tracks", "t.csv", "-o", "e.geojsonl"], "--output ends in .geojsonl"),
    (["nearest", "r.csv", "--at", "1,2", "-o", "n.tsv"], "--output ends in .tsv, which is not written"),
    (["nearest", "r.csv", "--at", "1,2", "-o", "n.csv.zst"], "--output ends in .zst, which is not written"),
    (["plan", "r.csv", "--track", "t.csv", "--format", "csv", "-o", "p.csv.xz"], "--output ends in .xz"),
    (
      ["generate", "regions", "--count", "3", "--around", "1,2", "-o", "r.geojson"],
      "--output ends in .geojson, which is not written; CSV is"
    ),
    (["nearest", "r.csv", "--at", "1,2", "-o", "n.parquet"], "--format is one of table, csv, json, geojson"),
    (["plan", "r.csv", "--track", "t.csv", "-o", "p.geojson"], "--format is one of csv, json"),
    (["info"], "file.vicinity"),
    (["info", "a.vicinity", "--format", "csv"], "json"),
  ])
  func wrongUsage(arguments: [String], mention: String) throws {
    let run = try CommandRun(arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("vicinity: error: "))
    #expect(run.errors.contains(mention), "\(run.errors)")
  }
}
