import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon

@testable import VicinityCrossings
@testable import VicinityMonitor

/// What a phone watches in the place of a condition, and what its answers are worth.
@Suite struct SlotWatchTests {
  private static let center = Coordinate(latitude: 48.2, longitude: 16.37)

  private static func corners(_ side: Double) -> [Coordinate] {
    [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map { y, x in
      Coordinate(latitude: 48.2 + y * side / 2 / 111_200, longitude: 16.37 + x * side / 2 / 74_300)
    }
  }

  private func watch(_ condition: Condition, isSentinel: Bool = false, maximum: Double = 10_000) -> SlotWatch?
  {
    SlotWatch(Slot(identifier: "a", condition: condition, isSentinel: isSentinel), maximumRadius: maximum)
  }

  private func tells(_ watch: SlotWatch?, _ state: MonitoringState) -> Bool? {
    guard let watch else { return nil }
    let report = SlotReport(identifier: "a", state: state, date: Timestamp(microseconds: 1))
    return watch.consequence(of: report) == .tell(report)
  }

  @Test func whatAnswersAreWorth() throws {
    let polygon = try Polygon(exterior: Self.corners(500))
    let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3)
    let rows: [(Condition, sentinel: Bool, maximum: Double, entry: Bool, exit: Bool)] = [
      (.circle(center: Self.center, radius: 10_000), false, 10_000, true, true),
      (.circle(center: Self.center, radius: 10_001), false, 10_000, true, false),
      (.circle(center: Self.center, radius: 10_001), true, 10_000, true, true),
      (.polygon(polygon), false, 10_000, false, true),
      (.polygon(polygon), false, 100, false, false),
      (.beacon(identity), false, 10_000, true, true),
      (.beacon(identity), false, -1, true, true),
    ]
    for (condition, sentinel, maximum, entry, exit) in rows {
      let watch = watch(condition, isSentinel: sentinel, maximum: maximum)
      #expect(tells(watch, .satisfied) == entry, "\(condition)")
      #expect(tells(watch, .unsatisfied) == exit, "\(condition)")
      #expect(tells(watch, .unmonitored) == true && tells(watch, .unknown) == true)
    }
    #expect(watch(.circle(center: Self.center, radius: 1), maximum: -1) == nil)
    #expect(watch(.polygon(polygon), maximum: 0) == nil)
  }

  @Test func circlesAreCutDownAndPolygonsEnclosed() throws {
    let huge = watch(.circle(center: Self.center, radius: 1e9))
    #expect(huge?.area == .circle(center: Self.center, radius: 10_000))
    let polygon = try Polygon(exterior: Self.corners(500))
    guard case .circle(let center, let radius)? = watch(.polygon(polygon))?.area else {
      Issue.record("no circle")
      return
    }
    // Everything in the polygon is in the circle.
    for corner in Self.corners(500) {
      #expect(try Geodesic.distance(from: center, to: corner) <= radius + 1e-6)
    }
    #expect(radius > 350 && radius < 360)
  }

  @Test func theMeasuredPowerGivesBackTheDistance() {
    let model = BeaconDistanceModel()
    for distance in [0.1, 0.7, 1, 4, 30] {
      let power = BeaconSighting.measuredPower(rssi: -70, accuracy: distance)
      // Whole decibels are 6 % of a distance.
      #expect(abs(model.distance(loss: Double(power + 70)) / distance - 1) < 0.06)
    }
    for (rssi, accuracy) in [(-70, -1.0), (-70, .nan), (-70, .infinity), (-70, 0), (0, 1), (-128, 1)] {
      #expect(BeaconSighting.measuredPower(rssi: rssi, accuracy: accuracy) == 127)
    }
  }
}
