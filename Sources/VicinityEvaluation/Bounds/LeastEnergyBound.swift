public import VicinityCrossings
public import VicinitySimulation

/// The least energy with which any app can report every crossing within L seconds, even if it knows the
/// future.
///
/// This is a lower bound over the simulated phone: an app there that reports each crossing between its
/// instant and L seconds later takes no less. ``OraclePolicy`` shows how near an app can come to it.
///
/// ## What is counted
/// An app reports in a callback. Each callback in the background costs the processor
///
/// - `awake` for `awakeTail` seconds, or until the next callback, where it does not deliver a position;
/// - the `fix` energy of some tier, within a tenth of a second, where it does.
///
/// Let T be the longest time that anything keeps an app running by itself (a background task, the time for an
/// event). Between two callbacks more than T seconds apart, the app
///
/// - was kept running by the standard service, which costs at least the least radio power of any tier;
/// - or had other callbacks in between, each at the price above;
/// - or was suspended or ended, and the system then woke it: by a check of regions, a significant change, a
///   visit or a beacon, each of which costs a scan or a report.
///
/// Time costs nothing while the app is in front, and before an action from outside: of its user, on a
/// socket, of memory pressure, of sleep and waking, or of other apps' regions.
/// Processor and radios are counted separately, and no time twice. The phone's idle power comes on top.
///
/// The cost of a callback grows with the time to the next one, ever more slowly, from zero. So more callbacks
/// in between never cost less, and among callbacks no more than T apart, those T apart cost least.
///
/// ## The minimum
/// Every crossing's window, from the crossing to L seconds later, must contain a callback. Dynamic
/// programming over seconds finds the cheapest set of callbacks. A callback anywhere in a second serves every
/// window that overlaps that second or the next, so no two consecutive seconds need one. Two callbacks count
/// as being as near as their seconds allow, so that the bound errs only downwards.
public struct LeastEnergyBound: Hashable, Sendable {
  /// Joules altogether, idle power included.
  public let joules: Double
  /// Joules above idle.
  public let netJoules: Double
  /// The seconds of the cheapest callbacks, since the track's start.
  public let seconds: [Int]

  /// Computes the bound for a scenario and its true crossings.
  ///
  /// - Parameters:
  ///   - scenario: The track and the phone.
  ///   - crossings: In the order of time; dwell events are ignored.
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
      // One second early: see "The minimum".
      return Window(
        first: max(0, Int(at.rounded(.down)) - 1), last: Int(min(at + limit, max(at, length)).rounded(.down)))
    }
    let cheapest = CheapestCallbacks(windows, prices)
    netJoules = cheapest.millijoules / 1000
    joules = netJoules + scenario.profile.idle.value / 1000 * length
    seconds = cheapest.cells
  }
}

/// A range of seconds that must contain a callback.
struct Window {
  var first: Int
  var last: Int
}

/// The least that callbacks and the time between them cost, in millijoules.
struct CallbackPrices {
  private let awake: Double
  private let awakeTail: Double
  private let fix: Double
  private let radio: Double
  private let wake: Double
  private let free: Double
  /// When running the app is free, seconds since the start, ascending.
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

  /// The times at which the app may be in front, or at which something is done with it.
  private static func gifts(_ scenario: Scenario) -> [ClosedRange<Double>] {
    var gifts: [ClosedRange<Double>] = []
    // The app is open when the scenario begins.
    var opened: Double? = 0
    for action in scenario.actions.sorted(by: { $0.time < $1.time }) {
      // Earlier actions count as done at the beginning.
      let time = max(0, action.time.seconds(since: scenario.track.start))
      switch action.action {
      case .openApp: opened = opened ?? time
      case .leaveApp, .forceQuit, .terminate, .exit, .restart:
        gifts.append((opened ?? time)...time)
        opened = nil
      case .memoryPressure, .sleep, .wake, .socketData, .interrupt, .set,
        .setTimeZone, .otherAppsRegions, .app:
        if opened == nil { gifts.append(time...time) }
      }
    }
    if let opened { gifts.append(opened...Double.infinity) }
    return gifts
  }

  /// The price of a callback when the next one comes at least `gap` seconds later.
  func callback(before gap: Double) -> Double {
    min(awake * min(awakeTail, gap), fix * min(1, gap / 0.1))
  }

  /// The price of the time before a callback after second `end`, at least `gap` seconds after the callback
  /// before.
  func waiting(_ gap: Double, to end: Double) -> Double {
    var gap = gap
    // Time before the last free time is free.
    if let gift = gifts.last(where: { $0.lowerBound <= end + 1 }) { gap = min(gap, end - gift.upperBound) }
    let rest = gap - free
    guard rest > 0 else { return 0 }
    // Other callbacks in between, at most the free time apart.
    let rate = min(radio, callback(before: free) / max(free, 1e-3))
    // A scan takes two seconds.
    return min(rate * rest, wake * min(1, rest / 2))
  }
}

/// The cheapest callbacks of which every window contains one.
struct CheapestCallbacks {
  private(set) var millijoules = 0.0
  /// The seconds of the callbacks.
  private(set) var cells: [Int] = []

  init(_ windows: [Window], _ prices: CallbackPrices) {
    guard !windows.isEmpty else { return }
    var candidates: Set<Int> = []
    for window in windows { candidates.formUnion(window.first...window.last) }
    let cells = candidates.sorted()
    // By their last second: between two callbacks, no window may both begin and end.
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
      // The first callback; the app is launched at the start.
      if needed < 0 { least[index] = prices.waiting(Double(cell), to: Double(cell)) }
      for other in from..<index where cells[other] + 1 < cell {
        // Callbacks in two seconds are at least the seconds in between apart; omitted ones are in the first
        // of these.
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
      // The time after the last callback is long enough for its full price not to be needed.
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
