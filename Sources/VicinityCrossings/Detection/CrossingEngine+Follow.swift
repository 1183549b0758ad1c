internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityIndex

/// The second test: before a fix only boundaries of the nearby circles can have been crossed, and it is known
/// which of them (``NearbyCircles``).
extension CrossingEngine {
  /// Moves a device along many fixes: what one call for each of them does, with stretches that no boundary is
  /// near taken at once.
  ///
  /// - Throws: ``LocatedTrackError`` for the first fix that is refused; those before it have been taken.
  func advance(
    through fixes: Span<Fix>, _ state: inout DeviceState, _ counts: inout FixCounts,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) throws(LocatedTrackError) {
    var i = 0
    while i < fixes.count {
      let skipped =
        usesDisc
        ? state.skipUnaffected(fixes, from: i, usesDisc: true)
        : state.skipUnaffected(fixes, from: i, usesDisc: false)
      counts.fixes += skipped
      i += skipped
      if fixRule == nil {
        let followed = follow(fixes, from: i, &state, &neighborhood, &scratch, &crossings)
        counts.fixes += followed
        i += followed
        if followed > 0 { continue }
      }
      guard i < fixes.count else { return }
      do {
        try advance(to: fixes[i], &state, &counts, &neighborhood, &scratch, &crossings)
      } catch {
        throw LocatedTrackError(index: i, error: error)
      }
      i += 1
    }
  }

  /// Follows fixes for as long as lists of nearby circles tell which boundaries may be crossed before them,
  /// and finds the crossings; by the geometric rule.
  ///
  /// - Returns: The number of fixes followed.
  func follow(
    _ fixes: Span<Fix>, from first: Int, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) -> Int {
    var i = first
    var listed = -1
    while true {
      let followed = followByNearbyCircles(fixes, from: i, &state, &neighborhood, &scratch, &crossings)
      i += followed
      guard i < fixes.count, i != listed else { break }
      if followed > 0, unsafe scratch.followState.pointee.candidateCount == scratch.followState.pointee.room {
        continue
      }
      // The list of nearby circles has ended.
      guard listNearby(for: fixes[i], &state, &neighborhood, &scratch) else { break }
      listed = i
    }
    solveCandidates(&state, &scratch, &crossings)
    reportLeg(&state, &scratch, &crossings)
    return i - first
  }

