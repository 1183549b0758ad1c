internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Vicinity's own policy: a position when a boundary may have been crossed, and none before.
///
/// ## When the next position is due
/// Let the last position be at a distance d from the nearest boundary of any region, with an error of at most e. Then the phone
/// crosses no boundary before it has moved by d - e, and the next position is due a latency after that:
/// ``SafeSamplingBound``'s guarantee, with errors allowed for. How long the phone takes depends on its speed now, which grows by
/// ``acceleration`` up to `PlanOptions.maximumSpeed`.
///
/// ## What decides
/// A position decides on which side of a boundary the phone is if it lies farther beyond it than ``entryMargin`` or
/// ``exitMargin`` times its accuracy, at rest ``restMargin`` times. If it lies nearer, the app requests another soon, and two that
/// agree decide. On the move the phone is soon elsewhere: waiting for a second opinion misses a region that is left for seconds
/// and entered again. A position that contradicts the earlier ones, by speed or at rest, counts when the next one agrees with it.
/// At rest the mean of all positions counts.
///
/// ## What it costs
/// The app keeps itself alive with the coarsest tier and requests single positions of the tier that can decide: best accuracy
/// near a boundary, a hundred metres where no boundary is near. Where finding satellites takes longer than the wait for a single
/// position, updates stay on until they are found. Where the nearest boundary is far enough away for a sentinel (`PlanOptions`:
/// overshoot, latency, error), the app is suspended behind one. At all other times a sentinel around the phone restarts the app
/// if it was killed.
///
/// Defaults are from the sweep of `Benchmarks/Results/adaptive.md`.
public struct AdaptivePolicy: AdjustablePolicy {
  /// How late a crossing may be noticed on the move, seconds.
  public var latency = 9.0
  /// How late at rest: a departure.
  public var restLatency = 40.0
  /// How fast speed may grow, m/s²: a car's acceleration in traffic.
  public var acceleration = 1.5
  /// A position on the move decides on an entry by itself if it is inside by this many times its accuracy.
  public var entryMargin = 0.3
  /// A position on the move decides on an exit by itself if it is outside by this many times its accuracy.
  public var exitMargin = 0.0
  /// At rest, the mean position must be beyond a boundary by this many times its accuracy.
  public var restMargin = 1.0
  /// Seconds from a position that decides nothing to the next.
  public var recheck = 4.0
  /// The margins between a sentinel's border and the next position, and the speed cap. The latency is 180 s: of the 16 region
  /// exits of MobilityNet's iPhones, half came within 85 s of the crossing, and 95 % within 161 s. With a plan's 20 s, the app
  /// slept through two in three of a ride's few entries among a thousand regions.
  public var options = PlanOptions(latency: .seconds(180))

  public init() {}

  public var name: String { "adaptive" }
  public var summary: String {
    "A position when a boundary may have been crossed, none before; asleep behind a sentinel where that is far off."
  }
  public var needs: String {
    "an app of your own around RegistrationPlanner: permission always and background mode location"
  }
  public var source: String { "Vicinity; safe periods: Bamba, Liu, Iyengar, Yu (ICDCS 2009)" }

