internal import VicinityMonitor

extension DeviceProfile {
  /// All figures with their paths, in the order of the properties. A distribution is given by its median and
  /// its 5 % and 95 % points.
  ///
  /// - Complexity: O(figures); uses reflection, so for reports only.
  public var listedFigures: [(path: String, figure: Figure)] {
    var list: [(path: String, figure: Figure)] = []
    for accuracy in DesiredAccuracy.allCases {
      if let tier = tiers[accuracy] { Self.collect(tier, "tiers.\(accuracy.rawValue)", &list) }
    }
    // The order of the dictionary of tiers is undefined.
    var rest: [(path: String, figure: Figure)] = []
    Self.collect(self, "", &rest)
    return rest + list
  }

  private static func collect(_ value: Any, _ path: String, _ list: inout [(path: String, figure: Figure)]) {
    switch value {
    case let figure as Figure: list.append((path, figure))
    case let quantiles as Quantiles:
      list.append(
        (
          path + " (median, 90 % range)",
          Figure(
            quantiles.value(at: 0.5), low: quantiles.value(at: 0.05), high: quantiles.value(at: 0.95),
            basis: quantiles.basis, source: quantiles.source)
        ))
    case is [DesiredAccuracy: TierProfile]: return
    default:
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .optional {
        if let content = mirror.children.first { collect(content.value, path, &list) }
        return
      }
      if mirror.displayStyle == .collection {
        for (index, child) in mirror.children.enumerated() {
          collect(child.value, "\(path)[\(index)]", &list)
        }
        return
      }
      guard mirror.displayStyle == .struct else { return }
      for child in mirror.children {
        guard let label = child.label else { continue }
        collect(child.value, path.isEmpty ? label : "\(path).\(label)", &list)
      }
    }
  }
}
