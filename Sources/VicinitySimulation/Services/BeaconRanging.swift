internal import VicinityGeodesy
public import VicinityMonitor

extension SimulatedPhone {
  /// Ranges beacons: ``PhoneEvent/ranged(_:)`` once a second while the app runs. Needs full accuracy.
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

  /// Ranges beacons no longer.
  public func stopRangingBeacons(_ constraint: BeaconIdentity) {
    guard var ranger = beacons.ranger, ranger.rangedConstraints.contains(constraint) else { return }
    record(.service(name: "ranging", setting: "\(constraint) stopped"))
    ranger.stop(constraint)
    beacons.ranger = ranger.rangedConstraints.isEmpty ? nil : ranger
    beacons.silent.remove(constraint)
    refreshBeacons()
  }

  /// Advertises as a beacon: in the foreground, with Bluetooth on; behind it falls silent until the app is in front again.
  ///
  /// - Parameter beacon: Complete: with major and minor number. Others are refused.
  public func startAdvertising(_ beacon: BeaconIdentity) {
    guard beacon.isComplete else { return record(.lost("advertising \(beacon): not complete")) }
    record(.service(name: "advertising", setting: "\(beacon)"))
    beacons.advertised = beacon
    refreshBeacons()
  }

  /// Advertises no longer.
  public func stopAdvertising() {
    guard beacons.advertised != nil else { return }
    record(.service(name: "advertising", setting: "stopped"))
    beacons.advertised = nil
    refreshBeacons()
  }

  /// What other phones hear of this one now.
  public var advertisedBeacon: BeaconIdentity? {
    appState == .foreground && environment.hasBluetooth && !beacons.isAsleep ? beacons.advertised : nil
  }

  var isRanging: Bool { beacons.ranger != nil && (appState == .foreground || appState == .background) }

  func rangingIsDue() {
    guard isRanging, environment.hasBluetooth, !beacons.isAsleep, var ranger = beacons.ranger else { return }
    let state = truth.state(at: now)
    var reports: [BeaconRanging] = []
    var nearest = Double.infinity
    for beacon in scenario.beacons
    where ranger.rangedConstraints.contains(where: { $0.matches(beacon.identity) }) {
      let distance = Geodesic.simulatedDistance(state.place, beacon.coordinate)
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
      agenda[.ranging] = max(next, now.advanced(bySeconds: 0.001))
    } else if !state.isStill, nearest < .infinity {
      agenda[.ranging] = max(next, now.advanced(bySeconds: nearest / BeaconState.speedBound))
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
