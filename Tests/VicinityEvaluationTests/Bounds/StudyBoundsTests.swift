import Synchronization
import Testing
import VicinityIndex
import VicinityMonitor

@testable import VicinityEvaluation
@testable import VicinitySimulation

@Suite("A study's bounds")
struct StudyBoundsTests {
  private func study(_ names: [String] = ["a", "b", "c", "d", "e", "f"]) throws -> Study {
    var study = Study(
      of: [ContinuousTrackingPolicy(.best)], watching: try MadeResult.regions(names),
      on: MadeResult.devices(3),
      profile: try DeviceProfile.named("iphone-6"))
    study.resampling.count = 0
    study.guarantee = LatencyGuarantee(maximumSpeed: 20, within: .seconds(90))
    return study
  }

  @Test("They are the sums of each device's, whatever the threads")
  func sums() throws {
    let study = try study()
    let bounds = try #require(try study.run(threads: 1).bounds)
    #expect(bounds == (try study.run(threads: 3)).bounds)
    var fixes = 0
    var least = 0.0
    var knowing = 0.0
    var idle = 0.0
    for device in study.devices {
      let scenario = try device.scenario(study.profile.noiseless)
      let crossings = try scenario.track.crossings(of: study.regions)
      fixes += try SafeSamplingBound(maximumSpeed: 20, within: .seconds(90))
        .count(along: scenario.track, watching: study.regions)
      least += try LeastEnergyBound(scenario, crossings, within: .seconds(90)).joules
      let policy = OraclePolicy(crossings, within: .seconds(90), until: scenario.track.end)
      let result = try policy.sleeping(in: scenario, watching: study.regions).result
      knowing += result.totalJoules
      idle += result.joules[.idle] ?? 0
    }
    #expect(bounds.fixes == fixes && fixes > 30)
    #expect(abs(bounds.leastJoules - least) < 1e-9 && abs(bounds.oracleJoules - knowing) < 1e-9)
    #expect(least > idle && knowing > least)
    // Three devices, two hours each; 6.91 Wh.
    #expect(abs(bounds.hours - 6) < 1e-9)
    #expect(abs(bounds.fixesAnHour - Double(fixes) / 6) < 1e-9)
    #expect(abs(bounds.leastNetEnergy - (least - idle) / 6 / (3.6 * 69.1)) < 1e-9)
    #expect(bounds.leastNetEnergy < bounds.oracleNetEnergy)
  }

  @Test("They can be stopped before each run of the policy that knows the future, and in it")
  func stopped() throws {
    let study = try study()
    let guarantee = try #require(study.guarantee)
    let scenario = try study.devices[0].scenario(study.profile)
    let device = PreparedDevice(
      scenario: scenario,
      truth: try DeviceTruth(device: "a", track: scenario.track, regions: study.regions))
    var asked = 0
    let whole = try StudyBounds(device, study.regions, guarantee) {
      asked += 1
      return false
    }
    #expect(whole != nil && asked > 0)
    for last in 0..<asked {
      var count = 0
      let bounds = try StudyBounds(device, study.regions, guarantee) {
        count += 1
        return count > last
      }
      #expect(bounds == nil && count == last + 1)
    }
    // A study is asked once before its device, and then by the bounds.
    var one = study
    one.devices = [study.devices[0]]
    let questions = Mutex(0)
    #expect(throws: StudyError.cancelled) {
      try one.run(
        threads: 1, progress: { _ in true },
        isStopped: {
          questions.withLock { count in
            count += 1
            return count == 2
          }
        })
    }
  }

  @Test("A study without a guarantee has none, and one that cannot be is refused with its device's name")
  func none() throws {
    var study = try study()
    study.guarantee = nil
    #expect(try study.run().bounds == nil)
    study.guarantee = LatencyGuarantee(maximumSpeed: .nan)
    #expect(throws: StudyError.device("device 0", reason: "maximumSpeed cannot be nan")) { try study.run() }
  }
}
