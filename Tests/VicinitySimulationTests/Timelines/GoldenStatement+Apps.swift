import Foundation

/// Positions, regions and tasks of an app that comes and goes.
extension GoldenStatement {
  // MARK: best-in-front

  static let bestInFront = [
    GoldenStatement(
      "A position is at least the filter's 50 m from the one delivered before.",
      wrongWith: "46.20013,6.15237", insteadBy: "46.20013,6.15160"
    ) { timeline in
      let positions = timeline.positions("standard")
      return positions.count > 2 && neighbours(positions).allSatisfy { $0.distance(to: $1) >= 49 }
    },
    GoldenStatement(
      "In front, satellites: to 15 m once they are found, five seconds after the start. Behind, hundred metres: 32 to 98 m.",
      wrongWith: "±59.1", insteadBy: "±9.1"
    ) { timeline in
      timeline.positions("standard").filter { $0.time >= 5 }.allSatisfy {
        $0.time <= 660 ? (5...15).contains($0.accuracy) : (32...98).contains($0.accuracy)
      }
    },
    GoldenStatement(
      "Every position is where the device is, to 10 m by satellites and to 60 m by Wi-Fi.",
      wrongWith: "46.19997,6.15090 ±7.5", insteadBy: "46.19997,6.15190 ±7.5"
    ) { timeline in
      timeline.positions("standard").allSatisfy {
        $0.distance(east: errand($0.time)) <= ($0.accuracy <= 15 ? 12 : 62)
      }
    },
    GoldenStatement(
      "The standard service with the location mode keeps the app running behind, all the time from 660 s to 1200 s.",
      wrongWith: "   714.000  ->",
      insteadBy: "   700.000  app: suspended (nothing keeps it running)\n   714.000  ->"
    ) { $0.stays("background", from: 660, to: 1200) && near($0.counts["behind"], 540, within: 0.05) },
    GoldenStatement(
      "Satellites take 250 mW for the 900 s in front, Wi-Fi 60 mW for the 540 s behind.",
      wrongWith: "225.000  J gnss", insteadBy: "360.000  J gnss"
    ) { near($0.joules["gnss"], 225, within: 3) && near($0.joules["wifi"], 32.4, within: 1) },
  ]

  // MARK: without-location-mode

  static let withoutLocationMode = [
    GoldenStatement(
      "Without the location mode the standard service does not keep the app running: it is suspended when it has been left.",
      wrongWith: "   620.000  app: suspended", insteadBy: "   640.000  app: suspended"
    ) {
      $0.stays(from: 620)?.state == "suspended"
        && !$0.times("app: suspended").contains { $0 > 620 && $0 < 700 }
    },
    GoldenStatement(
      "The office is entered where half of its radius inside the boundary has been passed for 20 s, a look later at most; the app is told a second later.",
      wrongWith: "   850.000  the system sees office: inside",
      insteadBy: "   800.000  the system sees office: inside"
    ) { timeline in
      // The boundary is at 260 m; 50 m inside it is the 207th second of the walk.
      let seen = timeline.times("the system sees office: inside")
      return seen.count == 1 && seen[0] >= 806 + 20 && seen[0] <= 806 + 20 + 40
        && timeline.times("-> entered office") == [seen[0] + 1]
    },
    GoldenStatement(
      "A region's event gives the app ten seconds.", wrongWith: "   861.000  app",
      insteadBy: "   887.000  app"
    ) { timeline in
      guard let entered = timeline.times("-> entered office").first else { return false }
      return timeline.stays("background", from: entered, to: entered + 10)
        && timeline.stays(from: entered + 10)?.state == "suspended"
    },
    GoldenStatement(
      "What the system learned while the app was suspended comes in one batch when it is woken, before anything else, and what it learned since on return to the front, before it is active.",
      doctored: { text in
        // The last position comes after the app has become active.
        guard let last = text.range(of: "  1000.000  -> standard 46.19983,6.15397 ±68.6 at 881.000\n"),
          let active = text.range(of: "-> became_active\n", options: .backwards)
        else { return text }
        var text = text
        text.insert(
          contentsOf: "  1000.000  -> standard 46.19983,6.15397 ±68.6 at 881.000\n", at: active.upperBound)
        text.removeSubrange(last)
        return text
      },
      holds: { timeline in
        let told = timeline.texts(at: 1000).filter { $0.hasPrefix("-> ") }
        guard told.count >= 3, told[0] == "-> will_enter_foreground", told[2] == "-> became_active" else {
          return false
        }
        // What comes after that is measured in front.
        guard told.dropFirst(3).allSatisfy({ $0.hasSuffix("at 1000.000") }) else { return false }
        let woken = timeline.texts(at: 851).filter { $0.hasPrefix("-> ") }
        guard woken.first?.hasPrefix("-> standard") == true else { return false }
        func isHeld(_ delivered: Double, since: Double, atLeast count: Int) -> Bool {
          let batch = timeline.batches("standard").first { $0.first?.delivered == delivered } ?? []
          let times = batch.map(\.time)
          return batch.count >= count && times == times.sorted()
            && times.allSatisfy { $0 > since && $0 < delivered }
            && batch.allSatisfy { $0.distance(east: errand($0.time)) <= 62 }
        }
        return isHeld(851, since: 620, atLeast: 2) && isHeld(1000, since: 861, atLeast: 1)
      }),
  ]

