internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityMonitor

/// The state of beacon monitoring, ranging and advertising.
///
/// ## Monitoring
/// While a beacon region is monitored and Bluetooth is on, the phone scans every ``BeaconProfile/scanInterval``. A region is
/// entered at the first scan with a matching beacon in range, and left ``BeaconProfile/exitAfter`` after the last such scan. The
/// first scan determines the state at registration. Scans draw power all the time, but the simulation evaluates only those that
/// can hear something new: none while the phone rests, and none while no phone could be fast enough to reach another beacon's
/// range. While Bluetooth is off nothing is learned. (``BeaconPresence`` decides from single sightings instead; here most of them
/// are never computed.)
///
/// ## Ranging
/// ``BeaconRanger`` reports once a second while the app runs. The level of a beacon in range follows ``BeaconDistanceModel`` at the
/// true distance, with normal noise in decibels. When all beacons are out of range there is one empty report and none after it.
struct BeaconState {
  /// The greatest speed near a beacon, metres a second: a train at 360 km/h.
  static let speedBound = 100.0
  /// Below this distance the level does not rise any more.
  static let least: Meters = 0.1

  var random: RandomStream
  let model = BeaconDistanceModel()
  /// When the beacons of a registration were heard.
  struct Hearing {
    /// The last time at which one was heard, as far as scans were evaluated.
    var last: Timestamp
    /// Whether one was heard at the last evaluated scan.
    var isGoingOn: Bool
  }

  var hearings: [Int: Hearing] = [:]
  var ranger: BeaconRanger?
  /// The constraints whose last report was empty.
  var silent: Set<BeaconIdentity> = []
  var advertised: BeaconIdentity?

  init(_ scenario: Scenario) {
    random = RandomStream(seed: scenario.seed, "beacons/noise")
  }
}

// MARK: Monitoring

extension SimulatedPhone {
  private var beaconRegions: [Int] {
    regions.slots.slots.indices.filter { !regions.slots.slots[$0].isCircle }
  }

  private var hearsBeacons: Bool { surroundings.hasBluetooth && !lifecycle.isAsleep }

  /// Updates the scans after a registration has been added or removed.
  func beaconRegionsChanged() {
    let numbers = Set(beaconRegions.map { regions.slots.slots[$0].number })
    beacons.hearings = beacons.hearings.filter { numbers.contains($0.key) }
    if numbers.isEmpty { timers.cancel(.beacons) } else { timers[.beacons] = now }
    holdBeaconPower()
  }

  func beaconsHandle(_ change: SurroundingChange) {
    switch change {
    case .surroundings(let before):
      if surroundings.isScreenOn, !before.isScreenOn { reportStatesOnDisplay() }
      if surroundings.hasBluetooth != before.hasBluetooth { forgetSilence() }
    case .sleep: forgetSilence()
    case .app:
      if appState == .notRunning {
        beacons.ranger = nil
        beacons.silent = []
        beacons.advertised = nil
      }
    case .motion: break
    }
    refreshBeacons()
  }

  /// Evaluates a scan and ranges now, where that is requested.
  func refreshBeacons() {
    if hearsBeacons, !beaconRegions.isEmpty { timers[.beacons] = now } else { timers.cancel(.beacons) }
    if beacons.ranger != nil { timers[.ranging] = now }
    holdBeaconPower()
  }

  /// Restarts the time without a sighting: while the radio was off, hearing nothing meant nothing.
  private func forgetSilence() {
    guard hearsBeacons else { return }
    for number in beacons.hearings.keys { beacons.hearings[number]?.last = now }
  }

  private func reportStatesOnDisplay() {
    for index in beaconRegions {
      let slot = regions.slots.slots[index]
      if slot.region.notifyEntryStateOnDisplay, slot.state == .inside {
        regions.queue(.determined(.inside, region: slot.region.identifier), at: now)
      }
    }
    armRegions()
  }

  func holdBeaconPower() {
    let figures = profile.beacons
    var power = 0.0
    if hearsBeacons, !beaconRegions.isEmpty, figures.scanInterval.value > 0 {
      power = figures.scan.value / figures.scanInterval.value
    }
    if hearsBeacons, isRanging { power = max(power, figures.ranging.value) }
    meter.hold(.bluetooth, power, due: .beaconScans, by: .beacons, at: now)
    let isHeard = beacons.advertised != nil && appState == .foreground && hearsBeacons
    meter.hold(
      .bluetooth, isHeard ? figures.advertising.value : 0, due: .advertising, by: .advertising, at: now)
  }

  func beaconsAreDue() {
    let watched = beaconRegions
    guard hearsBeacons, !watched.isEmpty else { return }
    let state = truth.state(at: now)
    let interval = max(1, profile.beacons.scanInterval.value)
    var slack = Double.infinity
    var deadline = Timestamp.distantFuture
    for index in watched {
      let slot = regions.slots.slots[index]
      guard case .beacon(let identity) = slot.region.area else { continue }
      var isHeard = false
      for beacon in scenario.beacons where identity.matches(beacon.identity) {
        let distance = Geodesic.simulatedDistance(state.position, beacon.coordinate)
        if distance <= beacon.range { isHeard = true }
        slack = min(slack, abs(distance - beacon.range))
      }
      var hearing = beacons.hearings[slot.number] ?? BeaconState.Hearing(last: .distantPast, isGoingOn: false)
      if isHeard {
        hearing.last = now
      } else if hearing.isGoingOn {
        // Up to the scan before this one: no phone was fast enough to leave earlier.
        hearing.last = max(hearing.last, now.advanced(bySeconds: -interval))
      }
      hearing.isGoingOn = isHeard
      beacons.hearings[slot.number] = hearing
      let end = hearing.last.advanced(bySeconds: profile.beacons.exitAfter.value)
      let isInside = isHeard || (slot.state == .inside && now < end)
      if isInside, !isHeard { deadline = min(deadline, end) }
      setBeaconRegion(index, isInside ? .inside : .outside)
    }
    armRegions()
    if !state.isStill, slack < .infinity {
      deadline = min(deadline, now.advanced(bySeconds: max(interval, slack / BeaconState.speedBound)))
    }
    timers[.beacons] = deadline
  }

