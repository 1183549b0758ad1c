internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// The app of ``AdaptivePolicy``.
final class AdaptiveApp: PhoneApp {
  /// What survives the process.
  private struct Memory: Sendable {
    var evidence = BoundaryEvidence.Memory()
    var sentinel: Sentinel?
  }

  private struct Sentinel: Sendable {
    var identifier: String
    var isLeft = false
  }

  /// A position less accurate than this, on the move, is one without satellites, metres.
  private static let satellites: Meters = 30
  /// How long they are searched for at a time, and how long the search then rests, seconds: twice as long after each that was
  /// in vain, as where there is no sky.
  private static let searching = 40.0
  private static let pauses = 60.0...1800
  /// Where no boundary is within so many metres of a position, one of a hundred metres will do: three times its accuracy.
  private static let coarse: Meters = 300
  /// The sentinel around a phone that is followed, metres: the least that is advised.
  private static let nearby: Meters = 150

  private let regions: RegionIndex
  private let policy: AdaptivePolicy
  private let names: [String]
  private var evidence: BoundaryEvidence
  private var memory = Memory()
  private var request = PositionRequest()
  private var timer = WakefulTimer()
  private var place = RestingPlace()
  /// The last position that was believed.
  private var last: Fix?
  /// Whether the last position was not.
  private var isSuspicious = false
  /// Until when satellites are searched for.
  private var searchEnd: Timestamp?
  private var nextSearch = Timestamp(microseconds: .min)
  private var pause = AdaptiveApp.pauses.lowerBound

