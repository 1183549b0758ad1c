internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityIndex

/// The second test: a fix before which only boundaries of the nearby circles can have been met, and which of them
/// (``NearbyCircles``).
extension CrossingEngine {
  /// Takes fixes for as long as lists of nearby circles tell which boundaries may be met before them, and finds what happens on the way;
  /// by the geometric rule.
  ///
  /// - Returns: How many fixes were taken.
  func follow(
    _ fixes: Span<Fix>, from first: Int, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) -> Int {
    var i = first
    var listed = -1
    while true {
      let followed = followByNearbyCircles(fixes, from: i, &state, &neighborhood, &bench, &crossings)
      i += followed
      guard i < fixes.count, i != listed else { break }
      if followed > 0, unsafe bench.course.pointee.candidateCount == bench.course.pointee.room { continue }
      // The list of nearby circles has ended.
      guard listNearby(for: fixes[i], &state, &neighborhood, &bench) else { break }
      listed = i
    }
    meet(&state, &bench, &crossings)
    conclude(&state, &bench, &crossings)
    return i - first
  }

  /// Takes fixes for as long as the list tells, or until there is as much to go into as there is room for.
  private func followByNearbyCircles(
    _ fixes: Span<Fix>, from first: Int, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) -> Int {
    // SAFETY: the list lives as long as the neighbourhood, the course as long as the bench, and nothing else refers to them.
    let (list, course) = unsafe (neighborhood.nearby.list, bench.course)
    unsafe course.pointee.candidateCount = 0
    guard unsafe list.pointee.reach2 > 0 else { return 0 }
    unsafe course.pointee.latitude = state.latitude
    unsafe course.pointee.longitude = state.longitude
    unsafe course.pointee.time = state.time
    unsafe course.pointee.due = state.nextDue
    unsafe course.pointee.gap = maximumGap
    // A stay that begins may have lasted for its delay before the next fix.
    unsafe course.pointee.room = delay == nil ? VK_CANDIDATE_LEGS_ROOM : 1
    let taken = unsafe fixes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      // SAFETY: the structure is laid out as Fix is (tested), and so many fixes follow.
      return unsafe Int(
        vk_follow(
          list, UnsafeRawPointer(base + first).assumingMemoryBound(to: vk_fix.self),
          Int64(buffer.count - first), course))
    }
    guard taken > 0 else { return 0 }
    if unsafe course.pointee.candidateCount > 0 {
      gather(fixes, from: first, &state, &neighborhood, &bench, &crossings)
    }
    unsafe state.move(
      to: Coordinate(latitude: course.pointee.latitude, longitude: course.pointee.longitude),
      at: course.pointee.time)
    // The device may have left the disc that it was in, and nothing is known of a way back into it.
    state.invalidate()
    return taken
  }

  /// Puts the ways that touch circles among the meetings, and goes into those when there are enough.
  private func gather(
    _ fixes: Span<Fix>, from first: Int, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) {
    let count = unsafe Int(bench.course.pointee.candidateCount)
    let (place, time) = (state.coordinate, state.time)
    for i in 0..<count {
      let touch = unsafe vk_candidate_at(bench.course, Int32(i))
      let fix = first + Int(touch.fix)
      let end = fixes[fix]
      let leg =
        touch.fix > 0
        ? Leg(
          start: fixes[fix - 1].coordinate, end: end.coordinate, startTime: fixes[fix - 1].time.microseconds,
          endTime: end.time.microseconds, isGap: false)
        : Leg(
          start: place, end: end.coordinate, startTime: time, endTime: end.time.microseconds, isGap: false)
      var circles = touch.circles
      while circles != 0 {
        let lane = circles.trailingZeroBitCount
        circles &= circles - 1
        guard let circle = neighborhood.nearbyCircle(lane) else { continue }
        bench.add(circle, leg)
        if bench.meetingCount == Workbench.meetingRoom { meet(&state, &bench, &crossings) }
      }
    }
    // Stays have to be known before the next fix.
    if delay != nil {
      meet(&state, &bench, &crossings)
      conclude(&state, &bench, &crossings)
    }
  }

  /// Finds what happens at the meetings, in their order, and forgets them.
  private func meet(
    _ state: inout DeviceState, _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) {
    let count = bench.meetingCount
    guard count > 0 else { return }
    let (settled, leaving) = bench.settle()
    for i in 0..<count {
      let (circle, leg) = (bench.meetings[i].circle, bench.meetings[i].leg)
      if leg.endTime != bench.leg?.endTime {
        conclude(&state, &bench, &crossings)
        bench.leg = leg
        bench.forgetEvents()
      }
      let isLeaving = leaving >> UInt32(i) & 1 != 0
      if settled >> UInt32(i) & 1 != 0, state.occupies(circle.ordinal) == isLeaving {
        let crossing = bench.crossing(i)
        pass(
          circle.ordinal, crossing, 1 / crossing.length * crossing.s, leaving: isLeaving, leg, &state, &bench)
      } else {
        let (start, end) = (Place(leg.start), Place(leg.end))
        let path = ShortPath(from: start.ecef, to: end.ecef)
        let scale = path.length > 0 ? 1 / path.length : 0
        _ = meet(circle, path, from: start, to: end, at: 0, scale: scale, leg, &state, &bench)
      }
    }
    bench.meetingCount = 0
  }

  /// Reports what has happened on the leg that was gone into last.
  private func conclude(
    _ state: inout DeviceState, _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) {
    guard let leg = bench.leg else { return }
    bench.leg = nil
    report(leg, &state, &bench, &crossings)
  }
}
