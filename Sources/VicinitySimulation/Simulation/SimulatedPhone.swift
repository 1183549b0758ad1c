public import VicinityCrossings
public import VicinityMonitor

/// The simulated phone, as an app and its user see it, on a clock that jumps from event to event.
///
/// ``Simulation/run(_:recording:app:)`` creates it and passes it to the app with every event. It must not be
/// used after the run.
public final class SimulatedPhone {
  let scenario: Scenario
  let makeApp: () -> any PhoneApp
  let recording: Recording

  /// The current time.
  public internal(set) var now: Timestamp
  public internal(set) var surroundings: PhoneSurroundings
  /// How the app is declared, and what its user allows now.
  public internal(set) var capabilities: AppCapabilities
  /// Data that the app keeps from one process to the next, as in a file.
  public var saved: (any Sendable)?
  /// What watches the slots, for ``StudiedPhone``.
  public var slotService = SlotService.regionMonitoring

  var surroundingsIndex = 0
  var truth: TruthCursor
  var timers = TimerQueue()
  var meter: EnergyMeter
  var hourly: HourlyEnergy
  var counts = SimulationCounts()
  var timeline: [TimelineEntry] = []

  /// The app's process; nil when there is none.
  var app: (any PhoneApp)?
  // Not copyable, because the compiler would copy a whole struct to read one part.
  var lifecycle = LifecycleState()
  var sessions = Sessions()
  var standard: StandardLocationState
  var significant: SignificantChangeState
  var regions: RegionMonitoringState
  var beacons: BeaconState
  var heading: HeadingState

  init(_ scenario: Scenario, recording: Recording, app: @escaping () -> any PhoneApp) {
    var scenario = scenario
    if scenario.profile.days != nil {
      let track = scenario.track
      // A track has a position at least.
      let day = DayScores(from: track.positions[0], at: track.start, seed: scenario.seed)
      scenario.profile = scenario.profile.day(day)
    }
    self.scenario = scenario
    self.recording = recording
    makeApp = app
    now = scenario.track.start
    surroundings = scenario.surroundings.initial
    capabilities = scenario.capabilities
    truth = TruthCursor(scenario.track)
    meter = EnergyMeter(start: now, keepsSteps: recording.contains(.power))
    hourly = HourlyEnergy(start: now, isKept: recording.contains(.hours))
    standard = StandardLocationState(scenario)
    significant = SignificantChangeState(scenario)
    regions = RegionMonitoringState(scenario)
    beacons = BeaconState(scenario)
    heading = HeadingState(scenario)
    lifecycle.otherAppsRegions = max(0, scenario.otherAppsRegions)
  }

  /// The phone's figures, as they are on this day (``DayEffects``).
  public var profile: DeviceProfile { scenario.profile }

  /// Adds an entry to the timeline if events are recorded. Otherwise the entry is not even created.
  func record(_ kind: @autoclosure () -> TimelineEntry.Kind) {
    if recording.contains(.events) { timeline.append(TimelineEntry(time: now, kind: kind())) }
  }
}

extension SimulatedPhone {
  /// Records that the app reports an entry or exit: what its user would notice.
  ///
  /// - Parameters:
  ///   - isEntry: True for an entry, false for an exit.
  ///   - region: The region's identifier.
  ///   - time: When the crossing happened according to the app; not after now.
  public func report(entry isEntry: Bool, region: String, at time: Timestamp) {
    guard recording.contains(.reports) else { return }
    timeline.append(TimelineEntry(time: now, kind: .reported(isEntry: isEntry, region: region, at: time)))
  }

  /// Records the disc within which the app keeps its choice of regions; nil when it has none.
  public func show(safeDisc disc: Plan.Disc?) {
    if let disc {
      record(.safeDisc(center: disc.center, radius: disc.radius))
    } else {
      record(.noSafeDisc)
    }
  }

  /// Records that something was lost, in words.
  public func lose(_ what: String) { record(.lost(what)) }
}
