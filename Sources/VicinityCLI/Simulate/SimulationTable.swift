import VicinityCrossings
import VicinityEvaluation
import VicinitySimulation

/// The sums of a run as tables.
struct SimulationTable {
  private let run: SimulatedRun

  init(_ run: SimulatedRun) { self.run = run }

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
    sums.add(["unfounded reports", DecimalText.grouped(tally.unfounded)])
    sums.add(["median delay, s", run.medianDelay.map { number($0, 1) } ?? "-"])
    sums.add(["positions", DecimalText.grouped(counts.fixes)])
    sums.add(["registrations", DecimalText.grouped(counts.registrations)])
    sums.add(["wake-ups", DecimalText.grouped(counts.wakes + counts.relaunches)])
    sums.add(["awake, s", number(counts.backgroundSeconds, 0)])
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
