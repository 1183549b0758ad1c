import Foundation

/// A computer that sleeps, the other services, and an app that is kept alive.
extension GoldenStatement {
  // MARK: computer-asleep

  static let computerAsleep = [
    GoldenStatement(
      "While the computer sleeps, from 250 s to 1000 s, nothing is seen and nothing is told.",
      wrongWith: "  1020.000  the system sees home: outside",
      insteadBy: "   361.000  the system sees home: outside"
    ) { !$0.lines.contains { $0.seconds > 250 && $0.seconds < 1000 } },
    GoldenStatement(
      "A region that was entered and left meanwhile never was.", wrongWith: "-> entered office",
      insteadBy: "-> entered café"
    ) { !$0.lines.contains { $0.text.contains("café") && $0.text != "registered café" } },
    GoldenStatement(
      "The exit slept through and the entry are told after waking, each once, 20 s after it at the earliest.",
      wrongWith: "  1021.000  -> exited home", insteadBy: "  1001.000  -> exited home"
    ) { timeline in
      let events = timeline.told.filter { $0.text.hasPrefix("exited") || $0.text.hasPrefix("entered") }
      return Set(events.map(\.text)) == ["exited home", "entered office"] && events.count == 2
        && events.allSatisfy { $0.seconds >= 1020 && $0.seconds <= 1061 }
    },
    GoldenStatement(
      "Apps of a computer are not suspended and not ended.", wrongWith: "  1020.000  the",
      insteadBy: "   300.000  app: suspended (nothing keeps it running)\n  1020.000  the"
    ) { $0.states.map(\.state) == ["foreground"] && $0.counts["kills"] == 0 && $0.counts["relaunches"] == 0 },
  ]

  // MARK: deferred

  static let deferred = [
    GoldenStatement(
      "Positions come every second until they are deferred, when the app is left after 20 s.",
      wrongWith: "    11.000  -> standard", insteadBy: "    11.500  -> standard"
    ) { timeline in
      let early = timeline.positions("standard").filter { $0.time >= 5 && $0.delivered < 20 }
      return early.map(\.delivered) == (5..<20).map(Double.init)
        && early.allSatisfy { $0.time == $0.delivered }
    },
    GoldenStatement(
      "A batch comes after 2 km at 12 m/s, at most two seconds later, and before the five minutes are over.",
      wrongWith: "   188.000  -> deferred updates finished: distance",
      insteadBy: "   320.000  -> deferred updates finished: distance"
    ) { timeline in
      let ends = timeline.times("-> deferred updates finished: distance")
      let way = 2000.0 / 12
      return ends.count == 2 && neighbours([20] + ends).allSatisfy { (way...(way + 2)).contains($1 - $0) }
        && timeline.texts("-> deferred updates finished").count == 2
    },
    GoldenStatement(
      "A batch has a position for each second since the one before, none left out, each given at its end and close to the truth.",
      wrongWith: "; 46.19997,6.15328 ±11.2 12.0 m/s at 21.000", insteadBy: ""
    ) { timeline in
      let late = timeline.batches("standard").filter { ($0.first?.delivered ?? 0) >= 20 }
      let times = late.flatMap { $0.map(\.time) }
      return late.count == 2 && times == (20...356).map(Double.init)
        && late.allSatisfy { batch in batch.last?.time == batch.last?.delivered }
        && late.joined().allSatisfy { $0.distance(east: 12 * $0.time) <= 12 }
    },
    GoldenStatement(
      "The service keeps the app running while positions are deferred: 400 s behind.",
      wrongWith: "   188.000  -> deferred",
      insteadBy: "   188.000  app: suspended (nothing keeps it running)\n   188.000  -> deferred"
    ) { $0.stays("background", from: 20, to: 420) && near($0.counts["behind"], 400, within: 0.05) },
    GoldenStatement(
      "Satellites track all the time: 250 mW for 420 s.", wrongWith: "105.000  J gnss",
      insteadBy: " 42.000  J gnss"
    ) { near($0.joules["gnss"], 105, within: 1) },
  ]

  // MARK: significant-changes