  // MARK: relaunched-by-regions

  static let relaunchedByRegions = [
    GoldenStatement(
      "The state that holds at registration is determined when it is asked for, and is no event.",
      wrongWith: "  -> determined home: inside", insteadBy: "  -> entered home"
    ) { $0.times("-> determined home: inside") == [0] && $0.times("-> entered home").isEmpty },
    GoldenStatement(
      "The exit of home is seen when the device has been 100 m beyond the boundary for 20 s, a look later at most; it is told a second later.",
      wrongWith: "   361.000  the system sees home: outside",
      insteadBy: "   330.000  the system sees home: outside"
    ) { timeline in
      // 200 m from the place, at 12 m/s from the 300th second on.
      let beyond = 300 + 200.0 / 12
      let seen = timeline.times("the system sees home: outside")
      return seen.count == 1 && seen[0] >= beyond + 20 && seen[0] <= beyond + 20 + 40
        && timeline.times("-> exited home") == [seen[0] + 1]
    },
    GoldenStatement(
      "After termination the event of a region starts the app behind, and the event follows the launch at once.",
      wrongWith: "  -> launched: location", insteadBy: "  -> became_active"
    ) { timeline in
      guard let end = timeline.states.first(where: { $0.state == "notRunning" }),
        let start = timeline.states.first(where: { $0.seconds > end.seconds }),
        let exit = timeline.times("-> exited home").first
      else { return false }
      let told = timeline.texts(at: start.seconds).filter { $0.hasPrefix("-> ") }
      return end.seconds == 200 && start.state == "background" && start.reason == "launched: location"
        && start.seconds == exit && told.prefix(2) == ["-> launched: location", "-> exited home"]
        && timeline.counts["relaunches"] == 1
    },
    GoldenStatement(
      "The office is entered 100 m inside its boundary, 20 s after that or a look later.",
      wrongWith: "   920.000  -> entered office", insteadBy: "   960.000  -> entered office"
    ) { timeline in
      // The cushion's 100 m, which is less than half of 300 m.
      let beyond = 300 + (7200.0 - 300 + 100) / 12
      let seen = timeline.times("the system sees office: inside")
      return seen.count == 1 && seen[0] >= beyond + 20 && seen[0] <= beyond + 20 + 40
        && timeline.times("-> entered office") == [seen[0] + 1]
    },
    GoldenStatement(
      "One event for each crossing, and ten seconds for each.", wrongWith: "   930.000  app",
      insteadBy: "   921.000  app"
    ) { timeline in
      let events = timeline.told.filter { $0.text.hasPrefix("exited") || $0.text.hasPrefix("entered ") }
      return events.map(\.text) == ["exited home", "entered office"]
        && events.allSatisfy { event in
          timeline.stays("background", from: event.seconds, to: event.seconds + 10)
            && timeline.stays(from: event.seconds + 10)?.state == "suspended"
        }
    },
  ]

  // MARK: task-expires

