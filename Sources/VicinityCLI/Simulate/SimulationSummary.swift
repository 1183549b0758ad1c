internal import VicinityCrossings
internal import VicinityEvaluation
import VicinityFormats
import VicinityMonitor
import VicinityReports
import VicinitySimulation

/// The sums of a run.
struct SimulationSummary {
  private let run: SimulatedRun

  init(_ run: SimulatedRun) { self.run = run }

  private var delays: [Double] { run.matches.compactMap(\.delay).sorted() }

  /// The median of the delays, seconds.
  private var middleDelay: Double? { delays.isEmpty ? nil : delays[(delays.count - 1) / 2] }

  /// One object and a new line.
  var json: [UInt8] {
    let result = run.result
    let counts = result.counts
    let tally = run.tally
    let figures = run.scenario.profile.listedFigures
    var object = JSONObject()
    object.string("policy", run.policy)
    object.string("device", run.scenario.profile.name)
    object.string("seed", "\(run.scenario.seed)")
    object.string("rules", run.scenario.rules.name)
    object.string("start", result.start.description)
    object.string("end", result.end.description)
    object.number("seconds", result.end.seconds(since: result.start), 3)
    var joules = JSONObject()
    for component in EnergyComponent.allCases {
      joules.number(component.name, result.joules[component] ?? 0, 3)
    }
    object.object("joules", joules)
    object.number("total_joules", result.totalJoules, 3)
    object.number("percent_an_hour", result.percentAnHour(of: run.scenario.profile), 6)
    let whole: [(String, Int)] = [
      ("crossings", tally.crossings), ("crossings_reported", tally.reported),
      ("reports_of_nothing", tally.spurious), ("fixes", counts.fixes),
      ("registrations", counts.registrations),
      ("unregistrations", counts.unregistrations), ("region_events", counts.regionEvents),
      ("wakes", counts.wakes), ("relaunches", counts.relaunches), ("kills", counts.kills),
      ("assumed_figures", figures.count { $0.figure.basis == .assumed }), ("figures", figures.count),
    ]
    for (name, value) in whole { object.number(name, Double(value), 0) }
    object.number("delay_p50", middleDelay, 3)
    object.number("background_seconds", counts.backgroundSeconds, 3)
    return object.finished + [UInt8(ascii: "\n")]
  }

  /// A table for people.
  func write(to text: inout [UInt8], style: TerminalStyle) {
    let result = run.result
    let counts = result.counts
    let tally = run.tally
    var sums = TextTable(
      columns: [.init(title: "run", alignment: .left), .init(title: "", alignment: .right)], style: style)
    func number(_ value: Double, _ decimals: Int) -> String { DecimalText.string(value, decimals: decimals) }
    sums.add(["policy", run.policy])
    sums.add(["device", run.scenario.profile.name])
    sums.add(["hours", number(result.end.seconds(since: result.start) / 3600, 2)])
    sums.add(["battery, % an hour", number(result.percentAnHour(of: run.scenario.profile), 3)])
    sums.add(["true crossings", DecimalText.grouped(tally.crossings)])
    sums.add(["reported", DecimalText.grouped(tally.reported)])
    sums.add(["reports of nothing", DecimalText.grouped(tally.spurious)])
    sums.add(["median delay, s", middleDelay.map { number($0, 1) } ?? "-"])
    sums.add(["positions", DecimalText.grouped(counts.fixes)])
    sums.add(["registrations", DecimalText.grouped(counts.registrations)])
    sums.add(["wake-ups", DecimalText.grouped(counts.wakes + counts.relaunches)])
    sums.add(["seconds behind", number(counts.backgroundSeconds, 0)])
    sums.write(to: &text)
    text.append(UInt8(ascii: "\n"))
    var energy = TextTable(
      columns: [
        .init(title: "component", alignment: .left), .init(title: "joules", alignment: .right),
        .init(title: "share", alignment: .right),
      ], style: style)
    for component in EnergyComponent.allCases {
      guard let joules = result.joules[component], joules > 0 else { continue }
      energy.add([
        component.name, number(joules, 1), number(joules / max(result.totalJoules, 1e-300) * 100, 1) + " %",
      ])
    }
    energy.write(to: &text)
  }
}
