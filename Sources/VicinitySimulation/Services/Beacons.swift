internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityMonitor

/// The state of beacon monitoring, ranging and advertising.
///
/// ## Monitoring
/// While a beacon region is monitored and Bluetooth is on, the phone scans every
/// ``BeaconProfile/scanInterval``. A region is entered at the first scan with a matching beacon in range, and
/// left ``BeaconProfile/exitAfter`` after the last such scan. The first scan determines the state at
/// registration. Scans draw power all the time, but the simulation evaluates only those that can hear
/// something new: none while the phone rests, and none while no phone could be fast enough to reach another
/// beacon's range. While Bluetooth is off nothing is learned. (``BeaconPresence`` decides from single
/// sightings instead; here most of them are never computed.)
///
/// ## Ranging
/// ``BeaconRanger`` reports once a second while the app runs. The level of a beacon in range follows
/// ``BeaconDistanceModel`` at the true distance, with normal noise in decibels. When all beacons are out of
/// range there is one empty report and none after it.
struct BeaconState: ~Copyable {
  /// The greatest speed near a beacon, metres a second: a train at 360 km/h.
  static let speedBound = 100.0
  /// Below this distance the level does not rise any more.
  static let least: Meters = 0.1

  /// Another phone, and where it is.
  struct Neighbor {
    let phone: SimulatedPhone
    var truth: TruthCursor
  }

  /// A beacon that could be heard now, if it is near enough.
  struct Source {
    var beacon: PlacedBeacon
    /// The greatest speed at which its distance can change, metres a second; zero while both it and the phone
    /// are still.
    var speed: Double
  }

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
  var advertised: BeaconAdvertisement?
  /// Whether other phones could hear it when they were last told.
  var isHeard = false
  /// The phones that run together with this one.
  var others: [Neighbor] = []

  init(_ scenario: Scenario) {
    random = RandomStream(seed: scenario.seed, "beacons/noise")
  }
}

// MARK: Monitoring

extension SimulatedPhone {
  private var beaconRegions: [Int] {
    regions.slots.slots.indices.filter { !regions.slots.slots[$0].isCircle }
  }

  private var hearsBeacons: Bool {
    surroundings.hasBluetooth && scenario.hardware.hasBluetoothLE && !lifecycle.isAsleep
  }

  /// Whether the phone scans for monitored beacons: regions may be suspended.
  private var scansForBeacons: Bool {
    regions.slots.beaconCount > 0 && hearsBeacons && regions.isWatching(.beacon)
  }

