public import VicinityCrossings
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// A policy that knows what will happen: it reports every crossing in time, as seldom as that can be done. In between it is kept
/// running by the coarsest tier, or sleeps until the system tells it that a region was left (``sleeping(in:watching:)``).
///
/// No policy for use: it shows an energy that can be had, and the least energy of all lies between ``LeastEnergyBound`` and this.
/// It belongs to one track.
public struct FutureKnowingPolicy: MonitoringPolicy {
  /// What is reported, and when.
  let reports: [(time: Timestamp, crossings: [Crossing])]
  /// By report: the region behind whose exit the app sleeps before it; nil where it stays awake.
  var sentinels: [MonitoredRegion?]

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
    sentinels = [MonitoredRegion?](repeating: nil, count: reports.count)
  }

  public var name: String { "future-knowing" }
  public var summary: String { "Knows what will happen, and reports it in time, as seldom as can be." }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    FutureKnowingApp(self, regions)
  }
}

private final class FutureKnowingApp: PhoneApp {
  private let reports: [(time: Timestamp, crossings: [Crossing])]
  private let sentinels: [MonitoredRegion?]
  private let regions: RegionIndex
  private var next = 0

  init(_ policy: FutureKnowingPolicy, _ regions: RegionIndex) {
    reports = policy.reports
    sentinels = policy.sentinels
    self.regions = regions
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched:
      next = phone.saved as? Int ?? 0
      goOn(phone)
    case .timer:
      report(phone)
      goOn(phone)
    case .exited(let region):
      phone.stopMonitoring(identifier: region)
      report(phone)
      stayAwake(phone)
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

  private func goOn(_ phone: SimulatedPhone) {
    guard next < reports.count, let sentinel = sentinels[next] else { return stayAwake(phone) }
    phone.startMonitoring(sentinel)
    // It may be suspended by this.
    phone.stopUpdatingLocation()
  }

  private func stayAwake(_ phone: SimulatedPhone) {
    guard next < reports.count else { return phone.stopUpdatingLocation() }
    phone.locationSettings = LocationSettings(
      desiredAccuracy: .reduced, distanceFilter: 1e7, pausesAutomatically: false,
      allowsBackgroundUpdates: true)
    phone.startUpdatingLocation()
    phone.setTimer(after: phone.now.duration(to: reports[next].time))
  }
}
