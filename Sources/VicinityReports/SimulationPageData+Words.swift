internal import VicinityCrossings
internal import VicinityMonitor
internal import VicinitySimulation

extension SimulationPageData {
  /// The numbers at the top of the page: a name, the number, how many decimals of it are shown, and what stands behind it.
  func figures() -> [JSONValue] {
    let result = run.result
    let tally = run.tally
    func row(_ name: String, _ value: Double, _ decimals: Int, _ unit: String = "") -> JSONValue {
      .array([.string(name), .rounded(value, 6), .integer(decimals), .string(unit)])
    }
    return [
      row("of the battery an hour", result.percentAnHour(of: run.scenario.profile), 2, "%"),
      row("energy", result.totalJoules, 0, "J"),
      row("time", result.end.seconds(since: result.start) / 3600, 1, "h"),
      row("crossings reported", Double(tally.reported), 0, "of \(tally.crossings)"),
      row("reports of nothing", Double(tally.spurious), 0), row("positions", Double(result.counts.fixes), 0),
      row("registrations", Double(result.counts.registrations), 0),
      row("wake-ups", Double(result.counts.wakes + result.counts.relaunches), 0),
    ]
  }

  func jouleRows() -> [JSONValue] {
    let result = run.result
    let total = max(result.totalJoules, .leastNormalMagnitude)
    let hours = max(result.end.seconds(since: result.start) / 3600, .leastNormalMagnitude)
    return EnergyComponent.allCases.compactMap { component in
      let joules = result.joules[component] ?? 0
      guard joules > 0 else { return nil }
      let percent = joules / 3.6 / run.scenario.profile.milliwattsPerPercentAnHour / hours
      return .array([
        .string(component.name), .rounded(joules, 3), .rounded(joules / total, 5), .rounded(percent, 5),
      ])
    }
  }
}
