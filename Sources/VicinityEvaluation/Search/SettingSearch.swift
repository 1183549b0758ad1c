internal import VicinityGeodesy
internal import VicinitySimulation

/// The search among one policy's settings: what it would try next, given what came of what it has tried.
struct SettingSearch {
  private let policy: any MonitoringPolicy
  /// The parameters with more than one choice.
  private let axes: [PolicyParameter]
  private var restarts: Int
  private var random: RandomStream
  /// The setting to get better from.
  private var current: any MonitoringPolicy
  private var axis = 0
  /// How many parameters in a row have been looked at without getting better.
  private var idle = 0
  private let isGrid: Bool
  /// What is to be tried next; nothing more when empty.
  private(set) var next: [any MonitoringPolicy] = []

  init(_ policy: any MonitoringPolicy, _ index: Int, _ search: PolicySearch) {
    self.policy = policy
    axes = policy.parameters.filter { Set($0.choices).union([$0.value]).count > 1 }
    restarts = search.restarts
    random = RandomStream(seed: search.seed &+ UInt64(index), "settings")
    current = policy
    var size = 1
    for axis in axes { size = min(1_000_000, size * axis.choices.count) }
    isGrid = axes.isEmpty || size <= search.gridLimit
    if isGrid {
      next = [policy] + Self.grid(policy, axes[...])
    } else {
      propose()
    }
  }

  /// All combinations; those that a policy does not take are left out.
  private static func grid(
    _ policy: any MonitoringPolicy, _ axes: ArraySlice<PolicyParameter>
  ) -> [any MonitoringPolicy] {
    guard let axis = axes.first else { return [policy] }
    return axis.choices.flatMap { choice -> [any MonitoringPolicy] in
      guard let setting = Self.setting(policy, axis.name, choice) else { return [] }
      return grid(setting, axes.dropFirst())
    }
  }

  private static func setting(
    _ policy: any MonitoringPolicy, _ parameter: String, _ value: String
  ) -> (any MonitoringPolicy)? {
    // What a policy refuses, in this combination, is not to be tried.
    try? policy.setting(parameter, to: value)
  }

  private mutating func propose() {
    next = [current]
    for choice in axes[axis].choices {
      if let setting = Self.setting(current, axes[axis].name, choice) { next.append(setting) }
    }
  }

  /// Goes on, now that everything in ``next`` has been tried.
  ///
  /// - Parameter isBetter: Whether the setting of one label is better than that of another.
  mutating func take(_ isBetter: (String, String) -> Bool) {
    guard !next.isEmpty else { return }
    guard !isGrid else {
      next = []
      return
    }
    var best = current
    for setting in next where isBetter(setting.label, best.label) { best = setting }
    idle = best.label == current.label ? idle + 1 : 0
    current = best
    axis = (axis + 1) % axes.count
    if idle >= axes.count {
      guard restarts > 0 else {
        next = []
        return
      }
      restarts -= 1
      idle = 0
      current = policy
      for axis in axes {
        guard !axis.choices.isEmpty else { continue }
        let choice = axis.choices[random.below(axis.choices.count)]
        current = Self.setting(current, axis.name, choice) ?? current
      }
    }
    propose()
  }
}
