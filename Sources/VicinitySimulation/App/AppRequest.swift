public import VicinityGeodesy
public import VicinityMonitor

/// Something that an app asks of the phone beside what its policy does: what a scenario adds to an app
/// without changing it.
public enum AppRequest: Hashable, Sendable {
  /// Starts headings; the filter in degrees.
  case startHeading(filter: Degrees)
  case stopHeading
  /// Sets the keep-alive handler; how long each call of it works.
  case keepAlive(interval: Duration, working: Duration)
  case stopKeepAlive
  /// Starts the standard service, or changes it.
  case startUpdates(LocationSettings)
  case stopUpdates
  /// Follows live updates in place of the standard service.
  case startLiveUpdates(LocationSettings.Activity)
  case stopLiveUpdates
  /// Defers the updates of the standard service; the distance in metres, infinite for any.
  case deferUpdates(distance: Meters, timeout: Duration?)
  case stopDeferring
  /// Requests a single position.
  case locate(DesiredAccuracy)
  /// Begins a background activity session: ``SimulatedPhone/beginBackgroundActivity()``.
  case beginBackgroundActivity
  case endBackgroundActivity
  /// Begins a service session: ``SimulatedPhone/beginServiceSession()``.
  case beginServiceSession
  case endServiceSession
  case startSignificantChanges
  case stopSignificantChanges
  case startVisits
  case stopVisits
  case monitor(MonitoredRegion)
  case stopMonitoring(identifier: String)
  case requestState(identifier: String)
  case range(BeaconIdentity)
  case stopRanging(BeaconIdentity)
  case advertise(BeaconIdentity, measuredPower: DecibelMilliwatts?)
  case stopAdvertising
  case notify(NotificationRequest)
  case cancelNotification(identifier: String)
  case setBadge(Int)
  /// Connects a socket: ``SimulatedPhone/connectSocket(wakesApp:)``.
  case connectSocket(wakesApp: Bool)
  case disconnectSocket
  /// Works on another thread for a time, in slices of a second, under a background task; ends in time when
  /// the task expires.
  case work(Duration)
  /// Blocks the main thread for a time, perhaps under a background task that ends with the work: in the
  /// callback that goes on, or in one of its own.
  case block(Duration, underTask: Bool)
  /// Blocks the main thread for a time under a background task, in turns of a second that look at a flag,
  /// which the task's expiration handler sets.
  case blockWatching(Duration)
}

extension SimulatedPhone {
  /// Does what a scenario has the app ask for; an app that does not run asks for nothing.
  func perform(_ request: AppRequest) {
    guard appRuns, !lifecycle.isTerminating else {
      return record(.lost("\(request), while the app does not run"))
    }
    switch request {
    case .startHeading(let filter):
      headingFilter = filter
      startUpdatingHeading()
    case .stopHeading: stopUpdatingHeading()
    case .keepAlive(let interval, let work):
      if setKeepAliveHandler(interval: interval) {
        lifecycle.keepAliveWork = work
      } else {
        record(.lost("keep-alive every \(interval): too often, or the app is not kept alive"))
      }
    case .stopKeepAlive: clearKeepAliveHandler()
    case .startUpdates(let settings):
      locationSettings = settings
      startUpdatingLocation()
    case .stopUpdates: stopUpdatingLocation()
    case .startLiveUpdates(let activity): startLiveUpdates(activity)
    case .stopLiveUpdates: stopLiveUpdates()
    case .deferUpdates(let distance, let timeout):
      allowDeferredLocationUpdates(untilTraveled: distance, timeout: timeout)
    case .stopDeferring: disallowDeferredLocationUpdates()
    case .locate(let accuracy): requestLocation(accuracy)
    case .beginBackgroundActivity: beginBackgroundActivity()
    case .endBackgroundActivity: endBackgroundActivity()
    case .beginServiceSession: beginServiceSession()
    case .endServiceSession: endServiceSession()
    case .startSignificantChanges: startMonitoringSignificantLocationChanges()
    case .stopSignificantChanges: stopMonitoringSignificantLocationChanges()
    case .startVisits: startMonitoringVisits()
    case .stopVisits: stopMonitoringVisits()
    case .monitor(let region): startMonitoring(region)
    case .stopMonitoring(let identifier): stopMonitoring(identifier: identifier)
    case .requestState(let identifier): requestState(identifier: identifier)
    case .range(let identity): startRangingBeacons(identity)
    case .stopRanging(let identity): stopRangingBeacons(identity)
    case .advertise(let identity, let power): startAdvertising(identity, measuredPower: power)
    case .stopAdvertising: stopAdvertising()
    case .notify(let request):
      do { try schedule(request) } catch { record(.lost("notification \(request.identifier): \(error)")) }
    case .cancelNotification(let identifier): cancelNotifications([identifier])
    case .setBadge(let number): badge = number
    case .connectSocket(let wakesApp): connectSocket(wakesApp: wakesApp)
    case .disconnectSocket: disconnectSocket()
    case .work(let duration): workUnderATask(duration)
    case .block(let duration, let underTask): callInOrder { block(duration, underTask: underTask) }
    case .blockWatching(let duration): callInOrder { blockWatchingAFlag(duration) }
    }
  }

  private func block(_ duration: Duration, underTask: Bool) {
    record(.service(name: "work", setting: "the main thread is blocked for \(duration)"))
    let task = underTask ? beginBackgroundTask("block") : .invalid
    work(duration)
    endBackgroundTask(task)
  }

  private func blockWatchingAFlag(_ duration: Duration) {
    record(.service(name: "work", setting: "the main thread is blocked for \(duration), or until its flag"))
    let task = beginBackgroundTask("block")
    lifecycle.watchedTask = task
    var rest = duration
    work(inTurns: { phone in
      guard rest > .zero, phone.lifecycle.watchedTask == task else {
        phone.endBackgroundTask(task)
        return nil
      }
      let turn = min(rest, .seconds(1))
      rest -= turn
      return turn
    })
  }

  private func workUnderATask(_ duration: Duration) {
    let task = beginBackgroundTask("work")
    var rest = duration
    workConcurrently("work") { phone, _ in
      let isOutOfTime = phone.backgroundTimeRemaining <= phone.scenario.rules.expirationWarning + .seconds(1)
      guard rest > .zero, !isOutOfTime else {
        phone.endBackgroundTask(task)
        return nil
      }
      let slice = min(rest, .seconds(1))
      rest -= slice
      return slice
    }
  }
}
