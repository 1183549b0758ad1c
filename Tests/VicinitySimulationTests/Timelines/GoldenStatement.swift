import Foundation

/// Something that a golden timeline must show, written by hand from the rules that the documentation states,
/// not from what the simulator did.
///
/// The routes and actions are those of `GoldenScenario`, the profile's round numbers those of
/// `SampleProfile`; "The life of an app", "The simulated phone" and Apple's guides have the rules.
struct GoldenStatement: Sendable {
  let words: String
  let holds: @Sendable (GoldenTimeline) -> Bool
  /// A text of which the statement does not hold, made from the scenario's.
  let doctored: @Sendable (String) -> String

  /// A statement, and the part of the text whose replacement makes it wrong.
  init(
    _ words: String, wrongWith part: String, insteadBy other: String,
    _ holds: @escaping @Sendable (GoldenTimeline) -> Bool
  ) {
    self.words = words
    self.holds = holds
    doctored = { text in
      guard let range = text.range(of: part) else { return text }
      return text.replacingCharacters(in: range, with: other)
    }
  }

  /// A statement, and a change to the text that makes it wrong.
  init(
    _ words: String, doctored: @escaping @Sendable (String) -> String,
    holds: @escaping @Sendable (GoldenTimeline) -> Bool
  ) {
    self.words = words
    self.holds = holds
    self.doctored = doctored
  }

  /// What holds of every scenario.
  static let always: [GoldenStatement] = [
    GoldenStatement(
      "Times do not run back.", doctored: { "  9999.000  -> became_active\n" + $0 },
      holds: { neighbours($0.lines).allSatisfy { $0.seconds <= $1.seconds } }),
    GoldenStatement(
      "Nothing is told to an app that is suspended or has no process.",
      doctored: { text in
        guard let range = text.range(of: "  -> ", options: .backwards) else { return text }
        let line = text[..<range.lowerBound].lastIndex(of: "\n") ?? text.startIndex
        return text[..<line] + "\n     0.000  app: suspended (doctored)" + text[line...]
      },
      holds: { timeline in
        var state = "notRunning"
        for line in timeline.lines {
          if line.text.hasPrefix("app: ") {
            state = String(line.text.dropFirst(5).prefix { $0 != " " })
          } else if line.text.hasPrefix("-> "), state != "foreground", state != "background" {
            return false
          }
        }
        return true
      }),
    GoldenStatement(
      "A process begins with being told why it was launched, and is in front at once where the user opened it.",
      wrongWith: "  -> launched: user", insteadBy: "  -> launched: location"
    ) { timeline in
      zip(timeline.lines, timeline.lines.dropFirst()).allSatisfy { line, next in
        guard let range = line.text.range(of: "(launched: ") else { return true }
        let reason = line.text[range.upperBound...].dropLast()
        return next.text == "-> launched: \(reason)"
          && line.text.hasPrefix(reason == "user" ? "app: foreground" : "app: background")
      }
    },
  ]

  static let all: [String: [GoldenStatement]] = [
    "best-in-front": bestInFront, "without-location-mode": withoutLocationMode,
    "relaunched-by-regions": relaunchedByRegions, "task-expires": taskExpires,
    "airplane-mode": airplaneMode, "refused": refused, "computer-asleep": computerAsleep,
    "deferred": deferred, "significant-changes": significantChanges, "beacons": beacons,
    "compass": compass, "kept-alive": keptAlive,
  ]

  /// Where the device is on the errand: it stands for 600 s, walks east at 1.5 m/s for 240 s, and stands
  /// there. Metres.
  static func errand(_ seconds: Double) -> Double { 1.5 * min(max(seconds - 600, 0), 240) }

  /// Whether a value is near another.
  static func near(_ value: Double?, _ wanted: Double, within limit: Double) -> Bool {
    value.map { abs($0 - wanted) <= limit } ?? false
  }
}
