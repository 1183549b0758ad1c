import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// `Compare --peers LIBRARY --places FILE --output DIRECTORY [--quick|--full] [--only WORDS] [--polygons
/// FILE[:LAYER]]... [--fact NAME=VALUE]... [--program FILE] [--postgis DIRECTORY] [--python FILE]`: started
/// by Scripts/bench, which says the rest.
@main
struct Compare {
  static func main() {
    do {
      exit(try run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("bench: error: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Measures, prints and writes; false when an answer was wrong.
  static func run(_ arguments: [String]) throws -> Bool {
    let options = try Options(arguments)
    let library = try PeerLibrary(contentsOf: options.peers)
    let machine = Machine(given: options.facts, library: library)
    let places = try Places(contentsOf: options.places)
    let suite = Suite(
      inputs: Inputs(places: places, seed: options.seed), library: library, effort: options.effort,
      sizes: options.sizes, filter: options.only, program: options.program, postgis: options.postgis,
      python: options.python,
      repository: options.repository,
      isFull: options.isFull, progress: Progress())

    var rows: [Row] = []
    if !suite.wantsSectionsOnly {
      for n in suite.sizes { rows += try suite.circles(n) }
      for polygons in options.polygons { rows += try suite.polygons(polygons) }
    }
    let containment = try options.polygons.map { try suite.containment($0) }
    let sections =
      containment + [
        try suite.building(), try suite.opening(), try suite.ties(), try suite.bulk(), try suite.updates(),
        try suite.store(),
        try suite.monitor(),
        try suite.kernels(), try suite.validity(), try suite.crossingsOnTwoCores(), try suite.events(),
        try suite.eventsMemory(),
        try suite.againstPostGIS(), try suite.planner(), try suite.simulation(), try suite.study(),
      ]
    let crossings = try suite.crossings()
    let plans = try suite.plans()
    let report = Report(
      machine: machine,
      parameters: [
        ("inputs", places.source), ("seed", "\(options.seed)"), ("k", "\(suite.k)"),
        ("repetitions", "\(options.effort.repetitions)"),
        ("batch", "\(Answers.batch) queries"),
      ], rows: rows, crossings: crossings, plans: plans, measurements: sections.flatMap(\.measurements),
      targets: Judge(rows: rows).targets() + CrossingJudge(rows: crossings).targets()
        + sections.flatMap(\.targets))
    try write(report, to: options)
    return report.complaints.isEmpty
  }

  private static func write(_ report: Report, to options: Options) throws {
    let markdown = report.markdown()
    print(markdown, terminator: "")
    guard let output = options.output else { return }
    let directory = URL(fileURLWithPath: output)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let name = options.name
    try Data(markdown.utf8).write(to: directory.appending(path: "\(name).md"), options: .atomic)
    try Data(report.csv().utf8).write(to: directory.appending(path: "\(name).csv"), options: .atomic)
    try report.json().write(to: directory.appending(path: "\(name).json"), options: .atomic)
  }
}