  init(_ regions: RegionIndex, _ policy: AdaptivePolicy) {
    self.regions = regions
    self.policy = policy
    names = ["a", "b"].map { regions.unusedIdentifier(like: "\(policy.options.sentinelName)-\($0)") }
    evidence = BoundaryEvidence(regions)
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched:
      memory = phone.saved as? Memory ?? Memory()
      evidence = BoundaryEvidence(regions, resuming: memory.evidence)
      follow(phone)
    case .exited(let region), .entered(let region):
      if region == memory.sentinel?.identifier { memory.sentinel?.isLeft = true }
      follow(phone)
    case .determined(.outside, let region) where region == memory.sentinel?.identifier: follow(phone)
    case .becameActive: ask(phone)
    case .taskExpires(let task): request.expire(task, on: phone)
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    case .locations(let fixes, .standard) where searchEnd != nil:
      for fix in fixes { take(fix, on: phone) }
    case .locations(let fixes, .single):
      for fix in fixes { take(fix, on: phone) }
      request.finish(on: phone)
    case .locationUnknown:
      timer.set(phone, after: Self.searching)
      request.finish(on: phone)
    default:
      guard timer.isDue(event) else { return }
      if let end = searchEnd, phone.now >= end { endSearch(isFound: false, phone) }
      ask(phone)
    }
  }

  // MARK: Asking

  /// Keeps the app alive from now on, and asks where it is.
  private func follow(_ phone: SimulatedPhone) {
    timer.stayAlive(on: phone)
    ask(phone)
  }

  private func ask(_ phone: SimulatedPhone) {
    request.hold(phone)
    timer.cancel(on: phone)
    let isNear = isSuspicious || evidence.isDoubtful || evidence.clearance < Self.coarse || place.isSettled
    phone.requestLocation(isNear ? .best : .hundredMeters)
    // Should the answer be lost with a suspension.
    timer.set(phone, after: Self.searching)
  }

  /// Leaves updates on until satellites have been found.
  private func search(_ phone: SimulatedPhone) {
    searchEnd = phone.now.advanced(by: .seconds(Self.searching))
    phone.locationSettings = LocationSettings(
      desiredAccuracy: .best, pausesAutomatically: false, allowsBackgroundUpdates: true)
    timer.set(phone, after: Self.searching)
  }

  private func endSearch(isFound: Bool, _ phone: SimulatedPhone) {
    searchEnd = nil
    pause = isFound ? Self.pauses.lowerBound : min(2 * pause, Self.pauses.upperBound)
    nextSearch = phone.now.advanced(by: .seconds(pause))
    timer.stayAlive(on: phone)
  }

  // MARK: Taking

  private func take(_ fix: Fix, on phone: SimulatedPhone) {
    guard fix.horizontalAccuracy >= 0, last.map({ fix.time > $0.time }) ?? true else { return }
    if let end = searchEnd {
      let isFound = fix.horizontalAccuracy <= Self.satellites
      if isFound || phone.now >= end { endSearch(isFound: isFound, phone) }
    }
    if !isSuspicious, contradicts(fix) {
      isSuspicious = true
      return timer.set(phone, after: policy.recheck)
    }
    isSuspicious = false
    last = fix
    let wasAtRest = place.isSettled
    place.take(fix)
    if wasAtRest, !place.isSettled {
      // It has left: there may be sky.
      pause = Self.pauses.lowerBound
      nextSearch = phone.now
    }
    // Nobody knows better than a metre.
    var accuracy = max(1, fix.horizontalAccuracy)
    if place.isSettled { accuracy = place.accuracy(of: accuracy) }
    let position = place.isSettled ? place.mean : fix.coordinate
    do {
      try evidence.take(position, accuracy: accuracy, margins: policy.margins(atRest: place.isSettled))
    } catch {
      phone.lose("a fix: \(error)")
    }
    for change in evidence.changes {
      phone.report(entry: change.isInside, region: regions.identifier(of: change.region), at: phone.now)
    }
    memory.evidence = evidence.memory
    goOn(from: fix, clearance: max(0, evidence.clearance - accuracy), phone)
    phone.saved = memory
  }

  /// Whether a position cannot follow the one before: it is too far away, or not of a phone at rest that was.
  private func contradicts(_ fix: Fix) -> Bool {
    guard let last else { return false }
    if place.isSettled { return place.isLeft(at: fix) }
    let way = Geodesic.uncheckedDistance(last.coordinate, fix.coordinate)
    let least = way - fix.horizontalAccuracy - last.horizontalAccuracy
    return least > policy.options.maximumSpeed * fix.time.seconds(since: last.time)
  }

  private func goOn(from fix: Fix, clearance: Meters, _ phone: SimulatedPhone) {
    let isBlind = fix.horizontalAccuracy > Self.satellites && !place.isSettled
    if searchEnd == nil, isBlind, evidence.clearance < Self.coarse, phone.now >= nextSearch { search(phone) }
    if memory.sentinel == nil || memory.sentinel?.isLeft == true || !timer.isAlive {
      setSentinel(at: fix, radius: Self.nearby, phone)
    }
    if searchEnd != nil { return }
    if evidence.isDoubtful { return timer.set(phone, after: policy.recheck) }
    if let radius = policy.sentinelRadius(clearance: clearance) { return sleep(at: fix, radius, phone) }
    let latency = place.isSettled ? policy.restLatency : policy.latency
    timer.set(phone, after: latency + policy.travelTime(clearance, at: fix.speed))
  }

  // MARK: Sleeping

  /// Lets the app be suspended until a sentinel is left.
  private func sleep(at fix: Fix, _ radius: Meters, _ phone: SimulatedPhone) {
    setSentinel(at: fix, radius: radius, phone)
    phone.show(vicinity: Plan.Disc(center: fix.coordinate, radius: radius))
    timer.cancel(on: phone)
    // Last, as it may suspend the app.
    phone.saved = memory
    timer.letSleep(on: phone)
  }

  /// The new one first, under the other name, so that there is always one.
  private func setSentinel(at fix: Fix, radius: Meters, _ phone: SimulatedPhone) {
    let old = memory.sentinel?.identifier
    let name = old == names[0] ? names[1] : names[0]
    var circle = MonitoredRegion(identifier: name, center: fix.coordinate, radius: radius)
    circle.notifyOnEntry = false
    phone.startMonitoring(circle)
    phone.requestState(identifier: name)
    if let old { phone.stopMonitoring(identifier: old) }
    memory.sentinel = Sentinel(identifier: name)
    if timer.isAlive { phone.show(vicinity: nil) }
  }
}
