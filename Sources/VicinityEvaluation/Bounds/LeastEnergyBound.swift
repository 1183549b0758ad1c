public import VicinityCrossings
public import VicinitySimulation

/// The least energy with which any app can report every crossing within L seconds, be it one that knows the future.
///
/// A lower bound, over the phone of the simulator: whatever an app does there that reports each crossing at a time from the
/// crossing to L seconds after it, takes no less. How near it can be come to shows ``FutureKnowingPolicy``.
///
/// ## What is counted
/// A report is made in a callback. Each callback in the background costs the processor
///
/// - `awake` for `awakeTail` seconds, or until the next, where it is not for a position;
/// - the `fix` energy of some tier, within a tenth of a second, where it is.
///
/// Between two callbacks more than T seconds apart, T being the longest that anything keeps an app running by itself (background
/// tasks, the time for an event), the app has
///
/// - been kept running by the standard service, which costs at least the least radio power of any tier;
/// - or not been without callbacks for as long, each at the price above;
/// - or been suspended or ended and then woken by the system: a look at regions, a significant change, a visit or a beacon, each
///   of which costs a scan or a report.
///
/// While the app is in front, and where its user or a socket does something with it, the time between costs nothing. Processor and
/// radios are counted apart, and no time twice. What the phone draws regardless comes on top.
///
/// What a callback costs rises with the time to the next, ever more slowly, from nothing: so more callbacks in between never
/// cost less, and among callbacks no more than T apart those that are T apart cost least.
///
/// ## The least of it
/// Every crossing's window, from the crossing to L after it, must hold a callback. Which callbacks are cheapest is found by dynamic
/// programming over seconds. A callback anywhere in a second serves every window that meets the second, or the next: so there need
/// be none in two seconds that follow each other. Two are taken to be as near as their seconds allow. The bound errs downwards
/// alone.
public struct LeastEnergyBound: Hashable, Sendable {
  /// Joules altogether, what is drawn regardless included.
  public let joules: Double
  /// Joules on top of that.
  public let netJoules: Double
  /// The callbacks of the cheapest way, seconds since the track's start.
  public let seconds: [Int]

  /// The bound for a scenario and its true crossings.
  ///
  /// - Parameters:
  ///   - crossings: In the order of time; dwelling is left out.
  ///   - latency: Zero or more seconds.
  /// - Complexity: O(n L (L + m)) for n crossings, of which no more than m lie within L of one.
  public init(_ scenario: Scenario, _ crossings: [Crossing], within latency: Duration) throws(BoundError) {
    let limit = latency / .seconds(1)
    guard limit >= 0, limit < .infinity else { throw .outOfRange("latency", limit) }
    do { try scenario.profile.check() } catch { throw .simulation(.profile(error)) }
    let prices = CallbackPrices(scenario)
    let start = scenario.track.start
    let length = scenario.track.end.seconds(since: start)
    let windows = crossings.filter { $0.kind != .dwell }.map { crossing in
      let at = max(0, crossing.time.seconds(since: start))
      // From the second before: see above.
      return Window(
        first: max(0, Int(at.rounded(.down)) - 1), last: Int(min(at + limit, max(at, length)).rounded(.down)))
    }
    let way = CheapestCallbacks(windows, prices)
    netJoules = way.millijoules / 1000
    joules = netJoules + scenario.profile.idle.value / 1000 * length
    seconds = way.cells
  }
}

/// The seconds in one of which a callback must be.
struct Window {
  var first: Int
  var last: Int
}

/// What callbacks and the time between them cost at least, in millijoules.
struct CallbackPrices {
  private let awake: Double
  private let awakeTail: Double
  private let fix: Double
  private let radio: Double
  private let wake: Double
  private let free: Double
  /// When the app can be had for nothing, seconds since the start, in their order.
  private let gifts: [ClosedRange<Double>]

