import VicinityCrossings
import VicinityEvaluation
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinitySimulation

/// A few hours of somebody about a few dozen circles.
struct RandomScenario {
  let regions: RegionIndex
  let scenario: Scenario
  let crossings: [Crossing]

  /// Ways at up to 14 m/s and stays, a fix every so many seconds; the app is left after a minute.
  init(
    seed: UInt64, circles: Int = 40, legs: Int = 8, interval: Double = 5,
    profile: DeviceProfile? = nil
  ) throws {
    let profile = try profile ?? DeviceProfile.named("iphone-6").noiseless
    var random = SplitMix64(seed: seed)
    let center = Coordinate(latitude: random.uniform(-60...60), longitude: random.uniform(-180...180))
    let frame = LocalFrame(center)
    func place(_ east: Double, _ north: Double) -> Coordinate {
      frame.coordinate(at: Offset(east: east, north: north))
    }
    var list: [Region] = []
    for index in 0..<circles {
      list.append(
        Region(
          identifier: "r\(index)", center: place(random.uniform(-4000...4000), random.uniform(-4000...4000)),
          radius: random.logUniform(40...600)))
    }
    regions = try RegionIndex(list)
    var fixes: [Fix] = []
    var (x, y, time) = (0.0, 0.0, 0.0)
    let start = Timestamp(microseconds: 1_700_000_000_000_000)
    func note() {
      fixes.append(Fix(time: start.advanced(by: .seconds(time)), coordinate: place(x, y)))
    }
    note()
    for _ in 0..<legs {
      let (goalX, goalY) = (random.uniform(-4000...4000), random.uniform(-4000...4000))
      let speed = random.logUniform(1...14)
      let length = ((goalX - x) * (goalX - x) + (goalY - y) * (goalY - y)).squareRoot()
      let steps = max(1, Int(length / speed / interval))
      let (fromX, fromY) = (x, y)
      for step in 1...steps {
        let share = Double(step) / Double(steps)
        x = fromX + (goalX - fromX) * share
        y = fromY + (goalY - fromY) * share
        time += length / speed / Double(steps)
        note()
      }
      time += random.logUniform(20...3000)
      note()
    }
    let track = try TrueTrack(fixes)
    let actions = [
      TimedAction(time: track.start, .openApp),
      TimedAction(time: track.start.advanced(by: .seconds(60)), .leaveApp),
    ]
    scenario = Scenario(track: track, actions: actions, profile: profile, seed: seed)
    crossings = try track.crossings(of: regions)
  }
}