  static let taskExpires = [
    GoldenStatement(
      "The expiration handler is called five seconds before the 30 s from iOS 13 on are over, for each task once.",
      wrongWith: "    35.000  -> task 1 expires", insteadBy: "    41.000  -> task 1 expires"
    ) { $0.times("-> task 1 expires") == [35] && $0.times("-> task 2 expires") == [745] },
    GoldenStatement(
      "A task that is not ended keeps the app running for 30 s, and then takes the process with it.",
      wrongWith: "    40.000  app: notRunning (killed: background task not ended)",
      insteadBy: "    35.000  app: suspended (nothing keeps it running)"
    ) { timeline in
      timeline.stays("background", from: 10, to: 40) && timeline.stays(from: 40)?.state == "notRunning"
        && timeline.states.first { $0.seconds == 40 }?.reason.hasPrefix("killed") == true
        && timeline.counts["kills"] == 1
    },
    GoldenStatement(
      "A task that is ended in its handler lets the app be suspended at that moment, alive.",
      wrongWith: "   745.000  app: suspended (nothing keeps it running)",
      insteadBy: "   750.000  app: notRunning (killed: background task not ended)"
    ) { timeline in
      timeline.times("task 2 ends") == [745] && timeline.stays("background", from: 720, to: 745)
        && timeline.stays(from: 745)?.state == "suspended" && timeline.times("app: notRunning").count == 1
    },
    GoldenStatement(
      "Opened after that, the app is a new process.",
      wrongWith: "app: foreground (launched: user)\n   700.000  -> launched: user",
      insteadBy: "app: foreground (opened)\n   700.000  -> will_enter_foreground"
    ) { $0.texts(at: 700).prefix(2) == ["app: foreground (launched: user)", "-> launched: user"] },
    GoldenStatement(
      "It is behind for 30 s and for 25 s.", wrongWith: "behind 55.0", insteadBy: "behind 60.0"
    ) { near($0.counts["behind"], 55, within: 0.05) },
  ]

  // MARK: airplane-mode

  static let airplaneMode = [
    GoldenStatement(
      "Without cells and Wi-Fi there is no position until satellites are found without help, 30 s after the start.",
      wrongWith: "    30.000  -> standard", insteadBy: "     6.000  -> standard"
    ) { timeline in
      let positions = timeline.positions("standard") + timeline.positions("single")
      return !positions.isEmpty && positions.allSatisfy { $0.delivered >= 30 && $0.time >= 30 }
    },
    GoldenStatement(
      "A single position is given up after ten seconds: it is unknown then.",
      wrongWith: "    10.000  -> location_unknown", insteadBy: "    30.000  -> location_unknown"
    ) { $0.times("-> location_unknown") == [10] && $0.positions("single").isEmpty },
    GoldenStatement(
      "Positions are the filter's 30 m apart, where the device is to 10 m, and say 5 to 15 m.",
      wrongWith: "46.19994,6.15142", insteadBy: "46.19994,6.15172"
    ) { timeline in
      let positions = timeline.positions("standard")
      return positions.count > 2 && neighbours(positions).allSatisfy { $0.distance(to: $1) >= 29 }
        && positions.allSatisfy { $0.distance(east: 1.5 * $0.time) <= 12 && (5...15).contains($0.accuracy) }
    },
    GoldenStatement(
      "Satellites take 250 mW for the two minutes; neither Wi-Fi nor cells take anything.",
      wrongWith: "    30.000  J gnss", insteadBy: "    30.000  J gnss\n     1.000  J cell"
    ) { near($0.joules["gnss"], 30, within: 0.5) && $0.joules["wifi"] == nil && $0.joules["cell"] == nil },
  ]

  // MARK: refused

  static let refused = [
    GoldenStatement(
      "Twenty regions are registered, the first twenty.", wrongWith: "registered r19",
      insteadBy: "registered r20"
    ) { $0.texts("registered ") == (0..<20).map { "registered r\($0)" } },
    GoldenStatement(
      "The twenty-first is refused with Core Location's error 5, and is not registered.",
      wrongWith: "regionMonitoringFailure (5)", insteadBy: "regionMonitoringDenied (4)"
    ) { timeline in
      let refusals = timeline.texts("-> failed ")
      return refusals.count == 1 && refusals[0].hasPrefix("-> failed r20: regionMonitoringFailure (5)")
        && timeline.times("registered r20").isEmpty
    },
    GoldenStatement(
      "The state of a region that is not monitored is unknown; of the one around the device it is inside.",
      wrongWith: "nobody: unknown", insteadBy: "nobody: outside"
    ) {
      $0.texts("-> determined ").sorted() == ["-> determined nobody: unknown", "-> determined r0: inside"]
    },
    GoldenStatement(
      "No event for the state that holds at registration.", wrongWith: "-> determined r0: inside",
      insteadBy: "-> determined r0: inside\n     0.000  -> entered r0"
    ) { $0.times("-> entered").isEmpty && $0.times("-> exited").isEmpty },
  ]
}
