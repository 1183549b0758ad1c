/// A property by which tables class crossings.
public enum ClassDimension: String, CaseIterable, Hashable, Sendable {
  case size
  case speed
  case duration

  /// The classes' lower bounds, ascending from zero: metres, metres a second, seconds.
  public var bounds: [Double] {
    switch self {
    case .size: [0, 100, 200, 500, 2000]
    case .speed: [0, 2, 7, 40]
    case .duration: [0, 20, 60, 300]
    }
  }

  /// The classes' names, in the order of ``bounds``.
  public var names: [String] {
    switch self {
    case .size: ["<100 m", "100-200 m", "200-500 m", "500-2000 m", ">=2000 m"]
    case .speed: ["walk", "cycle", "drive", "air"]
    case .duration: ["<20 s", "20-60 s", "60-300 s", ">=300 s"]
    }
  }

  /// The class of a value: the last whose lower bound is not above it.
  public func classIndex(of value: Double) -> Int { bounds.lastIndex { value >= $0 } ?? 0 }

  func classIndex(of crossing: TrueCrossing, _ visit: RegionVisit) -> Int {
    switch self {
    case .size: classIndex(of: visit.radius)
    case .speed: classIndex(of: crossing.speed)
    case .duration: classIndex(of: visit.seconds)
    }
  }
}
