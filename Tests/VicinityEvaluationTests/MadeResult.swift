import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinitySimulation

@testable import VicinityEvaluation

/// Small studies.
enum MadeResult {
  /// A result of scores made by hand.
  static func result(
    _ scores: [[DayScore]], _ truths: [DeviceTruth], resampling: Resampling = Resampling(count: 0)
  ) throws -> StudyResult {
    StudyResult(
      regions: try RegionIndex([Region]()), profile: try DeviceProfile.named("iphone-6"),
      policies: scores.indices.map { StudiedPolicy(label: "p\($0)", summary: "", source: "", needs: "") },
      devices: truths, seeds: [1], resampling: resampling, scores: scores, threads: 1)
  }

  /// Circles in a row along the equator, 600 m apart, of 80, 150 and 260 m.
  static func regions(_ names: [String], order: [Int]? = nil) throws -> RegionIndex {
    let all = names.enumerated().map { index, name in
      (name, MadeScores.place(400 + 600 * Double(index)), [80.0, 150, 260][index % 3])
    }
    var regions: [Region] = []
    for index in order ?? Array(all.indices) {
      let (name, center, radius) = all[index]
      regions.append(Region(identifier: name, center: center, radius: radius))
    }
    return try RegionIndex(regions)
  }

  /// Devices that go back and forth along the row, each at its own pace, a fix every ten seconds for two
  /// hours.
  static func devices(_ count: Int) -> [StudyDevice] {
    (0..<count).map { number in
      StudyDevice(name: "device \(number)") {
        let speed = 2 + 3 * Double(number)
        let fixes = (0...720).map { index -> Fix in
          let way = (speed * Double(index) * 10).truncatingRemainder(dividingBy: 20_000)
          let east = way < 10_000 ? way : 20_000 - way
          return Fix(
            time: MadeScores.time(1_000_000 + Double(index) * 10), coordinate: MadeScores.place(east))
        }
        return try TrueTrack(fixes)
      }
    }
  }
}
