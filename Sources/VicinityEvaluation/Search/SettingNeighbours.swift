internal import VicinityGeodesy

/// The settings next to one: its numbers moved by a quarter, one and two at a time.
///
/// A quarter is less than the steps between the values that a search tries first
/// (``PolicyParameter/choices``), so a cheaper setting between them is found.
enum SettingNeighbours {
  /// The most settings.
  static let limit = 48
  static let factors = [0.8, 1.25]

  /// The neighbours that the policy accepts, each once: one number moved, then two.
  static func settings(of policy: any MonitoringPolicy) -> [any MonitoringPolicy] {
    let moved = policy.parameters.compactMap { parameter -> (name: String, values: [String])? in
      guard parameter.choices.count > 1, let number = Double(parameter.value), number > 0, number.isFinite
      else { return nil }
      return (parameter.name, factors.map { text(number * $0) })
    }
    var labels: Set<String> = [policy.label]
    var found: [any MonitoringPolicy] = []
    func add(_ setting: (any MonitoringPolicy)?) {
      guard let setting, found.count < limit, labels.insert(setting.label).inserted else { return }
      found.append(setting)
    }
    for (name, values) in moved {
      // A value that the policy refuses is no neighbour.
      for value in values { add(try? policy.setting(name, to: value)) }
    }
    for (index, first) in moved.enumerated() {
      for second in moved[(index + 1)...] {
        for one in first.values {
          guard let half = try? policy.setting(first.name, to: one) else { continue }
          for other in second.values { add(try? half.setting(second.name, to: other)) }
        }
      }
    }
    return found
  }

  /// A number with two significant digits, without a fraction from 10 on: labels stay short.
  static func text(_ number: Double) -> String {
    var scale = 1.0
    while number / scale >= 100 { scale *= 10 }
    while number / scale < 10, scale > 1e-6 { scale /= 10 }
    let rounded =
      scale >= 1 ? (number / scale).rounded() * scale : (number / scale).rounded() / (1 / scale).rounded()
    return rounded.shortestText
  }
}
