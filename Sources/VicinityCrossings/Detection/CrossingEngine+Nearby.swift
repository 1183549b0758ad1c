internal import VicinityGeodesy
internal import VicinityIndex

extension CrossingEngine {
  /// Goes to the end of a leg by the list of nearby circles.
  ///
  /// - Returns: How far no boundary lies from the end, metres; nil where the list does not tell, and nothing has
  ///   changed.
  func travelByNearbyCircles(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Meters? {
    var test = neighborhood.nearby.test(from: leg.start, to: leg.end)
    if test == nil, listNearby(for: leg, &state, &neighborhood, &bench) {
      test = neighborhood.nearby.test(from: leg.start, to: leg.end)
    }
    guard let test else { return nil }
    if test.candidates != 0 { meet(test.candidates, leg, &state, &neighborhood, &bench) }
    return test.clearance
  }

  /// Finds what happens between a leg and the circles that it touches.
  func meet(
    _ touched: UInt32, _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench
  ) {
    let start = bench.place(of: leg.start)
    let end = Place(leg.end)
    bench.place = end
    let path = ShortPath(from: start.ecef, to: end.ecef)
    let scale = path.length > 0 ? 1 / path.length : 0
    var touched = touched
    while touched != 0 {
      let lane = touched.trailingZeroBitCount
      touched &= touched - 1
      guard let circle = neighborhood.nearbyCircle(lane) else { continue }
      _ = meet(circle, path, from: start, to: end, at: 0, scale: scale, leg, &state, &bench)
    }
  }

  /// Lists the nearby circles anew, for the path to a fix.
  ///
  /// - Returns: Whether it tells about that; not where the fix is one that has to be refused or dropped.
  func listNearby(
    for fix: Fix, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Bool {
    guard state.isSeen, fix.horizontalAccuracy >= 0, fix.coordinate.isValid,
      fix.time.microseconds > state.time, fix.time.microseconds < state.nextDue
    else { return false }
    return listNearby(for: leg(to: fix, from: state), &state, &neighborhood, &bench)
  }

  private func listNearby(
    for leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Bool {
    var outcome = neighborhood.listNearby(from: leg.start, to: leg.end)
    if outcome == .ended {
      let start = bench.place(of: leg.start)
      let end = Place(leg.end)
      let path = ShortPath(from: start.ecef, to: end.ecef)
      guard path.length <= ShortPath.longest else { return false }
      gather(for: path, start, end, &state, &neighborhood)
      outcome = neighborhood.listNearby(from: leg.start, to: leg.end)
    }
    return outcome == .listed
  }
}
