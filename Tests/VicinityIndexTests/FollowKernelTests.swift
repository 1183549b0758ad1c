import CPortableKernels
import CVicinityKernels
import Testing
import VicinityTestSupport

/// Following a device along its fixes by a shortlist: by all widths, and against going from fix to fix.
@Suite struct FollowKernelTests {
  private struct Scene {
    var list = vk_nearby_circles()
    var fixes: [vk_fix] = []
    var state = vk_follow_state()
    var circles: [(x: Float, y: Float, r: Float)] = []
  }

  /// What a call has found, to compare.
  private struct Outcome: Equatable {
    var taken: Int64
    var latitude: Double
    var longitude: Double
    var time: Int64
    var candidates: [Int64: UInt32]

    init(_ taken: Int64, _ state: vk_follow_state) {
      self.taken = taken
      var state = state
      latitude = state.latitude
      longitude = state.longitude
      time = state.time
      candidates = [:]
      for i in 0..<state.candidateCount {
        let leg = unsafe vk_candidate_at(&state, i)
        candidates[leg.fix] = leg.circles
      }
    }
  }

  private func scene(_ random: inout SplitMix64) -> Scene {
    var scene = Scene()
    let scale = random.logUniform(20...3000)
    scene.list.plane = vk_plane(
      latitude: 48, longitude: 16, east: 74_000, eastNorth: -1450, north: 111_200, northNorth: 10,
      northEast: 480, latitudeReach: 0.09, longitudeReach: 0.13)
    scene.list.slack = Float(random.logUniform(1e-3...0.5))
    scene.list.reach = Float(2 * scale)
    scene.list.reach2 = scene.list.reach * scene.list.reach
    scene.list.longestLeg = random.unit() < 0.8 ? 2500 : Float(0.4 * scale)
    let count = random.below(2) == 0 ? random.below(9) : random.below(33)
    scene.list.count = Int32(count)
    for i in 0..<Int(VK_NEARBY_CIRCLES_ROOM) {
      scene.circles.append(
        i < count
          ? (
            Float(random.uniform(-1.5...1.5) * scale), Float(random.uniform(-1.5...1.5) * scale),
            Float(random.logUniform(0.01...1) * scale)
          ) : (1e18, 1e18, 0))
    }
    unsafe withUnsafeMutableBytes(of: &scene.list) { bytes in
      for (i, circle) in scene.circles.enumerated() {
        for (field, value) in [
          (\vk_nearby_circles.centerX, circle.x), (\.centerY, circle.y), (\.radius, circle.r),
        ] {
          let offset = MemoryLayout<vk_nearby_circles>.offset(of: field) ?? 0
          unsafe bytes.storeBytes(of: value, toByteOffset: offset + 4 * i, as: Float.self)
        }
      }
    }
    let step = random.logUniform(0.001...0.3) * scale / 111_200
    var (latitude, longitude) = (48.0, 16.0)
    var time: Int64 = 1000
    let isWild = random.unit() < 0.2
    for _ in 0..<random.below(100) {
      latitude += random.uniform(-1...1) * step
      longitude += random.uniform(-1...1) * step * 1.5
      time += Int64(random.below(5) == 0 ? 4000 : 1000)
      var fix = vk_fix(
        time: time, latitude: latitude, longitude: longitude, accuracy: 5, speed: -1, course: -1)
      if isWild, random.below(20) == 0 {
        switch random.below(8) {
        case 0: fix.accuracy = -1
        case 1: fix.accuracy = .nan
        case 2: fix.time -= 5000
        case 3: fix.latitude = .nan
        case 4: fix.longitude += 360
        case 5: fix.longitude = .infinity
        case 6: fix.time = .max
        default: fix.latitude += 50
        }
      }
      scene.fixes.append(fix)
    }
    scene.state = vk_follow_state()
    scene.state.latitude = 48
    scene.state.longitude = 16
    scene.state.time = random.below(40) == 0 ? .min : 0
    scene.state.due = random.below(3) == 0 ? Int64(random.below(40_000)) : .max
    scene.state.gap = random.below(2) == 0 ? 3000 : .max
    scene.state.room = random.below(2) == 0 ? 1 : VK_CANDIDATE_LEGS_ROOM
    return scene
  }

  /// The same, a fix at a time and by the definition: ways are compared with all circles.
  private func plainly(_ scene: Scene) -> Outcome {
    var scene = scene
    var taken = Int64(0)
    var candidates: [Int64: UInt32] = [:]
    var (x, y): (Float, Float) = (0, 0)
    let (latitude, longitude) = (scene.state.latitude, scene.state.longitude)
    guard unsafe vk_project_point(&scene.list.plane, latitude, longitude, &x, &y) != 0,
      unsafe vk_nearby_offset2(&scene.list, x, y) < scene.list.reach2
    else { return Outcome(0, scene.state) }
    var time = scene.state.time
    for fix in scene.fixes {
      var (qx, qy): (Float, Float) = (0, 0)
      guard unsafe vk_project_point(&scene.list.plane, fix.latitude, fix.longitude, &qx, &qy) != 0,
        fix.accuracy >= 0, fix.time > time, fix.time < scene.state.due
      else { break }
      let length = ((qx - x) * (qx - x) + (qy - y) * (qy - y)).squareRoot()
      guard unsafe vk_nearby_offset2(&scene.list, qx, qy) < scene.list.reach2,
        length < scene.list.longestLeg
      else { break }
      var nearest = Float.greatestFiniteMagnitude
      var mask = unsafe vk_candidate_circles(&scene.list, x, y, qx, qy, length + scene.list.slack, &nearest)
      mask = unsafe vk_intersecting_circles(&scene.list, mask, x, y, qx, qy, length + scene.list.slack)
      if mask != 0 {
        let (duration, overflow) = fix.time.subtractingReportingOverflow(time)
        if overflow || duration > scene.state.gap { break }
        candidates[taken] = mask
      }
      taken += 1
      (x, y, time) = (qx, qy, fix.time)
      if candidates.count == Int(scene.state.room) { break }
    }
    var outcome = Outcome(taken, scene.state)
    if taken > 0 {
      let last = scene.fixes[Int(taken) - 1]
      (outcome.latitude, outcome.longitude, outcome.time) = (last.latitude, last.longitude, last.time)
    }
    outcome.candidates = candidates
    return outcome
  }

  @Test func allWidthsTakeTheSameFixesAndTouchTheSameCircles() {
    var random = SplitMix64(seed: 71)
    var (touched, left) = (0, 0)
    for round in 0..<60_000 {
      let scene = scene(&random)
      var list = scene.list
      let count = Int64(scene.fixes.count)
      var outcomes: [Outcome] = []
      for width in allWidths {
        var state = scene.state
        let taken = unsafe kernels(width).follow(&list, scene.fixes, count, &state)
        outcomes.append(Outcome(taken, state))
      }
      var state = scene.state
      outcomes.append(unsafe Outcome(vk_follow(&list, scene.fixes, count, &state), state))
      for other in outcomes.dropFirst() { #expect(other == outcomes[0], "round \(round)") }
      let (outcome, plain) = (outcomes[0], plainly(scene))
      touched += outcome.candidates.count
      left += outcome.taken < count ? 1 : 0
      #expect(outcome == plain, "round \(round)")
    }
    #expect(touched > 20_000 && left > 20_000, "\(touched), \(left)")
  }
}
