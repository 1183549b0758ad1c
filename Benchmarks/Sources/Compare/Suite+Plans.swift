import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// How a strategy did on a set of tracks.
struct PlanRow: Encodable {
  var tracks: String
  var regions: String
  var strategy: String
  var hours: Double
  var plans: Int
  var steps: Int
  /// The share of time under saturated plans, during which fixes are asked for.
  var saturated: Double
  var entries: Int
  var noticed: Int
  var violations: Int
  var announced: Int
  var late: Int
  var missed: Int
}

extension Suite {
  /// Plans an hour and missed entries by strategy, on real tracks.
  func plans() throws -> [PlanRow] {
    guard matches("plans"), let repository else { return [] }
    let root = URL(filePath: repository)
    var rows: [PlanRow] = []
    for tracks in try RealTracks.all(
      data: root.appending(path: "Data"), shared: root.appending(path: "../shared/data"))
    {
      for (label, count, spread) in [
        ("1000 within 20 km", 1000, 20_000.0), ("10 000 within 10 km", 10_000, 10_000),
        ("100 000 within 10 km", 100_000, 10_000),
      ] {
        let circles = inputs.circles(count, around: tracks, spread: spread)
        let index = try Ours(circles).index
        for (name, options) in Self.contenders(tracks) {
          progress.show("plans: \(tracks.name), \(label), \(name)")
          rows.append(try Self.follow(tracks, label, index, name, options))
        }
      }
    }
    progress.clear()
    return rows
  }

  /// Followed fix by fix, with a fix as old as it can be; and with a phone's margins.
  private static func contenders(_ tracks: RealTracks) -> [(String, PlanOptions)] {
    func followed(_ strategy: PlanStrategy) -> PlanOptions {
      var options = PlanOptions.followed
      options.latency = .seconds(tracks.cadence)
      options.maximumSpeed = tracks.topSpeed
      options.strategy = strategy
      return options
    }
    var ahead = PlanOptions()
    ahead.strategy = .boundaryAhead()
    ahead.maximumSpeed = tracks.topSpeed
    var phone = PlanOptions()
    phone.maximumSpeed = tracks.topSpeed
    let margins = [0.1, 0.25, 0.5].map {
      ("boundary-ahead, turn margin \($0)", followed(.boundaryAhead(turnMargin: $0)))
    }
    return [("boundary", followed(.boundary))] + margins + [
      ("nearest-by-centre", followed(.nearestByCenter)),
      ("constant-radius 1 km", followed(.constantRadius(1000))),
      ("constant-radius 2 km", followed(.constantRadius(2000))),
      ("significant-change, 20 of 20", followed(.significantChange())),
      ("visits, 20 of 20", followed(.visits())), ("boundary, a phone's margins", phone),
      ("boundary-ahead, a phone's margins", ahead),
    ]
  }

  /// Goes along the truth under the plans that the fixes lead to.
  private static func follow(
    _ tracks: RealTracks, _ regions: String, _ index: RegionIndex, _ name: String, _ options: PlanOptions
  ) throws -> PlanRow {
    var planner = try RegistrationPlanner(index, options: options)
    var verifier = try PlanVerifier(index, maximumGap: .seconds(1_000_000_000))
    var saturated = 0.0
    for track in tracks.tracks {
      planner.reset()
      verifier.reset()
      var next = 0
      var last: Timestamp?
      for position in track.truth {
        // What came before the first position is of no truth.
        if last == nil {
          while next + 1 < track.fixes.count, track.fixes[next + 1].time <= position.time { next += 1 }
        }
        if let last, planner.plan?.saturation != nil { saturated += position.time.seconds(since: last) }
        last = position.time
        // Before the first fix nothing is promised.
        if planner.plan != nil { _ = try verifier.advance(to: position, under: planner.plan) }
        while next < track.fixes.count, track.fixes[next].time <= position.time {
          _ = try planner.advance(to: track.fixes[next])
          next += 1
        }
      }
    }
    let (tally, counts) = (verifier.tally, planner.counts)
    let hours = tracks.hours
    return PlanRow(
      tracks: tracks.name, regions: regions, strategy: name, hours: hours,
      plans: counts.plans - tracks.tracks.count, steps: counts.steps, saturated: saturated / 3600 / hours,
      entries: tally.entries, noticed: tally.noticed, violations: tally.violations,
      announced: tally.announced, late: tally.late, missed: tally.missed)
  }
}

extension Inputs {
  /// Circles beside tracks, radii log-uniform in 50-500 m.
  func circles(_ count: Int, around tracks: RealTracks, spread: Meters) -> Circles {
    var random = SplitMix64(seed: seed &* 1000 &+ 30)
    var circles = Circles()
    for _ in 0..<count {
      let truth = tracks.tracks[random.index(below: tracks.tracks.count)].truth
      let near = truth[random.index(below: truth.count)].coordinate
      let place = try? Geodesic.direct(
        from: near, azimuth: 360 * random.unit(), distance: spread * random.unit().squareRoot())
      circles.append(
        place?.coordinate ?? near, radius: Self.radius(50, 500, using: &random))
    }
    return circles
  }
}

extension Report {
  func planTables() -> String {
    guard !plans.isEmpty else { return "" }
    var text = "\n## Plans on real tracks\n\n"
    text +=
      "Capacity 20, removals first. `plans/h`: plans an hour after each track's first; `steps/h`: registrations and\n"
      + "removals an hour; `saturated`: the share of time in which fixes are asked for; of `entries`, `noticed` are\n"
      + "into registered regions; the others were ruled out (`violations`), announced by a saturated plan, `late`\n"
      + "(after the disc was left and before the next fix), or `missed` by a strategy that promises nothing.\n"
    var last = ""
    for row in plans {
      let heading = "\(row.tracks): \(Self.short(row.hours)) h, \(row.regions)"
      if heading != last {
        last = heading
        text += "\n### \(heading)\n\n"
        text +=
          "| strategy | plans/h | steps/h | saturated | entries | noticed | violations | announced | late | missed |\n"
          + "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
      }
      let cells = [
        row.strategy, Self.short(Double(row.plans) / row.hours), Self.short(Double(row.steps) / row.hours),
        "\(Self.short(100 * row.saturated)) %", "\(row.entries)", "\(row.noticed)", "\(row.violations)",
        "\(row.announced)", "\(row.late)", "\(row.missed)",
      ]
      text += "| " + cells.joined(separator: " | ") + " |\n"
    }
    return text
  }
}