  static let significantChanges = [
    GoldenStatement(
      "Significant changes are not told of more often than every five minutes.",
      wrongWith: "  1380.000  -> significantChange", insteadBy: "  1300.000  -> significantChange"
    ) { timeline in
      let times = timeline.times("-> significantChange")
      return times.count > 2 && neighbours(times).allSatisfy { $1 - $0 >= 300 }
    },
    GoldenStatement(
      "After the first, a change is told only when the device has gone 500 m: it stands until 900 s, and from 1800 s on.",
      wrongWith: "  1080.000  -> significantChange", insteadBy: "   900.000  -> significantChange"
    ) { timeline in
      func way(_ seconds: Double) -> Double { 12 * min(max(seconds - 900, 0), 900) }
      return neighbours(timeline.times("-> significantChange")).allSatisfy { way($1) - way($0) >= 500 }
    },
    GoldenStatement(
      "An app that its user has removed is started by the next event, behind, and is told of it.",
      wrongWith: "   300.000  -> visit", insteadBy: "   310.000  -> visit"
    ) { timeline in
      guard let start = timeline.states.first(where: { $0.seconds > 60 }) else { return false }
      return timeline.stays(from: 60)?.state == "notRunning" && start.reason == "launched: location"
        && timeline.texts(at: start.seconds).contains {
          $0.hasPrefix("-> visit") || $0.hasPrefix("-> significantChange")
        } && timeline.counts["relaunches"] == 1
    },
    GoldenStatement(
      "Visits are told late: an arrival 300 s after it, a departure 200 s after it.",
      wrongWith: "  1100.000  -> visit 46.20012,6.14962 from 0 to 900",
      insteadBy: "   900.000  -> visit 46.20012,6.14962 from 0 to 900"
    ) { timeline in
      let visits = timeline.told.filter { $0.text.hasPrefix("visit ") }
      return visits.map(\.seconds) == [300, 900 + 200, 1800 + 300]
        && zip(visits, ["from 0", "from 0 to 900", "from 1800"]).allSatisfy { $0.text.hasSuffix($1) }
    },
    GoldenStatement(
      "Each event gives the app ten seconds.", wrongWith: "  1690.000  app", insteadBy: "  1700.000  app"
    ) { timeline in
      let events = timeline.told.filter { $0.seconds > 60 && !$0.text.hasPrefix("launched") }
      return events.count == 7
        && events.allSatisfy {
          timeline.stays("background", from: $0.seconds, to: $0.seconds + 10)
            && timeline.stays(from: $0.seconds + 10)?.state == "suspended"
        }
    },
  ]

  // MARK: beacons

  static let beacons = [
    GoldenStatement(
      "The beacon's region is entered at the first scan within 30 m of it: scans are ten seconds apart, and the device comes there at 180 s.",
      wrongWith: "   180.000  -> entered shop", insteadBy: "   170.000  -> entered shop"
    ) { timeline in
      let times = timeline.times("-> entered shop")
      return times.count == 1 && (180...190).contains(times[0])
    },
    GoldenStatement(
      "It is left 30 s after the beacon was last heard, which was in the ten seconds before the device went at 220 s.",
      wrongWith: "   240.000  -> exited shop", insteadBy: "   220.000  -> exited shop"
    ) { timeline in
      let times = timeline.times("-> exited shop")
      return times.count == 1 && (240...250).contains(times[0])
    },
    GoldenStatement(
      "The beacon is ranged once a second while the app runs, and not after it has been suspended.",
      wrongWith: "   185.000  -> ranged", insteadBy: "   195.000  -> ranged"
    ) { timeline in
      guard let entered = timeline.times("-> entered shop").first else { return false }
      return timeline.times("-> ranged") == (1...9).map { entered + Double($0) }
        && timeline.texts("-> ranged").allSatisfy { $0.contains("/1/7 ") }
    },
    GoldenStatement(
      "Each event gives the app ten seconds.", wrongWith: "   190.000  app", insteadBy: "   215.000  app"
    ) { timeline in
      let events = timeline.told.filter { $0.text == "entered shop" || $0.text == "exited shop" }
      return events.count == 2
        && events.allSatisfy {
          timeline.stays("background", from: $0.seconds, to: $0.seconds + 10)
            && timeline.stays(from: $0.seconds + 10)?.state == "suspended"
        }
    },
  ]

  // MARK: compass

