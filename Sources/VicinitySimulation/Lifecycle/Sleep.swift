internal import VicinityMonitor

// A computer's sleep (*Location and Maps Programming Guide*, "Monitoring Shape-Based Regions", on macOS: region events reach
// only apps that run, and while it sleeps nothing is received; on waking, an app that is now inside is told so). What the
// regions come to is found at the services' next look; here the process stands still, and goes on where it was.
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
