public import VicinityCrossings

/// A change of a condition's state.
public struct MonitoringEvent: Hashable, Sendable {
  /// The condition's identifier.
  public var identifier: String
  public var state: MonitoringState
  /// When it was decided.
  public var date: Timestamp
  /// The beacon observed, of a satisfied beacon condition; nil otherwise.
  public var refinement: BeaconIdentity?
  /// What suspends events, or makes them incomplete; empty when nothing does.
  public var diagnostics: Diagnostics
  /// The event's permanent number: counting from 1 within a monitor and never used again; 0 for what a record
  /// begins with. Of the events that one fix, or one other input, makes, the earlier date has the lesser
  /// number, and for equal dates the condition that was added first.
  public var sequenceNumber: UInt64

  @inlinable
  public init(
    identifier: String, state: MonitoringState, date: Timestamp, refinement: BeaconIdentity? = nil,
    diagnostics: Diagnostics = [], sequenceNumber: UInt64 = 0
  ) {
    self.identifier = identifier
    self.state = state
    self.date = date
    self.refinement = refinement
    self.diagnostics = diagnostics
    self.sequenceNumber = sequenceNumber
  }
}

/// What a monitor holds of a condition.
public struct MonitoringRecord: Hashable, Sendable {
  public var condition: Condition
  /// How it is treated among others.
  public var options: ConditionOptions
  /// The last event that was handled; until there is one, the assumed state with the date of adding and
  /// number 0.
  public var lastEvent: MonitoringEvent

  @inlinable
  public init(
    condition: Condition, options: ConditionOptions = ConditionOptions(), lastEvent: MonitoringEvent
  ) {
    self.condition = condition
    self.options = options
    self.lastEvent = lastEvent
  }
}
