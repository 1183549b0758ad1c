public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// A policy that knows what will happen: it reports every crossing in time, as seldom as that can be done, and is kept running
/// in between by the coarsest tier.
///
/// No policy for use: it shows an energy that can be had, and the least energy of all lies between ``LeastEnergyBound`` and this.
/// It belongs to one track.
public struct FutureKnowingPolicy: MonitoringPolicy {
  /// What is reported, and when.
  private let reports: [(time: Timestamp, crossings: [Crossing])]

  /// For the crossings of a track, in the order of time.
  ///
  /// Each report is put off until a crossing must be reported, and has all crossings until then: the fewest that do, as each is
  /// for a crossing that the one before came too early for.
  ///
  /// - Parameters:
  ///   - latency: How late a crossing may be reported.
  ///   - end: When the track ends: what is crossed shortly before must be reported by then.
  /// - Complexity: O(n)
  public init(_ crossings: [Crossing], within latency: Duration, until end: Timestamp) {
    var reports: [(time: Timestamp, crossings: [Crossing])] = []
    for crossing in crossings where crossing.kind != .dwell {
      if let last = reports.last, crossing.time <= last.time {
        reports[reports.count - 1].crossings.append(crossing)
      } else {
        let deadline = max(crossing.time, min(crossing.time.advanced(by: latency), end))
        reports.append((deadline, [crossing]))
      }
    }
    self.reports = reports
  }

  public var name: String { "future-knowing" }
  public var summary: String { "Knows what will happen, and reports it in time, as seldom as can be." }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    FutureKnowingApp(reports, regions)
  }
}

private final class FutureKnowingApp: PhoneApp {
  private let reports: [(time: Timestamp, crossings: [Crossing])]
  private let regions: RegionIndex
  private var next = 0

  init(_ reports: [(time: Timestamp, crossings: [Crossing])], _ regions: RegionIndex) {
    self.reports = reports
    self.regions = regions
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched:
      next = phone.saved as? Int ?? 0
      guard next < reports.count else { return }
      phone.locationSettings = LocationSettings(
        desiredAccuracy: .reduced, distanceFilter: 1e7, pausesAutomatically: false,
        allowsBackgroundUpdates: true)
      phone.startUpdatingLocation()
      wait(phone)
    case .timer:
      report(phone)
      wait(phone)
    default: break
    }
  }

  private func report(_ phone: SimulatedPhone) {
    while next < reports.count, reports[next].time <= phone.now {
      for crossing in reports[next].crossings {
        phone.report(
          entry: crossing.kind == .enter, region: regions.identifier(of: crossing.region), at: crossing.time)
      }
      next += 1
    }
    phone.saved = next
  }

  private func wait(_ phone: SimulatedPhone) {
    guard next < reports.count else { return phone.stopUpdatingLocation() }
    phone.setTimer(after: phone.now.duration(to: reports[next].time))
  }
}
