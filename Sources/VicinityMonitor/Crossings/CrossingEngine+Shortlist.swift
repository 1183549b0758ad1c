internal import VicinityGeodesy
internal import VicinityIndex

extension CrossingEngine {
  /// Goes to the end of a leg by the shortlist of what may be met.
  ///
  /// - Returns: How far no boundary lies from the end, metres; nil where the shortlist does not tell, and nothing has
  ///   changed.
  func travelByShortlist(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Meters? {
    guard let look = look(leg, &state, &neighborhood, &bench) else { return nil }
    guard look.touched != 0 else { return look.reach }
    let start = bench.place(of: leg.start)
    let end = Place(leg.end)
    bench.place = end
    let path = ShortPath(from: start.ecef, to: end.ecef)
    let scale = path.length > 0 ? 1 / path.length : 0
    var touched = look.touched
    while touched != 0 {
      let lane = touched.trailingZeroBitCount
      touched &= touched - 1
      guard let circle = neighborhood.shortlisted(lane) else { continue }
      _ = meet(circle, path, from: start, to: end, at: 0, scale: scale, leg, &state, &bench)
    }
    return look.reach
  }

  /// Looks at the shortlist, made anew where the last one does not tell.
  private func look(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Shortlist.Look? {
    if let look = neighborhood.shortlist.look(from: leg.start, to: leg.end) { return look }
    var outcome = neighborhood.makeShortlist(from: leg.start, to: leg.end)
    if outcome == .ended {
      let start = bench.place(of: leg.start)
      let end = Place(leg.end)
      let path = ShortPath(from: start.ecef, to: end.ecef)
      guard path.length <= ShortPath.longest else { return nil }
      gather(for: path, start, end, &state, &neighborhood)
      outcome = neighborhood.makeShortlist(from: leg.start, to: leg.end)
    }
    return outcome == .made ? neighborhood.shortlist.look(from: leg.start, to: leg.end) : nil
  }
}
