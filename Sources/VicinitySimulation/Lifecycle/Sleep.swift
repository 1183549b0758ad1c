internal import VicinityCrossings
internal import VicinityMonitor

// A computer's sleep: "In OS X, region monitoring works only while the app is running … and the user’s system is awake"
// (*Location and Maps Programming Guide*, "Region Monitoring and iBeacon"). What the regions come to meanwhile is found at the
// services' next look; here the process stands still, and goes on where it was.
extension SimulatedPhone {
  func sleepComputer() {
    guard scenario.rules.platform == .macOS, !lifecycle.isAsleep else { return }
    if lifecycle.state == .background { countBackground() }
    lifecycle.isAsleep = true
    if lifecycle.main.isBusy {
      lifecycle.main.asleepSince = now
      meter.hold(.app, 0, by: .lifecycle, at: now)
      meter.hold(.cpu, 0, by: .lifecycle, at: now)
    }
    agenda.cancel(.lifecycle)
    scheduleTimers()
    servicesNotice(.sleep(isAsleep: true))
  }

  func wakeComputer() {
    guard lifecycle.isAsleep else { return }
    lifecycle.isAsleep = false
    if lifecycle.state == .background { lifecycle.backgroundSince = now }
    if let since = lifecycle.main.asleepSince {
      lifecycle.main.asleepSince = nil
      lifecycle.main.busyEnd = lifecycle.main.busyEnd.advanced(by: since.duration(to: now))
      lifecycle.main.killTime = lifecycle.main.killTime.advanced(by: since.duration(to: now))
      meter.hold(.cpu, profile.awake.value, by: .lifecycle, at: now)
      meter.hold(.app, profile.work.value, by: .lifecycle, at: now)
    }
    change {
      scheduleTimers()
      servicesNotice(.sleep(isAsleep: false))
    }
  }
}