  private func setBeaconRegion(_ index: Int, _ state: RegionState) {
    let before = regions.slots.slots[index].state
    guard before != state else { return }
    regions.slots.setInside(state == .inside, of: index)
    regionChanged(RegionSlots.Change(slot: index, before: before, state: state), after: nil)
  }
}

// MARK: Ranging and advertising

extension SimulatedPhone {
  /// Starts ranging: ``PhoneEvent/ranged(_:)`` once a second while the app runs. Needs full accuracy.
  public func startRangingBeacons(_ constraint: BeaconIdentity) {
    guard scenario.capabilities.authorization != .denied, !scenario.capabilities.isReducedAccuracy,
      appState == .foreground || scenario.capabilities.authorization == .always
    else { return record(.lost("ranging \(constraint): not allowed")) }
    do {
      var ranger = try beacons.ranger ?? BeaconRanger()
      guard !ranger.rangedConstraints.contains(constraint) else { return }
      record(.service(name: "ranging", setting: "\(constraint)"))
      ranger.start(constraint, at: now)
      beacons.ranger = ranger
      refreshBeacons()
    } catch {
      record(.lost("ranging \(constraint): \(error)"))
    }
  }

  public func stopRangingBeacons(_ constraint: BeaconIdentity) {
    guard var ranger = beacons.ranger, ranger.rangedConstraints.contains(constraint) else { return }
    record(.service(name: "ranging", setting: "\(constraint) stopped"))
    ranger.stop(constraint)
    beacons.ranger = ranger.rangedConstraints.isEmpty ? nil : ranger
    beacons.silent.remove(constraint)
    refreshBeacons()
  }

  /// Advertises as a beacon, in the foreground and with Bluetooth on. In the background the beacon is silent until the app is in
  /// the foreground again.
  ///
  /// - Parameter beacon: Must have a major and a minor number; others are refused.
  public func startAdvertising(_ beacon: BeaconIdentity) {
    guard beacon.isComplete else { return record(.lost("advertising \(beacon): not complete")) }
    record(.service(name: "advertising", setting: "\(beacon)"))
    beacons.advertised = beacon
    refreshBeacons()
  }

  public func stopAdvertising() {
    guard beacons.advertised != nil else { return }
    record(.service(name: "advertising", setting: "stopped"))
    beacons.advertised = nil
    refreshBeacons()
  }

  /// The beacon that other phones can hear now.
  public var advertisedBeacon: BeaconIdentity? {
    appState == .foreground && surroundings.hasBluetooth && !lifecycle.isAsleep ? beacons.advertised : nil
  }

  var isRanging: Bool { beacons.ranger != nil && appRuns }

  func rangingIsDue() {
    guard isRanging, surroundings.hasBluetooth, !lifecycle.isAsleep, var ranger = beacons.ranger else {
      return
    }
    let state = truth.state(at: now)
    var reports: [BeaconRanging] = []
    var nearest = Double.infinity
    for beacon in scenario.beacons
    where ranger.rangedConstraints.contains(where: { $0.matches(beacon.identity) }) {
      let distance = Geodesic.simulatedDistance(state.position, beacon.coordinate)
      nearest = min(nearest, distance - beacon.range)
      guard distance <= beacon.range, let sighting = sighting(of: beacon, distance) else { continue }
      reports += ranger.see(sighting)
    }
    reports += ranger.advance(to: now)
    beacons.ranger = ranger
    let isListed = reports.contains { !$0.beacons.isEmpty }
    var isNews = false
    for report in reports {
      let wasSilent = beacons.silent.contains(report.constraint)
      if report.beacons.isEmpty {
        beacons.silent.insert(report.constraint)
      } else {
        beacons.silent.remove(report.constraint)
      }
      if report.beacons.isEmpty, wasSilent { continue }
      isNews = true
      deliver(.ranged(report), .running)
    }
    guard isRanging, let next = ranger.nextReport else { return }
    if nearest <= 0 || isListed || isNews || reports.isEmpty {
      timers[.ranging] = max(next, now.advanced(bySeconds: 0.001))
    } else if !state.isStill, nearest < .infinity {
      timers[.ranging] = max(next, now.advanced(bySeconds: nearest / BeaconState.speedBound))
    }
  }

  private func sighting(of beacon: PlacedBeacon, _ distance: Meters) -> BeaconSighting? {
    guard let major = beacon.identity.major, let minor = beacon.identity.minor else { return nil }
    let loss = beacons.model.loss(distance: max(BeaconState.least, distance))
    let noise = profile.beacons.noise.value * beacons.random.normal()
    let level = (Double(beacon.measuredPower) - loss + noise).rounded()
    return BeaconSighting(
      uuid: beacon.identity.uuid, major: major, minor: minor, rssi: Int(max(-127, min(-1, level))),
      measuredPower: beacon.measuredPower, time: now)
  }
}
