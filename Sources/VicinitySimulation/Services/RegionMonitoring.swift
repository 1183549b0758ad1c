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
      let distance = Geodesic.uncheckedDistance(fix.coordinate, center) - radius
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

// MARK: Looking

extension SimulatedPhone {
  func regionsNotice(_ change: SurroundingChange) {
    switch change {
    case .motion(let isStill):
      if isStill {
        regions.looksLeft = RegionMonitoringState.looksAtRest
        if regions.slots.circleCount > 0 {
          regions.extra = now
          regions.round = now.advanced(bySeconds: regionInterval())
        }
      } else if regions.slots.circleCount > 0, regions.round == nil {
        let delay = profile.regions.wakeDelay.value(at: regions.random.unit())
        regions.round = now.advanced(bySeconds: delay)
      }
      holdRegionPower()
    case .environment:
      if regions.slots.isOpen { regions.extra = now }
    case .sleep(let isAsleep):
      regions.isAsleep = isAsleep
      if !isAsleep, regions.slots.circleCount > 0 { regions.extra = now }
      holdRegionPower()
    case .app: return
    }
    armRegions()
  }

  /// The first circle has come, or the last has gone.
  private func watchRegions() {
    regions.round = nil
    if regions.slots.circleCount > 0, !truth.isStill(at: now) {
      regions.round = now.advanced(bySeconds: regionInterval())
    }
    if regions.slots.circleCount == 0 { regions.extra = nil }
    holdRegionPower()
  }

  private func holdRegionPower() {
    let isWatching = regions.slots.circleCount > 0 && !regions.isAsleep && !truth.isStill(at: now)
    meter.hold(.cell, isWatching ? profile.regions.watching.value : 0, by: .regions, at: now)
  }

  private func regionInterval() -> Double { profile.regions.interval.value(at: regions.random.unit()) }

  /// Sets the alarms to what comes next.
  func armRegions() {
    guard !regions.isAsleep else {
      agenda.cancel(.regionLook)
      agenda.cancel(.regionDelivery)
      return
    }
    var next = Timestamp.distantFuture
    if regions.slots.circleCount > 0 {
      next = min(next, regions.round ?? next)
      next = min(next, regions.extra ?? next)
      next = min(next, regions.slots.nextConfirmation ?? next)
    }
    agenda[.regionLook] = next
    agenda[.regionDelivery] = regions.deliveries.first?.time ?? .distantFuture
  }

  func regionLookIsDue() {
    guard regions.slots.circleCount > 0 else { return armRegions() }
    let interval = regionInterval()
    let isInTurn = regions.round.map { $0 <= now } ?? false
    let isOutOfTurn =
      min(regions.extra ?? .distantFuture, regions.slots.nextConfirmation ?? .distantFuture) <= now
    if isInTurn, !isOutOfTurn, let last = regions.lastLook, last.advanced(bySeconds: interval) > now {
      // Another position was looked at meanwhile.
      regions.round = last.advanced(bySeconds: interval)
      return armRegions()
    }
    if isInTurn {
      if !truth.isStill(at: now) {
        regions.looksLeft = 0
        regions.round = now.advanced(bySeconds: interval)
      } else {
        regions.looksLeft -= 1
        regions.round = regions.looksLeft > 0 ? now.advanced(bySeconds: interval) : nil
      }
    }
    regions.extra = nil
    look()
    armRegions()
  }

  private func look() {
    let state = truth.state(at: now)
    guard
      let measured = regions.source.measure(
        state, at: now, by: regions.positions, in: environment, isTracking: false)
    else {
      regions.slots.loseTrack()
      return
    }
    // Two seconds: a scan of all channels.
    meter.pulse(
      environment.hasWiFi ? .wifi : .cell, profile.regions.look.value / 2, seconds: 2, at: now)
    standardNotesPassive(measured.fix)
    regionsDecide(measured.fix, at: ECEF(unchecked: measured.fix.coordinate), isOfCells: measured.isOfCells)
  }

  /// Looks at a position that was measured for the standard service just now.
  func regionsSee(_ fix: Fix, isOfCells: Bool) {
    guard regions.slots.circleCount > 0, !isOfCells,
      fix.horizontalAccuracy <= RegionMonitoringState.goodAccuracy, !regions.isAsleep
    else { return }
    regions.lastLook = now
    let place = ECEF(unchecked: fix.coordinate)
    if regions.slots.isQuiet(at: place) { return }
    regionsDecide(fix, at: place, isOfCells: false)
    armRegions()
  }

  private func regionsDecide(_ fix: Fix, at place: ECEF, isOfCells: Bool) {
    regions.lastLook = now
    for change in regions.slots.see(fix, at: place, isOfCells: isOfCells) {
      regionChanged(change, after: profile.regions.delivery)
    }
  }

  /// Queues what is to be told of a region's state.
  func regionChanged(_ change: RegionSlots.Change, after delay: Quantiles?) {
    let slot = regions.slots.slots[change.slot]
    if change.before != .unknown {
      record(.observed(change.state, region: slot.region.identifier))
      let seconds = delay.map { $0.value(at: regions.random.unit()) } ?? 0
      regions.queue(.crossed(number: slot.number, change.state), at: now.advanced(bySeconds: seconds))
    }
    if slot.isAskedFor {
      regions.slots.setAskedFor(false, change.slot)
      regions.queue(.determined(change.state, region: slot.region.identifier), at: now)
    }
  }

  func regionDeliveryIsDue() {
    // One at a time: the app may register and stop regions meanwhile.
    while let first = regions.deliveries.first, first.time <= now {
      regions.deliveries.removeFirst()
      tell(first.news)
    }
    armRegions()
  }

  private func tell(_ news: RegionMonitoringState.News) {
    switch news {
    case .failed(let region, let error): deliver(.monitoringFailed(region: region, error), .running)
    case .determined(let state, let region): deliver(.determined(state, region: region), .running)
    case .crossed(let number, let state):
      guard let region = regions.slots.slot(number: number)?.region else { return }
      guard state == .inside ? region.notifyOnEntry : region.notifyOnExit else { return }
      let name = region.identifier
      guard deliver(state == .inside ? .entered(region: name) : .exited(region: name), .relaunching) else {
        return record(.lost("the app was not told that \(name) was \(state == .inside ? "entered" : "left")"))
      }
      counts.regionEvents += 1
      deliver(.determined(state, region: name), .running)
    }
  }
}
