internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

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
      holdRegionPower()
    case .sleep(let isAsleep):
      // What came due meanwhile is done on waking.
      regions.isAsleep = isAsleep
      holdRegionPower()
    case .app: return
    }
    armRegions()
  }

  /// The first circle has come, or the last has gone.
  func watchRegions() {
    regions.round = nil
    if regions.slots.circleCount > 0, !truth.isStill(at: now) {
      regions.round = now.advanced(bySeconds: regionInterval())
    }
    if regions.slots.circleCount == 0 { regions.extra = nil }
    holdRegionPower()
  }

  private func holdRegionPower() {
    let isWatching =
      regions.slots.circleCount > 0 && environment.hasCells && !regions.isAsleep && !truth.isStill(at: now)
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
