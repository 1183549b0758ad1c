import VicinityCrossings
import VicinityGeodesy
import VicinitySimulation

@testable import VicinityEvaluation

/// Truths, reports and scores made by hand, along the equator.
enum MadeScores {
  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Int64((seconds * 1e6).rounded()))
  }

  /// A place so many metres east of where longitudes begin.
  static func place(_ metres: Double) -> Coordinate {
    Coordinate(latitude: 0, longitude: metres / 111_319.49079327358)
  }

  /// A visit: the region, its size, when it was entered and left.
  struct Visit {
    var region: Int
    var radius: Double
    var entry: Double?
    var exit: Double?
    var speed = 1.0
  }

  /// A device's truth from 0 to some seconds; every crossing is at place 0.
  static func truth(_ device: String, until end: Double, _ visits: [Visit]) -> DeviceTruth {
    var truth = DeviceTruth(device: device, start: time(0), end: time(end), crossings: [], visits: [])
    for (index, visit) in visits.enumerated() {
      func crossing(_ kind: Crossing.Kind, _ at: Double?) -> Crossing? {
        at.map { Crossing(region: visit.region, kind: kind, time: time($0), coordinate: place(0)) }
      }
      let (entry, exit) = (crossing(.enter, visit.entry), crossing(.exit, visit.exit))
      truth.visits.append(
        RegionVisit(
          region: visit.region, radius: visit.radius, entry: entry, exit: exit, start: time(visit.entry ?? 0),
          end: time(visit.exit ?? end)))
      for crossing in [entry, exit] {
        guard let crossing else { continue }
        truth.crossings.append(TrueCrossing(crossing: crossing, visit: index, speed: visit.speed))
      }
    }
    truth.crossings.sort { $0.crossing.time < $1.crossing.time }
    return truth
  }

  /// A report, and how many metres from place 0 the phone then was.
  struct Report {
    var isEntry: Bool
    var region: Int?
    var at: Double
    var away = 0.0
    var claimed: Double?
  }

  static func score(
    _ truth: DeviceTruth, device: Int = 0, seed: UInt64 = 1, rule: MatchingRule = MatchingRule(),
    _ reports: [Report]
  ) throws -> DayScore {
    var sizes: [Int: Double] = [:]
    for visit in truth.visits { sizes[visit.region] = visit.radius }
    var score = try DayScore(
      reports: reports.map {
        ReportedEvent(
          time: time($0.at), claimed: time($0.claimed ?? $0.at), isEntry: $0.isEntry, region: $0.region,
          identifier: $0.region.map { "r\($0)" } ?? "unknown")
      },
      places: reports.map { place($0.away) }, truth: truth, rule: rule, size: { sizes[$0] ?? .nan })
    score.device = device
    score.seed = seed
    return score
  }

  static func card(
    _ scores: [DayScore], _ truths: [DeviceTruth], filter: VisitFilter = .all,
    resampling: Resampling = Resampling(count: 0), onRequest metrics: [Metric] = []
  ) -> ScoreCard {
    ScoreCard(
      StudiedPolicy(label: "made", summary: "", source: "", needs: ""), scores, truths, filter: filter,
      resampling: resampling, onRequest: metrics, drawing: nil)
  }
}
