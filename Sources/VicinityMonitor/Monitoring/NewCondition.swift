public import VicinityIndex

/// A condition to be added to a monitor.
public struct NewCondition: Hashable, Identifiable, Sendable {
  /// The condition's identifier; any text.
  public var identifier: String
  /// What is to be watched.
  public var condition: Condition
  /// The assumed state: an event is made by the first determination that differs.
  public var state: MonitoringState
  /// How the condition is treated among others.
  public var options: ConditionOptions

  public var id: String { identifier }

  @inlinable
  public init(
    _ condition: Condition, identifier: String, assuming state: MonitoringState = .unknown,
    options: ConditionOptions = ConditionOptions()
  ) {
    self.identifier = identifier
    self.condition = condition
    self.state = state
    self.options = options
  }

  /// The condition of being in a region, such as one of an index, under the region's identifier.
  public init(
    _ region: Region, assuming state: MonitoringState = .unknown,
    options: ConditionOptions = ConditionOptions()
  ) {
    self.init(Condition(region.shape), identifier: region.identifier, assuming: state, options: options)
  }
}
