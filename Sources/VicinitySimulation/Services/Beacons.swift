internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

/// Beacon monitoring, ranging and advertising.
///
/// ## Monitoring
/// While a beacon region is watched and Bluetooth is on, the phone scans every ``BeaconProfile/scanInterval``. A region is entered
/// at the first scan with a matching beacon in range, and left ``BeaconProfile/exitAfter`` after the last. The first scan tells
/// the state that holds at registration. Where the phone rests, scans hear the same again and again: they draw power and are not
/// looked at; nor are those that no phone could be fast enough to hear another beacon at. Bluetooth switched off says nothing of
/// where the phone is. (``BeaconPresence`` decides from sightings one by one; here most are not worked out.)
///
/// ## Ranging
/// While the app runs, once a second, by ``BeaconRanger``: the level of a beacon in range is that of ``BeaconDistanceModel`` at the
/// true distance and normal noise in decibels. Out of range of all there is one empty report, and none after it.
struct BeaconState {
  /// No phone near a beacon is faster than this, metres a second: a train at 360 km/h.
  static let speedBound = 100.0
  /// The level nearer than this does not rise any more.
  static let least: Meters = 0.1

  var isAsleep = false
  var random: RandomStream
  let model = BeaconDistanceModel()
  /// What was heard for a registration.
  struct Hearing {
    /// When a beacon of its was last heard, as far as that was looked at.
    var last: Timestamp
    /// Whether one was at the last look.
    var isGoingOn: Bool
  }

  var hearings: [Int: Hearing] = [:]
  var ranger: BeaconRanger?
  /// Constraints whose last report was empty.
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

  private var hearsBeacons: Bool { environment.hasBluetooth && !beacons.isAsleep }

  /// A region has been registered or stopped.
  func beaconRegionsChanged() {
    let numbers = Set(beaconRegions.map { regions.slots.slots[$0].number })
    beacons.hearings = beacons.hearings.filter { numbers.contains($0.key) }
    if numbers.isEmpty { agenda.cancel(.beacons) } else { agenda[.beacons] = now }
    holdBeaconPower()
  }

  func beaconsNotice(_ change: SurroundingChange) {
    switch change {
    case .environment(let before):
      if environment.isScreenOn, !before.isScreenOn { tellOnDisplay() }
      if environment.hasBluetooth != before.hasBluetooth { forgetSilence() }
    case .sleep(let isAsleep):
      beacons.isAsleep = isAsleep
      forgetSilence()
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

  /// Looks and ranges anew, where that is wanted.
  func refreshBeacons() {
    if hearsBeacons, !beaconRegions.isEmpty { agenda[.beacons] = now } else { agenda.cancel(.beacons) }
    if beacons.ranger != nil { agenda[.ranging] = now }
    holdBeaconPower()
  }

  /// The radio was off, or is: that nothing was heard says nothing.
  private func forgetSilence() {
    guard hearsBeacons else { return }
    for number in beacons.hearings.keys { beacons.hearings[number]?.last = now }
  }

  private func tellOnDisplay() {
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
    meter.hold(.bluetooth, power, by: .beacons, at: now)
    let isHeard = beacons.advertised != nil && appState == .foreground && hearsBeacons
    meter.hold(.bluetooth, isHeard ? figures.advertising.value : 0, by: .advertising, at: now)
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
        let distance = Geodesic.simulatedDistance(state.place, beacon.coordinate)
        if distance <= beacon.range { isHeard = true }
        slack = min(slack, abs(distance - beacon.range))
      }
      var hearing = beacons.hearings[slot.number] ?? BeaconState.Hearing(last: .distantPast, isGoingOn: false)
      if isHeard {
        hearing.last = now
      } else if hearing.isGoingOn {
        // Up to the scan before this one: no phone was fast enough to leave sooner.
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
    agenda[.beacons] = deadline
  }

  private func setBeaconRegion(_ index: Int, _ state: RegionState) {
    let before = regions.slots.slots[index].state
    guard before != state else { return }
    regions.slots.setState(state, of: index)
    regionChanged(RegionSlots.Change(slot: index, before: before, state: state), after: nil)
  }
}
