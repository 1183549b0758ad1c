internal import CMath
public import VicinityGeodesy

/// The distribution of the radii of synthetic regions.
public enum RadiusDistribution: Hashable, Sendable {
  /// One radius for all.
  case fixed(Meters)
  case uniform(ClosedRange<Meters>)
  /// Uniform in the logarithm over a range.
  case logUniform(ClosedRange<Meters>)
  /// Normal in the logarithm. The median is the geometric mean of the range's ends, which are two standard
  /// deviations away. Radii beyond the range, one in twenty, are drawn again.
  case logNormal(ClosedRange<Meters>)

  /// Parses a text: `150`, `50-1000` (log-normal), `log-normal:50-1000`, `uniform:50-1000` or
  /// `log-uniform:50-1000`.
  ///
  /// - Throws: ``GenerationError/unknownDistribution(_:)``, or an error for numbers out of range.
  public init(_ text: String) throws(GenerationError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let kind = parts.count == 2 ? parts[0] : ""
    let ends = (parts.last ?? "").split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
    switch (kind, ends.count) {
    case ("", 1):
      guard let radius = ends[0] else { throw .unknownDistribution(text) }
      self = .fixed(radius)
    case ("", 2), ("log-normal", 2), ("uniform", 2), ("log-uniform", 2):
      guard let low = ends[0], let high = ends[1] else { throw .unknownDistribution(text) }
      guard low <= high else {
        throw .outOfRange(
          parameter: "the greatest radius", value: high, allowed: "no less than \(low.shortestText)")
      }
      switch kind {
      case "uniform": self = .uniform(low...high)
      case "log-uniform": self = .logUniform(low...high)
      default: self = .logNormal(low...high)
      }
    default: throw .unknownDistribution(text)
    }
    try check()
  }

  /// The least and the greatest radius.
  public var range: ClosedRange<Meters> {
    switch self {
    case .fixed(let radius): radius...radius
    case .uniform(let range), .logUniform(let range), .logNormal(let range): range
    }
  }

  /// The greatest allowed radius, that of a continent.
  package static let largest: Meters = 5_000_000

  func check() throws(GenerationError) {
    if case .fixed(let radius) = self {
      // Written so that NaN fails.
      guard radius >= 0, radius <= Self.largest else {
        throw .outOfRange(parameter: "the radius", value: radius, allowed: "0 to \(Int(Self.largest)) m")
      }
      return
    }
    let range = range
    var least = 0.0
    if case .uniform = self {} else { least = 0.001 }
    guard range.lowerBound >= least else {
      throw .outOfRange(
        parameter: "the least radius", value: range.lowerBound, allowed: "\(least.shortestText) m and more")
    }
    guard range.upperBound <= Self.largest else {
      throw .outOfRange(
        parameter: "the greatest radius", value: range.upperBound, allowed: "up to \(Int(Self.largest)) m")
    }
  }

  /// Draws a radius within the range, rounded to a decimetre unless it is shorter.
  func radius(_ random: inout RandomStream) -> Meters {
    let value: Meters
    switch self {
    case .fixed(let radius): return radius
    case .uniform(let range):
      value = range.lowerBound + (range.upperBound - range.lowerBound) * random.unit()
    case .logUniform(let range):
      value = range.lowerBound * pow(range.upperBound / range.lowerBound, random.unit())
    case .logNormal(let range):
      let median = (range.lowerBound * range.upperBound).squareRoot()
      let spread = log(range.upperBound / range.lowerBound) / 4
      var drawn = random.logNormal(median: median, spread: spread)
      // One in twenty is drawn again, so sixty times in a row will not happen.
      for _ in 0..<60 where !range.contains(drawn) {
        drawn = random.logNormal(median: median, spread: spread)
      }
      value = drawn
    }
    let rounded = value >= 0.1 ? (value * 10).rounded() / 10 : value
    return min(max(rounded, range.lowerBound), range.upperBound)
  }
}
