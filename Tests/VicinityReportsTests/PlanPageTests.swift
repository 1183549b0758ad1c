import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor

@testable import VicinityReports

@Suite("The page of plans")
struct PlanPageTests {
  /// Thirty circles of 100 m, a kilometre apart along the equator.
  private static let regions = (1...30).map {
    Region(
      identifier: "r\($0)", center: Coordinate(latitude: 0, longitude: degrees(1000 * Double($0))),
      radius: 100)
  }

  private static func degrees(_ metres: Double) -> Double { metres / 111_319.490793 }

  private static func fix(_ second: Int, _ metres: Double) -> Fix {
    Fix(
      time: Timestamp(microseconds: Int64(1_000_000 + second) * 1_000_000),
      coordinate: Coordinate(latitude: 0, longitude: degrees(metres)))
  }

  /// Plans of four slots for devices that go east at 20 m/s.
  private func page(devices: Int = 1, fixes: Int = 60, everyFixPlans: Bool = false) throws -> (
    page: PlanPage, plans: [Plan]
  ) {
    let index = try RegionIndex(Self.regions)
    var page = PlanPage(index, slots: 4)
    var plans: [Plan] = []
    for device in 0..<devices {
      var options = PlanOptions.followed
      options.capacity = 4
      var planner = try RegistrationPlanner(index, options: options)
      for second in 0..<fixes {
        let fix = Self.fix(10 * second, 200 * Double(second))
        page.add(fix, of: "bus \(device)")
        if case .planned = try planner.advance(to: fix), let plan = planner.plan {
          page.add(plan, of: "bus \(device)")
          plans.append(plan)
        } else if everyFixPlans, let plan = planner.plan {
          page.add(plan, of: "bus \(device)")
          plans.append(plan)
        }
      }
    }
    return (page, plans)
  }

  private func data(_ page: PlanPage) throws -> [String: Any] {
    try PageData.of(String(decoding: page.html(title: "Plans"), as: UTF8.self))
  }

  @Test("It has each plan with its regions, its disc and the track")
  func plans() throws {
    let (page, plans) = try page()
    let data = try data(page)
    let device = try #require((data["devices"] as? [[String: Any]])?.first)
    let rows = try #require(device["plans"] as? [[Any]])
    #expect(rows.count == plans.count && plans.count > 3)
    let regions = try #require(data["regions"] as? [[String: Any]])
    #expect(data["regionCount"] as? Int == 30 && data["slots"] as? Int == 4)
    for (row, plan) in zip(rows, plans) {
      #expect(row[0] as? Double == plan.fix.time.seconds)
      let values = try #require(row[1] as? [String: Any])
      let registered = try #require(values["registered"] as? [[Double]])
      let names = registered.compactMap { regions[Int($0[0])]["id"] as? String }
      #expect(names == plan.registrations.map(\.identifier))
      for (one, registration) in zip(registered, plan.registrations) {
        #expect(abs(one[1] - registration.distance) <= 0.05)
      }
      let disc = try #require(values["disc"] as? [Double])
      let safe = try #require(plan.safeDisc)
      #expect(abs(disc[2] - safe.radius) <= 0.05 && abs(disc[1] - safe.center.longitude) < 1e-6)
      #expect(values["used"] as? Int == plan.slotsInUse)
    }
    let track = try #require(device["track"] as? [[Double]])
    #expect(track.count == 60 && track.last?[0] == 1_000_590)
  }

  @Test("It loads nothing, and the same plans give the same bytes")
  func loadsNothing() throws {
    let (page, _) = try page()
    let text = String(decoding: page.html(title: "a <b> & c"), as: UTF8.self)
    #expect(text.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\""))
    #expect(text.contains("<title>a &lt;b&gt; &amp; c</title>"))
    #expect(text.contains("<noscript><p>a &lt;b&gt; &amp; c. This page"))
    #expect(!text.contains("https://"))
    #expect(try page.html(title: "x") == self.page().page.html(title: "x"))
  }

  @Test("Of many devices and plans it has the first, and says how many there are")
  func many() throws {
    let (crowd, plans) = try page(devices: 25)
    let crowded = try data(crowd)
    #expect(crowded["deviceCount"] as? Int == 25 && (crowded["devices"] as? [Any])?.count == 20)
    let figures = try #require(crowded["figures"] as? [[Any]])
    #expect(figures.last?[1] as? Int == plans.count)
    let (long, all) = try page(fixes: 2100, everyFixPlans: true)
    #expect(all.count == 2100)
    let device = try #require((try data(long)["devices"] as? [[String: Any]])?.first)
    #expect(device["planCount"] as? Int == 2100 && (device["plans"] as? [Any])?.count == 2000)
    // The track ends with the plans that are drawn.
    let track = try #require(device["track"] as? [[Double]])
    #expect((2000...2001).contains(track.count))
  }

  @Test("A long track is thinned, and keeps its ends")
  func thins() throws {
    let index = try RegionIndex(Self.regions)
    var page = PlanPage(index, slots: 4)
    for second in 0..<50_001 { page.add(Self.fix(second, Double(second)), of: "bus") }
    let device = try #require((try data(page)["devices"] as? [[String: Any]])?.first)
    let track = try #require(device["track"] as? [[Double]])
    #expect((6000...12_001).contains(track.count))
    #expect(track.first?[0] == 1_000_000 && track.last?[0] == 1_050_000)
    let steps = zip(track, track.dropFirst()).map { $1[0] - $0[0] }
    #expect(Set(steps.dropLast()).count == 1)
  }
}
