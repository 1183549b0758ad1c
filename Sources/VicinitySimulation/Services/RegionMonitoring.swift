internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityMonitor

/// The regions that the system watches for the app.
///
/// They belong to the system: they outlive the app's process, and what happens to them starts it anew.
///
/// ## When the system looks
/// - Some time after the phone begins to move (``RegionMonitoringProfile/wakeDelay``), and then again and again while it
///   does (``RegionMonitoringProfile/interval``).
/// - When it comes to rest, and twice more an interval apart, so that what has begun is decided. A phone that moves on before
///   that goes on being watched without delay. At rest there are no looks.
/// - When the time to remain beyond a cushion is over.
/// - At once for a region whose state is not known, unless the phone's position was known 10 s before.
/// - Every good position of the standard service is looked at too, as the system has it anyway. Good is one of 100 m or
///   better, not by cells alone.
///
/// Whatever was looked at, the next look in turn is an interval later.
///
/// None of these limits is published, nor how much the system makes of others' positions; they are assumed.
struct RegionMonitoringState {
  enum News {
    /// A registration's new state.
    case crossed(number: Int, RegionState)
    case determined(RegionState, region: String)
    case failed(region: String, RegionMonitoringError)
  }

  struct Delivery {
    var time: Timestamp
    var news: News
  }

  static let goodAccuracy: Meters = 100
  static let freshness = 10.0
  static let looksAtRest = 2

  let slots: RegionSlots
  var source: PositionSource
  let positions: TierPositions
  var random: RandomStream
  /// What the app is still to be told, by time.
  var deliveries: [Delivery] = []
  /// The next look of the round; nil at rest.
  var round: Timestamp?
  /// A look out of turn.
  var extra: Timestamp?
  /// How many looks are left since the phone came to rest.
  var looksLeft = 0
  /// When a position was last looked at.
  var lastLook: Timestamp?
  var isAsleep = false

  init(_ scenario: Scenario) {
    slots = RegionSlots(scenario.profile.regions)
    source = PositionSource(seed: scenario.seed, "regions/positions")
    positions = TierPositions(scenario.profile.regions.positions, of: scenario.profile)
    random = RandomStream(seed: scenario.seed, "regions/times")
  }

  /// Puts news in its place; crossings come in the order in which they were decided.
  mutating func queue(_ news: News, at time: Timestamp) {
    var time = time
    if case .crossed = news {
      for delivery in deliveries {
        if case .crossed = delivery.news { time = max(time, delivery.time) }
      }
    }
    let place = deliveries.firstIndex { $0.time > time } ?? deliveries.count
    deliveries.insert(Delivery(time: time, news: news), at: place)
  }
}

// MARK: What apps ask

extension SimulatedPhone {
  /// The regions that are watched, circles and beacons, in the order of their registration.
  public var monitoredRegions: [MonitoredRegion] { regions.slots.slots.map(\.region) }

  /// Watches a region, in place of one with the same identifier, until it is stopped: also when the app does not run.
  ///
  /// The state that holds is not reported. A region alike in all to one that is watched changes nothing. A radius beyond
  /// ``RegionMonitoringProfile/maximumRadius`` is reduced to it. Refused, with
  /// ``PhoneEvent/monitoringFailed(region:_:)`` to follow, are regions beyond the profile's
  /// ``RegionMonitoringProfile/slots``, without permission at all times, at reduced accuracy, and where they are no regions.
  public func startMonitoring(_ wanted: MonitoredRegion) {
    var region = wanted
    if case .circle(let center, let radius) = region.area {
      region.area = .circle(center: center, radius: min(radius, profile.regions.maximumRadius.value))
    }
    let known = regions.slots.index(of: region.identifier)
    if let known, regions.slots.slots[known].region == region { return }
    if let error = refusal(of: region, isKnown: known != nil) {
      regions.queue(.failed(region: region.identifier, error), at: now)
      return armRegions()
    }
    if known != nil { record(.unregistered(region: region.identifier)) }
    if known != nil { counts.unregistrations += 1 }
    let slot = regions.slots.add(region)
    counts.registrations += 1
    record(.registered(region))
    if case .beacon = region.area { return beaconRegionsChanged() }
    if let fix = standard.lastKnown, now.seconds(since: fix.time) <= RegionMonitoringState.freshness,
      fix.horizontalAccuracy <= RegionMonitoringState.goodAccuracy,
      case .circle(let center, let radius) = region.area
    {
      let distance = Geodesic.simulatedDistance(fix.coordinate, center) - radius
      regions.slots.setState(distance <= 0 ? .inside : .outside, of: slot)
    } else {
      regions.extra = now
    }
    if regions.slots.circleCount == 1 { watchRegions() }
    armRegions()
  }

  /// Watches the region of an identifier no longer. What has not been told of it yet is not told.
  public func stopMonitoring(identifier: String) {
    guard regions.slots.remove(identifier) else { return }
    counts.unregistrations += 1
    record(.unregistered(region: identifier))
    if regions.slots.circleCount == 0 { watchRegions() }
    beaconRegionsChanged()
    armRegions()
  }

  /// Has the state of a region told by ``PhoneEvent/determined(_:region:)``: as soon as the app has returned, or, where it is
  /// not known, once it is. Unknown for a region that is not watched.
  public func requestState(identifier: String) {
    let slot = regions.slots.index(of: identifier)
    let state = slot.map { regions.slots.slots[$0].state } ?? .unknown
    if let slot, state == .unknown {
      regions.slots.setAskedFor(true, slot)
    } else {
      regions.queue(.determined(state, region: identifier), at: now)
      armRegions()
    }
  }

  private func refusal(of region: MonitoredRegion, isKnown: Bool) -> RegionMonitoringError? {
    if case .circle(let center, let radius) = region.area {
      guard center.isValid, radius >= 0 else {
        return RegionMonitoringError(
          .regionMonitoringFailure, "no circle: centre \(center), radius \(radius) m", .conditionUnsupported)
      }
    }
    switch scenario.capabilities.authorization {
    case .always: break
    case .whenInUse: return RegionMonitoringError(.insufficientlyInUse)
    case .denied: return RegionMonitoringError(.authorizationDenied)
    }
    if scenario.capabilities.isReducedAccuracy { return RegionMonitoringError(.accuracyLimited) }
    guard isKnown || regions.slots.slots.count < profile.regions.slots else {
      return RegionMonitoringError(
        .regionMonitoringFailure, "\(profile.regions.slots) regions are monitored, which is the limit",
        .conditionLimitExceeded)
    }
    return nil
  }
}