  private static func headings(_ timeline: GoldenTimeline) -> [(
    time: Double, magnetic: Double, north: Double
  )] {
    timeline.told.filter { $0.text.hasPrefix("heading ") }.compactMap { line in
      let words = line.text.split(separator: " ")
      guard words.count >= 4, let magnetic = Double(words[1]), let north = Double(words[3]) else {
        return nil
      }
      return (line.seconds, magnetic, north)
    }
  }

  private static func turn(_ a: Double, _ b: Double) -> Double {
    let difference = abs(a - b).truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
  }

  static let compass = [
    GoldenStatement(
      "True north is unknown, -1, until positions are on at 30 s; after that it differs by Geneva's declination, 2 to 3 degrees east.",
      wrongWith: "heading 99.3 true -1.0", insteadBy: "heading 99.3 true 101.6"
    ) { timeline in
      let headings = headings(timeline)
      return headings.contains { $0.time > 30 }
        && headings.allSatisfy {
          $0.time <= 30
            ? $0.north == -1
            : (2...3).contains(turn($0.north, $0.magnetic))
              && turn($0.magnetic + 2.5, $0.north) < 1
        }
    },
    GoldenStatement(
      "A heading is told when it has turned by the filter's 20 degrees.", wrongWith: "heading 99.3",
      insteadBy: "heading 89.3"
    ) { timeline in
      let headings = headings(timeline)
      return headings.count > 2 && neighbours(headings).allSatisfy { turn($0.magnetic, $1.magnetic) >= 20 }
    },
    GoldenStatement(
      "The device heads east for a minute and north for the next, as the compass shows to within 25 degrees.",
      wrongWith: "heading 356.4 true 358.6", insteadBy: "heading 330.0 true 332.3"
    ) { timeline in
      let headings = headings(timeline)
      return headings.contains { $0.time >= 60 }
        && headings.allSatisfy { turn($0.magnetic + 2.5, $0.time < 60 ? 90 : 0) <= 25 }
    },
    GoldenStatement(
      "The timer of 30 s fires at 30 s, and no position comes before the service is on.",
      wrongWith: "    30.000  -> timer 1", insteadBy: "    20.000  -> timer 1"
    ) { timeline in
      timeline.times("-> timer 1") == [30] && timeline.positions("standard").allSatisfy { $0.time >= 30 }
        && !timeline.positions("standard").isEmpty
    },
  ]

  // MARK: kept-alive

  static let keptAlive = [
    GoldenStatement(
      "While the app is behind, its handler is called every 600 s, which wakes it for the call alone.",
      wrongWith: "  1200.000  -> kept_alive", insteadBy: "  1100.000  -> kept_alive"
    ) { timeline in
      timeline.times("-> kept_alive") == [600, 1200]
        && [600, 1200].allSatisfy { timeline.stays(from: $0)?.state == "suspended" }
    },
    GoldenStatement(
      "Data for a socket wakes it for ten seconds.", wrongWith: "   110.000  app",
      insteadBy: "   101.000  app"
    ) { timeline in
      timeline.times("-> socket_data") == [100] && timeline.stays("background", from: 100, to: 110)
        && timeline.stays(from: 110)?.state == "suspended"
    },
    GoldenStatement(
      "It is started at boot and after an exit with status 1, behind, and for ten seconds.",
      wrongWith: "  2010.000  app: background (launched: keepAlive)",
      insteadBy: "  2040.000  app: background (launched: keepAlive)"
    ) { timeline in
      timeline.times("-> launched: keepAlive") == [1500, 2010]
        && timeline.times("app: background (launched: keepAlive)") == [1500, 2010]
        && [1500.0, 2010].allSatisfy {
          timeline.stays("background", from: $0, to: $0 + 10)
            && timeline.stays(from: $0 + 10)?.state == "suspended"
        }
    },
    GoldenStatement(
      "It is not started again after an exit with status zero.",
      doctored: { text in
        text.replacingOccurrences(
          of: "app: notRunning (exit 0)\n",
          with: "app: notRunning (exit 0)\n  2510.000  app: background (launched: keepAlive)\n"
            + "  2510.000  -> launched: keepAlive\n")
      },
      holds: { $0.lines.last?.text == "app: notRunning (exit 0)" && $0.counts["relaunches"] == 2 }),
  ]
}
