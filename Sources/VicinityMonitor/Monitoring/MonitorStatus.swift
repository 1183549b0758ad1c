package import VicinityCrossings

/// What a view shows of a monitor, at one moment.
package struct MonitorStatus: Sendable {
  /// The conditions that are satisfied, and since when.
  package var inside: [String: Timestamp]
  /// What is allowed.
  package var environment: MonitorEnvironment
  package var faults: Monitor.Faults
  package var pendingEventCount: Int
}