  public static let adjustments: [PolicyAdjustment<AdaptivePolicy>] = [
    .number(
      "latency", \.latency, in: 1...3600, unit: "s", "How late a crossing may be noticed on the move.",
      tries: [5, 9, 25, 60]),
    .number(
      "rest-latency", \.restLatency, in: 1...86_400, unit: "s", "How late a departure may be noticed.",
      tries: [30, 40, 120, 300]),
    .number(
      "acceleration", \.acceleration, in: 0.01...100, unit: "m/s2", "How fast speed may grow.",
      tries: [0.7, 1.5, 3]),
    .number(
      "entry-margin", \.entryMargin, in: 0...10, unit: "",
      "Accuracies inside that decide on an entry at once.",
      tries: [0, 0.3, 1]),
    .number(
      "exit-margin", \.exitMargin, in: 0...10, unit: "", "Accuracies outside that decide on an exit at once.",
      tries: [0, 0.3, 1]),
    .number(
      "rest-margin", \.restMargin, in: 0...10, unit: "", "Accuracies beyond a boundary that decide at rest.",
      tries: [0.5, 1, 1.5]),
    .number(
      "recheck", \.recheck, in: 1...600, unit: "s", "Time from a position that decides nothing to the next.",
      tries: [2, 4, 8]),
    .number(
      "maximum-speed", \.options.maximumSpeed, in: 0.1...1000, unit: "m/s", "The speed cap.",
      tries: [20, 40]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp { AdaptiveApp(regions, self) }

  /// The least time in which a phone can cover a distance, seconds.
  ///
  /// - Parameter speed: Its speed now, metres a second; negative where unknown, which counts as standing.
  func travelTime(_ distance: Meters, at speed: MetersPerSecond) -> Double {
    let fastest = options.maximumSpeed
    let now = min(max(0, speed), fastest)
    // v² = u² + 2 a s.
    let spurt = (fastest * fastest - now * now) / (2 * acceleration)
    guard distance > spurt else {
      return ((now * now + 2 * acceleration * distance).squareRoot() - now) / acceleration
    }
    return (fastest - now) / acceleration + (distance - spurt) / fastest
  }

  /// How far beyond a boundary a position must be to decide by itself.
  func margins(atRest isAtRest: Bool) -> BoundaryEvidence.Margins {
    isAtRest
      ? BoundaryEvidence.Margins(entry: restMargin, exit: restMargin)
      : BoundaryEvidence.Margins(entry: entryMargin, exit: exitMargin)
  }

  /// The radius of the sentinel behind which the app may sleep, for the distance to the nearest boundary; nil where the
  /// boundary is too near.
  func sentinelRadius(clearance: Meters) -> Meters? {
    let waiting = options.latency / .seconds(1)
    let radius =
      clearance - options.overshoot - options.maximumSpeed * waiting - options.sentinelError
    return radius >= options.minimumReliableRadius ? min(radius, options.maximumRadius) : nil
  }
}

final class AdaptiveApp: PhoneApp {
  /// The state that survives the process.
  private struct Memory: Sendable {
    var evidence = BoundaryEvidence.Memory()
    var sentinel: Sentinel?
  }

  private struct Sentinel: Sendable {
    var identifier: String
    var isLeft = false
  }

  /// On the move, a position less accurate than this, metres, was made without satellites.
  private static let satelliteAccuracy: Meters = 30
  /// How long to search for satellites at a time, seconds, and how long to pause after a search. The pause doubles after each
  /// search in vain, as where there is no sky.
  private static let searchTime = 40.0
  private static let pauses = 60.0...1800
  /// Where no boundary is nearer than this, metres, a tier of a hundred metres is enough: three times its accuracy.
  private static let coarseClearance: Meters = 300
  /// The radius of the sentinel around a phone that stays awake, metres: the least that is advised.
  private static let awakeRadius: Meters = 150

  private let regions: RegionIndex
  private let policy: AdaptivePolicy
  private let names: [String]
  private var evidence: BoundaryEvidence
  private var memory = Memory()
  private var request = PositionRequest()
  private var timer = KeepAliveTimer()
  private var stop = StopDetector()
  /// The last position that was accepted.
  private var last: Fix?
  /// Whether the last position contradicted the ones before, so that it was not accepted.
  private var isSuspicious = false
  /// When the search for satellites ends; nil where there is none.
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
      stayAwake(phone)
    case .exited(let region), .entered(let region):
      if region == memory.sentinel?.identifier { memory.sentinel?.isLeft = true }
      stayAwake(phone)
    case .determined(.outside, let region) where region == memory.sentinel?.identifier: stayAwake(phone)
    case .becameActive: ask(phone)
    case .taskExpires(let task): request.expire(task, on: phone)
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    case .locations(let fixes, .standard) where searchEnd != nil:
      for fix in fixes { handle(fix, on: phone) }
    case .locations(let fixes, .single):
      for fix in fixes { handle(fix, on: phone) }
      request.finish(on: phone)
    case .locationUnknown:
      timer.set(phone, after: Self.searchTime)
      request.finish(on: phone)
    default:
      guard timer.isDue(event) else { return }
      if let end = searchEnd, phone.now >= end { endSearch(isFound: false, phone) }
      ask(phone)
    }
  }

  // MARK: Requesting positions

  /// Keeps the app alive from now on, and requests a position.
  private func stayAwake(_ phone: SimulatedPhone) {
    timer.stayAlive(on: phone)
    ask(phone)
  }

  private func ask(_ phone: SimulatedPhone) {
    request.hold(phone)
    timer.cancel(on: phone)
    let needsBest =
      isSuspicious || evidence.isAmbiguous || evidence.clearance < Self.coarseClearance || stop.isAtRest
    phone.requestLocation(needsBest ? .best : .hundredMeters)
    // In case a suspension loses the answer.
    timer.set(phone, after: Self.searchTime)
  }

  /// Leaves updates on until satellites are found.
  private func search(_ phone: SimulatedPhone) {
    searchEnd = phone.now.advanced(by: .seconds(Self.searchTime))
    phone.locationSettings = LocationSettings(continuous: .best)
    timer.set(phone, after: Self.searchTime)
  }

