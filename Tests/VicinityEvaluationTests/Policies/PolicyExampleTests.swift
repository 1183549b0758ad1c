import Foundation
import Testing
import VicinityCrossings
import VicinityEvaluation
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation
import VicinitySynthesis

/// A policy of a user's own, as the documentation has it.
struct HourlyPolicy: MonitoringPolicy {
  let name = "hourly"
  let summary = "Every hour the regions around a position."

  func makeApp(watching regions: RegionIndex) -> any PhoneApp { App(regions: regions) }

  private struct App: PhoneApp {
    let regions: RegionIndex

    func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
      switch event {
      case .launched, .timer:
        phone.setTimer(after: .seconds(3600))
        phone.requestLocation()
      case .locations(let fixes, _):
        guard let found = fixes.last.flatMap({ try? regions.containing($0.coordinate) }) else {
          return
        }
        for region in found {
          phone.report(entry: true, region: region.identifier, at: phone.now)
        }
      default: break
      }
    }
  }
}

/// The page "Policies" compiles, and prints what it says.
@Suite("The example of a policy of one's own") struct PolicyExampleTests {
  /// What the page's second block prints.
  private func example() throws -> String {
    var output = ""
    func print(_ items: String...) { output += items.joined(separator: " ") + "\n" }

    let vienna = Coordinate(latitude: 48.21, longitude: 16.37)
    let monday = Timestamp(microseconds: 1_780_264_800_000_000)
    let shops = try RegionSetGenerator(count: 2000, around: vienna, spread: 8000, seed: 1).regionSet()
    let people = try Population(count: 20, around: vienna, start: monday, days: 1, seed: 1)
    let study = Study(
      of: [HourlyPolicy(), MonitorSlotsPolicy(), ContinuousTrackingPolicy(.best)],
      watching: try RegionIndex(shops),
      on: (0..<people.count).map { number in
        StudyDevice(name: "device \(number)") { try TrueTrack(people.person(number).fixes()) }
      },
      profile: try DeviceProfile.named("iphone-6"))
    for card in try study.run().cards {
      print(
        card.policy, Metric.visitRecall.text(card.value(.visitRecall)),
        Metric.energy.text(card.value(.energy)))
    }
    return output
  }

  @Test func isWhatThePageSays() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let page = try String(
      contentsOf: root.appending(
        path: "Sources/VicinityEvaluation/VicinityEvaluation.docc/PolicyCatalogue.md"), encoding: .utf8)
    /// Line by line, however far in they stand.
    func lines(_ text: some StringProtocol) -> String {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
    let pieces = page.components(separatedBy: "```")
    let code = pieces.filter { $0.hasPrefix("swift\n") }
    #expect(code.count == 2)
    let source = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    for block in code { #expect(source.contains(lines(block.dropFirst(6)))) }
    let text = try #require(pieces.first { $0.hasPrefix("text\n") })
    let printed = try example()
    #expect(text.dropFirst(5) == printed)
  }
}