  init(_ scenario: Scenario) {
    let profile = scenario.profile
    let rules = scenario.rules
    awake = profile.awake.value
    awakeTail = profile.awakeTail.value
    var fix = Double.infinity
    var radio = Double.infinity
    for tier in profile.tiers.values {
      fix = min(fix, tier.fix.value)
      radio = min(radio, tier.gnss.value + tier.wifi.value + tier.cell.value)
    }
    self.fix = fix
    self.radio = radio
    var wake = min(profile.regions.look.value, profile.significantChange.report.value)
    if !scenario.beacons.isEmpty { wake = min(wake, profile.beacons.scan.value) }
    if scenario.capabilities.isKeptAlive || rules.platform == .macOS { wake = 0 }
    self.wake = wake
    let delivery = profile.regions.delivery.value(at: 1)
    let times = [rules.backgroundTaskTime, rules.eventTime, rules.watchdogTime, rules.keepAliveTime]
    free = max(delivery, times.map { $0 / .seconds(1) }.max() ?? 0)
    gifts = Self.gifts(scenario)
  }

  /// The times that the app may be in front, or that something is done with it.
  private static func gifts(_ scenario: Scenario) -> [ClosedRange<Double>] {
    var gifts: [ClosedRange<Double>] = []
    // It is opened when the scenario begins.
    var opened: Double? = 0
    for action in scenario.actions.sorted(by: { $0.time < $1.time }) {
      // What was done before counts at the beginning.
      let time = max(0, action.time.seconds(since: scenario.track.start))
      switch action.action {
      case .openApp: opened = opened ?? time
      case .leaveApp, .forceQuit, .terminate, .exit, .restart:
        gifts.append((opened ?? time)...time)
        opened = nil
      case .memoryPressure, .sleep, .wake, .socketData:
        if opened == nil { gifts.append(time...time) }
      }
    }
    if let opened { gifts.append(opened...Double.infinity) }
    return gifts
  }

  /// A callback whose next comes so many seconds later, or more.
  func callback(before gap: Double) -> Double {
    min(awake * min(awakeTail, gap), fix * min(1, gap / 0.1))
  }

  /// The time before a callback that comes after some second, so many seconds at least since the one before.
  func waiting(_ gap: Double, to end: Double) -> Double {
    var gap = gap
    // What comes before the app was last to be had for nothing costs nothing.
    if let gift = gifts.last(where: { $0.lowerBound <= end + 1 }) { gap = min(gap, end - gift.upperBound) }
    let rest = gap - free
    guard rest > 0 else { return 0 }
    // Callbacks in between, no more than the free time apart.
    let rate = min(radio, callback(before: free) / max(free, 1e-3))
    // A scan takes two seconds.
    return min(rate * rest, wake * min(1, rest / 2))
  }
}

/// The cheapest callbacks that meet all windows.
struct CheapestCallbacks {
  private(set) var millijoules = 0.0
  /// The seconds that they are in.
  private(set) var cells: [Int] = []

  init(_ windows: [Window], _ prices: CallbackPrices) {
    guard !windows.isEmpty else { return }
    var candidates: Set<Int> = []
    for window in windows { candidates.formUnion(window.first...window.last) }
    let cells = candidates.sorted()
    // By the last second of each: from a callback on, no window may be over that began after it.
    let byEnd = windows.sorted { $0.last < $1.last }
    var least = [Double](repeating: .infinity, count: cells.count)
    var before = [Int](repeating: -1, count: cells.count)
    var over = 0
    var needed = -1
    var from = 0
    for index in cells.indices {
      let cell = cells[index]
      while over < byEnd.count, byEnd[over].last < cell {
        needed = max(needed, byEnd[over].first)
        over += 1
      }
      while from < index, cells[from] < needed { from += 1 }
      // Launched at the start.
      if needed < 0 { least[index] = prices.waiting(Double(cell), to: Double(cell)) }
      for other in from..<index where cells[other] + 1 < cell {
        // Callbacks in two seconds are no less than the seconds between apart; those left out are in the first of these.
        let gap = Double(cell - cells[other] - 1)
        let cost =
          least[other] + prices.callback(before: gap)
          + prices.waiting(gap - 1, to: Double(cell))
        if cost < least[index] {
          least[index] = cost
          before[index] = other
        }
      }
    }
    let lastStart = windows.map(\.first).max() ?? 0
    var best = -1
    for index in cells.indices where cells[index] >= lastStart {
      // After the last callback there is time enough.
      let cost = least[index]
      if best < 0 || cost < least[best] { best = index }
    }
    guard best >= 0 else { return }
    millijoules = least[best]
    var at = best
    while at >= 0 {
      self.cells.append(cells[at])
      at = before[at]
    }
    self.cells.reverse()
  }
}