  private func endSearch(isFound: Bool, _ phone: SimulatedPhone) {
    searchEnd = nil
    pause = isFound ? Self.pauses.lowerBound : min(2 * pause, Self.pauses.upperBound)
    nextSearch = phone.now.advanced(by: .seconds(pause))
    timer.stayAlive(on: phone)
  }

  // MARK: Handling positions

  private func handle(_ fix: Fix, on phone: SimulatedPhone) {
    guard fix.horizontalAccuracy >= 0, last.map({ fix.time > $0.time }) ?? true else { return }
    if let end = searchEnd {
      let isFound = fix.horizontalAccuracy <= Self.satelliteAccuracy
      if isFound || phone.now >= end { endSearch(isFound: isFound, phone) }
    }
    if !isSuspicious, contradicts(fix) {
      isSuspicious = true
      return timer.set(phone, after: policy.recheck)
    }
    isSuspicious = false
    last = fix
    let wasAtRest = stop.isAtRest
    stop.handle(fix)
    if wasAtRest, !stop.isAtRest {
      // The phone has left: there may be sky now.
      pause = Self.pauses.lowerBound
      nextSearch = phone.now
    }
    // No position is better than a metre.
    var accuracy = max(1, fix.horizontalAccuracy)
    if stop.isAtRest { accuracy = stop.accuracy(of: accuracy) }
    let position = stop.isAtRest ? stop.mean : fix.coordinate
    do {
      try evidence.handle(position, accuracy: accuracy, margins: policy.margins(atRest: stop.isAtRest))
    } catch {
      phone.lose("a fix: \(error)")
    }
    for change in evidence.changes {
      phone.report(entry: change.isInside, region: regions.identifier(of: change.region), at: phone.now)
    }
    memory.evidence = evidence.memory
    proceed(from: fix, clearance: max(0, evidence.clearance - accuracy), phone)
    phone.saved = memory
  }

  /// Whether a position contradicts the ones before: it is too far away to get there, or away from where the phone rests.
  private func contradicts(_ fix: Fix) -> Bool {
    guard let last else { return false }
    if stop.isAtRest { return stop.isLeft(at: fix) }
    let distance = Geodesic.uncheckedDistance(last.coordinate, fix.coordinate)
    let least = distance - fix.horizontalAccuracy - last.horizontalAccuracy
    return least > policy.options.maximumSpeed * fix.time.seconds(since: last.time)
  }

  private func proceed(from fix: Fix, clearance: Meters, _ phone: SimulatedPhone) {
    let isBlind = fix.horizontalAccuracy > Self.satelliteAccuracy && !stop.isAtRest
    if searchEnd == nil, isBlind, evidence.clearance < Self.coarseClearance, phone.now >= nextSearch {
      search(phone)
    }
    if memory.sentinel == nil || memory.sentinel?.isLeft == true || !timer.isAlive {
      setSentinel(at: fix, radius: Self.awakeRadius, phone)
    }
    if searchEnd != nil { return }
    if evidence.isAmbiguous { return timer.set(phone, after: policy.recheck) }
    if let radius = policy.sentinelRadius(clearance: clearance) { return sleep(at: fix, radius, phone) }
    let latency = stop.isAtRest ? policy.restLatency : policy.latency
    timer.set(phone, after: latency + policy.travelTime(clearance, at: fix.speed))
  }

  // MARK: Sleeping

  /// Allows the system to suspend the app until the phone leaves a sentinel.
  private func sleep(at fix: Fix, _ radius: Meters, _ phone: SimulatedPhone) {
    setSentinel(at: fix, radius: radius, phone)
    phone.show(safeDisc: Plan.Disc(center: fix.coordinate, radius: radius))
    timer.cancel(on: phone)
    // Last, because it may suspend the app.
    phone.saved = memory
    timer.letSleep(on: phone)
  }

  /// Registers the new sentinel first, under the other name, so that there always is one.
  private func setSentinel(at fix: Fix, radius: Meters, _ phone: SimulatedPhone) {
    let old = memory.sentinel?.identifier
    let name = old == names[0] ? names[1] : names[0]
    phone.startMonitoring(MonitoredRegion(exitOnly: name, center: fix.coordinate, radius: radius))
    phone.requestState(identifier: name)
    if let old { phone.stopMonitoring(identifier: old) }
    memory.sentinel = Sentinel(identifier: name)
    if timer.isAlive { phone.show(safeDisc: nil) }
  }
}
