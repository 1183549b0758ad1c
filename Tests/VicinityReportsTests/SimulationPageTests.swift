import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation
@testable import VicinityReports

@Suite("The page of a run")
struct SimulationPageTests {
  /// A phone that stands for two hours, 220 km from 25 regions.
  private func run() throws -> SimulatedRun {
    let regions = try RegionIndex(
      (0..<25).map {
        Region(
          identifier: "far-\($0)", center: Coordinate(latitude: 0.01 * Double($0), longitude: 2), radius: 200)
      })
    let track = try TrueTrack(
      [0, 7200].map { second in
        Fix(
          time: Timestamp(microseconds: (1_000_000 + second) * 1_000_000),
          coordinate: Coordinate(latitude: 0, longitude: 0))
      })
    let scenario = Scenario(
      track: track, actions: StudyDevice.openedOnce(at: track.start),
      profile: try DeviceProfile.named("iphone-6"), seed: 1)
    return try SimulatedRun(scenario, MonitorSlotsPolicy(), watching: regions)
  }

  @Test("It draws the sentinel that the phone has registered, and counts its slot")
  func sentinel() throws {
    let run = try run()
    let largest = run.scenario.profile.regions.maximumRadius.value
    // The case at hand: the safe disc is larger than any region that the phone accepts.
    let discs = run.result.timeline.compactMap { entry -> Double? in
      if case .safeDisc(_, let radius) = entry.kind { radius } else { nil }
    }
    #expect(try #require(discs.last) > 10 * largest)
    let data = try PageData.of(String(decoding: run.html(), as: UTF8.self))
    let sentinels = try #require(data["sentinels"] as? [[Double]])
    let last = try #require(sentinels.last)
    #expect(last.count == 5 && last[4] == largest && abs(last[2]) < 0.01 && abs(last[3]) < 0.01)
    // In every slot that is in use at the end there is a region or a sentinel.
    let registrations = try #require(data["registrations"] as? [[Double]])
    let end = try #require(data["end"] as? Double)
    let inUse = (registrations + sentinels).count { $0[1] >= end }
    var standing: Set<String> = []
    for entry in run.result.timeline {
      switch entry.kind {
      case .registered(let region): standing.insert(region.identifier)
      case .unregistered(let region): standing.remove(region)
      default: break
      }
    }
    #expect(inUse == standing.count && inUse > 1)
    #expect(registrations.count { $0[1] >= end } == inUse - 1)
  }

  @Test("It may load the base map's tiles, and nothing else; it says how many regions the map draws")
  func loadsTilesAlone() throws {
    let page = String(decoding: try run().html(), as: UTF8.self)
    let policies = page.split(separator: "Content-Security-Policy\" content=\"").dropFirst().map {
      $0.prefix { $0 != "\"" }
    }
    #expect(
      policies == [
        "default-src 'none'; img-src https://tile.openstreetmap.org; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
      ])
    let policy = try #require(page.range(of: "Content-Security-Policy"))
    // Before anything that it could forbid.
    for element in ["<style", "<script", "<title"] {
      #expect(try #require(page.range(of: element)).lowerBound > policy.upperBound)
    }
    let data = try PageData.of(page)
    #expect(data["tiles"] as? String == "https://tile.openstreetmap.org")
    #expect(data["regionCount"] as? Int == 25)
    #expect(try #require(data["regions"] as? [Any]).count < 25)
    #expect(page.components(separatedBy: "page.drawn()").count == 2)
  }

  @Test("The same run is the same page")
  func determinism() throws { #expect(try run().html() == run().html()) }
}
