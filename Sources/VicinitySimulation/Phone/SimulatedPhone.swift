public import VicinityCrossings

/// A phone, as an app and its user know it, on a clock that jumps from event to event.
///
/// Made by ``Simulation/run(_:recording:app:)`` and handed to the app with every event. Not to be kept beyond the run.
public final class SimulatedPhone {
  /// What the run is about.
  let scenario: Scenario
  let makeApp: () -> any PhoneApp
  let recording: Recording

  /// What time it is.
  public internal(set) var now: Timestamp
  /// What surrounds the phone.
  public internal(set) var environment: Environment
  /// What is kept between two processes of the app: a file, in short.
  public var saved: (any Sendable)?

  /// The next of the environment's changes.
  var environmentIndex = 0
  var truth: TruthCursor
  var agenda = Agenda()
  var meter: EnergyMeter
  var hourly: HourlyEnergy
  var counts = SimulationCounts()
  var timeline: [TimelineEntry] = []

  /// The app's process, if it has one.
  var app: (any PhoneApp)?
  var lifecycle: LifecycleState
  var standard: StandardLocationState
  var significant: SignificantChangeState
  var regions: RegionMonitoringState
  var beacons: BeaconState
  var heading: HeadingState

  init(_ scenario: Scenario, recording: Recording, app: @escaping () -> any PhoneApp) {
    self.scenario = scenario
    self.recording = recording
    makeApp = app
    now = scenario.track.start
    environment = scenario.environment.initial
    truth = TruthCursor(scenario.track)
    meter = EnergyMeter(start: now, keepsSteps: recording.contains(.power))
    hourly = HourlyEnergy(start: now, isKept: recording.contains(.hours))
    lifecycle = LifecycleState(scenario)
    standard = StandardLocationState(scenario)
    significant = SignificantChangeState(scenario)
    regions = RegionMonitoringState(scenario)
    beacons = BeaconState(scenario)
    heading = HeadingState(scenario)
  }

  /// The phone in numbers.
  public var profile: DeviceProfile { scenario.profile }

  /// Adds to the timeline, when it is kept; words are not made otherwise.
  func record(_ kind: @autoclosure () -> TimelineEntry.Kind) {
    if recording.contains(.events) { timeline.append(TimelineEntry(time: now, kind: kind())) }
  }
}