  /// Updates the scans after a beacon region has been added or removed.
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
    case .motion, .settings: break
    }
    refreshBeacons()
  }

  /// Evaluates a scan and ranges now, where that is requested.
  func refreshBeacons() {
    if scansForBeacons { timers[.beacons] = now } else { timers.cancel(.beacons) }
    if beacons.ranger != nil { timers[.ranging] = now }
    holdBeaconPower()
  }

  /// Restarts the time without a sighting: while the radio was off, hearing nothing meant nothing.
  func forgetSilence() {
    guard hearsBeacons else { return }
    for number in beacons.hearings.keys { beacons.hearings[number]?.last = now }
  }

  /// Tells the app of the regions that it is in, and wakes or starts it for that: "the location manager
  /// notifies your delegate when the user turns on the display and the user is already inside the region"
  /// (`CLBeaconRegion.notifyEntryStateOnDisplay`).
  private func reportStatesOnDisplay() {
    guard regions.isWatching(.beacon) else { return }
    for index in beaconRegions {
      let slot = regions.slots.slots[index]
      if slot.region.notifyEntryStateOnDisplay, slot.state == .inside {
        regions.queue(.displayed(number: slot.number), at: now)
      }
    }
    armRegions()
  }

  func holdBeaconPower() {
    let figures = profile.beacons
    var power = 0.0
    if scansForBeacons, figures.scanInterval.value > 0 {
      power = figures.scan.value / figures.scanInterval.value
    }
    var source = EnergySource.beaconScans
    if hearsBeacons, isRanging, figures.ranging.value > power {
      (power, source) = (figures.ranging.value, .ranging)
    }
    meter.hold(.bluetooth, power, due: source, by: .beacons, at: now)
    let isHeard = advertisement != nil
    meter.hold(
      .bluetooth, isHeard ? figures.advertising.value : 0, due: .advertising, by: .advertising, at: now)
    if isHeard != beacons.isHeard {
      beacons.isHeard = isHeard
      tellOthers()
    }
  }

  /// Has the other phones scan and range: what they can hear of this one has changed.
  func tellOthers() {
    for other in beacons.others where !other.phone.hasEnded { other.phone.hearsNews(at: now) }
  }

  private func hearsNews(at time: Timestamp) {
    // A phone whose track begins later has not begun.
    guard time >= now, lifecycle.hasBegun else { return }
    if scansForBeacons { timers[.beacons] = min(timers[.beacons], time) }
    if beacons.ranger != nil { timers[.ranging] = min(timers[.ranging], time) }
  }

  /// The beacons that there are for this phone: those at their places, then other phones that are beacons
  /// now.
  private func sources(_ state: TrueState) -> [BeaconState.Source] {
    let speed = state.isStill ? 0 : BeaconState.speedBound
    var sources = scenario.beacons.map { BeaconState.Source(beacon: $0, speed: speed) }
    for index in beacons.others.indices {
      let phone = beacons.others[index].phone
      guard phone.lifecycle.hasBegun, !phone.hasEnded, let advertisement = phone.advertisement else {
        continue
      }
      let other = beacons.others[index].truth.state(at: now)
      let beacon = PlacedBeacon(
        identity: advertisement.identity, coordinate: other.position,
        measuredPower: advertisement.measuredPower)
      sources.append(
        BeaconState.Source(beacon: beacon, speed: speed + (other.isStill ? 0 : BeaconState.speedBound)))
    }
    return sources
  }

  func beaconsAreDue() {
    let watched = beaconRegions
    guard scansForBeacons else { return }
    let state = truth.state(at: now)
    let interval = max(1, profile.beacons.scanInterval.value)
    /// The shortest time until another beacon can be heard, or one is no longer, seconds.
    var slack = Double.infinity
    var deadline = Timestamp.distantFuture
    let sources = sources(state)
    for index in watched {
      let slot = regions.slots.slots[index]
      guard case .beacon(let identity) = slot.region.area else { continue }
      var isHeard = false
      for source in sources where identity.matches(source.beacon.identity) {
        let beacon = source.beacon
        let distance = Geodesic.simulatedDistance(state.position, beacon.coordinate)
        if distance <= beacon.range { isHeard = true }
        if source.speed > 0 { slack = min(slack, abs(distance - beacon.range) / source.speed) }
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
    if slack < .infinity { deadline = min(deadline, now.advanced(bySeconds: max(interval, slack))) }
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
  /// Starts ranging: `PhoneEvent.ranged` once a second while the app runs. Needs full accuracy and the
  /// hardware.
  public func startRangingBeacons(_ constraint: BeaconIdentity) {
    guard mayLocate, !capabilities.isReducedAccuracy,
      appState == .foreground || authorization == .always
    else { return record(.lost("ranging \(constraint): not allowed")) }
    guard isRangingAvailable else {
      return record(.lost("ranging \(constraint): \(missingForRanging)"))
    }
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

  /// Advertises as a beacon, in the foreground and with Bluetooth on. In the background the beacon is silent
  /// until the app is in the foreground again. Phones that run together with this one hear it within 50 m
  /// (``Simulation/run(together:)``).
  ///
  /// - Parameters:
  ///   - beacon: A UUID alone is enough; numbers that are left open are sent as zero.
  ///   - measuredPower: The level at one metre, -128...127 dBm; nil for the phone's own, -59.
  public func startAdvertising(_ beacon: BeaconIdentity, measuredPower: DecibelMilliwatts? = nil) {
    guard isRangingAvailable else {
      return record(.lost("advertising \(beacon): \(missingForRanging)"))
    }
    do {
      let advertisement = try BeaconAdvertisement(beacon, measuredPower: measuredPower ?? -59)
      record(.service(name: "advertising", setting: "\(advertisement.identity)"))
      if beacons.advertised != advertisement { beacons.isHeard = false }
      beacons.advertised = advertisement
      refreshBeacons()
    } catch {
      record(.lost("advertising \(beacon): \(error)"))
    }
  }

  public func stopAdvertising() {
    guard beacons.advertised != nil else { return }
    record(.service(name: "advertising", setting: "stopped"))
    beacons.advertised = nil
    refreshBeacons()
  }

  /// What other phones can hear of this one now; nil when nothing.
  public var advertisement: BeaconAdvertisement? {
    appState == .foreground && hearsBeacons ? beacons.advertised : nil
  }

  /// The beacon that other phones can hear now.
  public var advertisedBeacon: BeaconIdentity? { advertisement?.identity }

  var isRanging: Bool { beacons.ranger != nil && appRuns && mayLocate && !capabilities.isReducedAccuracy }

  func rangingIsDue() {
    guard isRanging, hearsBeacons, var ranger = beacons.ranger else {
      return
    }
    let state = truth.state(at: now)
    var reports: [BeaconRanging] = []
    var nearest = Double.infinity
    /// The shortest time until a beacon can be heard, seconds.
    var soonest = Double.infinity
    for source in sources(state)
    where ranger.rangedConstraints.contains(where: { $0.matches(source.beacon.identity) }) {
      let beacon = source.beacon
      let distance = Geodesic.simulatedDistance(state.position, beacon.coordinate)
      nearest = min(nearest, distance - beacon.range)
      if source.speed > 0 { soonest = min(soonest, (distance - beacon.range) / source.speed) }
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
    } else if soonest < .infinity {
      timers[.ranging] = max(next, now.advanced(bySeconds: soonest))
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