  /// Follows fixes for as long as one list tells, or until there is no room for further candidates.
  private func followByNearbyCircles(
    _ fixes: Span<Fix>, from first: Int, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) -> Int {
    // SAFETY: the list lives as long as the neighbourhood, the followState as long as the scratch, and
    // nothing else refers to them.
    let (list, followState) = unsafe (neighborhood.nearby.list, scratch.followState)
    unsafe followState.pointee.candidateCount = 0
    guard unsafe list.pointee.reach2 > 0, !state.isBroken else { return 0 }
    unsafe followState.pointee.latitude = state.latitude
    unsafe followState.pointee.longitude = state.longitude
    unsafe followState.pointee.time = state.time
    unsafe followState.pointee.due = state.nextDue
    unsafe followState.pointee.gap = maximumGap
    // A stay that begins may have lasted for its delay before the next fix.
    unsafe followState.pointee.room = delay == nil ? VK_CANDIDATE_LEGS_ROOM : 1
    let taken = unsafe fixes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      // SAFETY: the structure is laid out as Fix is (tested), and this many fixes follow.
      return unsafe Int(
        vk_follow(
          list, UnsafeRawPointer(base + first).assumingMemoryBound(to: vk_fix.self),
          Int64(buffer.count - first), followState))
    }
    guard taken > 0 else { return 0 }
    if unsafe followState.pointee.candidateCount > 0 {
      addCandidates(fixes, from: first, &state, &neighborhood, &scratch, &crossings)
    }
    unsafe state.move(
      to: Coordinate(latitude: followState.pointee.latitude, longitude: followState.pointee.longitude),
      at: followState.pointee.time)
    // The device may have left its safe disc, and nothing is known of a path back into it.
    state.invalidate()
    return taken
  }

  /// Adds the legs that may cross circles to the candidates, and solves those whenever there is no room for
  /// more.
  private func addCandidates(
    _ fixes: Span<Fix>, from first: Int, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) {
    let count = unsafe Int(scratch.followState.pointee.candidateCount)
    let (position, time) = (state.coordinate, state.time)
    for i in 0..<count {
      let candidate = unsafe vk_candidate_at(scratch.followState, Int32(i))
      let fix = first + Int(candidate.fix)
      let end = fixes[fix]
      let leg =
        candidate.fix > 0
        ? Leg(
          start: fixes[fix - 1].coordinate, end: end.coordinate, startTime: fixes[fix - 1].time.microseconds,
          endTime: end.time.microseconds, isGap: false)
        : Leg(
          start: position, end: end.coordinate, startTime: time, endTime: end.time.microseconds, isGap: false)
      var circles = candidate.circles
      while circles != 0 {
        let lane = circles.trailingZeroBitCount
        circles &= circles - 1
        guard let circle = neighborhood.nearbyCircle(lane) else { continue }
        scratch.add(circle, leg)
        if scratch.candidateCount == DetectorScratch.candidateRoom {
          solveCandidates(&state, &scratch, &crossings)
        }
      }
    }
    // Stays must be known before the next fix.
    if delay != nil {
      solveCandidates(&state, &scratch, &crossings)
      reportLeg(&state, &scratch, &crossings)
    }
  }

  /// Finds the crossings of the candidates, in their order, and removes them.
  private func solveCandidates(
    _ state: inout DeviceState, _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) {
    let count = scratch.candidateCount
    guard count > 0 else { return }
    let (solved, leaving) = scratch.solve()
    for i in 0..<count {
      let (circle, leg) = unsafe (scratch.candidates.base[i].circle, scratch.candidates.base[i].leg)
      if leg.endTime != scratch.leg?.endTime {
        reportLeg(&state, &scratch, &crossings)
        scratch.leg = leg
        scratch.forgetEvents()
      }
      let isLeaving = leaving >> UInt32(i) & 1 != 0
      if solved >> UInt32(i) & 1 != 0, state.occupies(circle.ordinal) == isLeaving {
        let crossing = scratch.crossing(i)
        cross(
          circle.ordinal, crossing, 1 / crossing.length * crossing.s, leaving: isLeaving, leg, &state,
          &scratch)
      } else {
        let (start, end) = (Position(leg.start), Position(leg.end))
        let path = ShortPath(from: start.ecef, to: end.ecef)
        let scale = path.length > 0 ? 1 / path.length : 0
        _ = cross(circle, path, from: start, to: end, at: 0, scale: scale, leg, &state, &scratch)
      }
    }
    scratch.candidateCount = 0
  }

  /// Reports the crossings on the leg whose candidates were solved last.
  private func reportLeg(
    _ state: inout DeviceState, _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) {
    guard let leg = scratch.leg else { return }
    scratch.leg = nil
    report(leg, &state, &scratch, &crossings)
  }

  // MARK: One leg

  /// Moves to the end of a leg by the list of nearby circles.
  ///
  /// - Returns: How far no boundary lies from the end, metres; nil where the list does not tell, and nothing
  ///   has changed.
  func travelByNearbyCircles(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) -> Meters? {
    var test = neighborhood.nearby.test(from: leg.start, to: leg.end)
    if test == nil, listNearby(for: leg, &state, &neighborhood, &scratch) {
      test = neighborhood.nearby.test(from: leg.start, to: leg.end)
    }
    guard let test else { return nil }
    if test.candidates != 0 { cross(test.candidates, leg, &state, &neighborhood, &scratch) }
    return test.clearance
  }

  /// Finds the crossings of a leg with the circles that it may cross, given by the bits of their lanes.
  private func cross(
    _ candidates: UInt32, _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) {
    let start = scratch.position(of: leg.start)
    let end = Position(leg.end)
    scratch.lastPosition = end
    let path = ShortPath(from: start.ecef, to: end.ecef)
    let scale = path.length > 0 ? 1 / path.length : 0
    var candidates = candidates
    while candidates != 0 {
      let lane = candidates.trailingZeroBitCount
      candidates &= candidates - 1
      guard let circle = neighborhood.nearbyCircle(lane) else { continue }
      _ = cross(circle, path, from: start, to: end, at: 0, scale: scale, leg, &state, &scratch)
    }
  }

  /// Lists the nearby circles anew, for the path to a fix.
  ///
  /// - Returns: Whether the list covers that path. It does not where the fix must be refused or dropped.
  private func listNearby(
    for fix: Fix, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) -> Bool {
    guard state.isSeen, !state.isBroken, fix.horizontalAccuracy >= 0, fix.coordinate.isValid,
      fix.time.microseconds > state.time, fix.time.microseconds < state.nextDue
    else { return false }
    return listNearby(for: leg(to: fix, from: state), &state, &neighborhood, &scratch)
  }

  private func listNearby(
    for leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) -> Bool {
    var outcome = neighborhood.listNearby(from: leg.start, to: leg.end)
    if outcome == .ended {
      let start = scratch.position(of: leg.start)
      let end = Position(leg.end)
      let path = ShortPath(from: start.ecef, to: end.ecef)
      guard path.length <= ShortPath.longest else { return false }
      gather(for: path, start, end, &state, &neighborhood)
      outcome = neighborhood.listNearby(from: leg.start, to: leg.end)
    }
    return outcome == .listed
  }
}
