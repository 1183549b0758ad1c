/// A number, its uncertainty and its source.
public struct Figure: Hashable, Sendable {
  /// The origin of a figure.
  public enum Basis: String, CaseIterable, Hashable, Sendable, Codable {
    /// Fitted to or read from measurements that a validation report shows.
    case measured
    /// Taken from a publication or a manufacturer's file.
    case published
    /// A reasoned guess that nobody has measured, to be varied between ``Figure/low`` and ``Figure/high``.
    case assumed
  }

  /// The number, in the unit of the property.
  public var value: Double
  /// The lower end of the plausible range; of a 95 % interval where it was measured.
  public var low: Double
  /// The upper end of that range.
  public var high: Double
  public var basis: Basis
  /// The source: a key of ``DeviceProfile/sources``.
  public var source: String

  public init(_ value: Double, low: Double, high: Double, basis: Basis, source: String) {
    self.value = value
    self.low = low
    self.high = high
    self.basis = basis
    self.source = source
  }

  package func scaled(by factor: Double) -> Figure {
    Figure(value * factor, low: low * factor, high: high * factor, basis: basis, source: source)
  }
}

extension Figure: Codable {
  private enum CodingKeys: String, CodingKey { case value, low, high, basis, source }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    value = try container.decode(Double.self, forKey: .value)
    // A figure without a range would count as exactly known, and move no interval.
    low = try container.decode(Double.self, forKey: .low)
    high = try container.decode(Double.self, forKey: .high)
    basis = try container.decode(Basis.self, forKey: .basis)
    source = try container.decode(String.self, forKey: .source)
    guard low <= value, value <= high, low > -.infinity, high < .infinity else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: container.codingPath,
          debugDescription: "not low <= value <= high: \(low), \(value), \(high)"))
    }
  }
}

/// A distribution of non-negative numbers, given by its quantiles.
public struct Quantiles: Hashable, Sendable {
  public struct Point: Hashable, Sendable {
    /// The share of the numbers below ``value``, 0...1.
    public var probability: Double
    public var value: Double

    public init(_ probability: Double, _ value: Double) {
      self.probability = probability
      self.value = value
    }
  }

  /// The quantiles, ascending in both values; the first at probability 0, the last at 1.
  public let points: [Point]
  public var basis: Figure.Basis
  public var source: String
  /// The 95 % interval of a factor on all values by which phones and outings differ, about 1; nil where it is
  /// not known. A distribution from 16 measurements has an uncertainty like any other figure.
  public var scale: ClosedRange<Double>?

  /// A distribution. Probabilities must rise strictly from 0 to 1; values must be finite, not negative, and
  /// not fall; a scale must hold 1, and its ends be positive and finite. Otherwise nil.
  public init?(
    _ points: [Point], basis: Figure.Basis, source: String, scale: ClosedRange<Double>? = nil
  ) {
    guard points.count >= 2, points[0].probability == 0, points[points.count - 1].probability == 1,
      points[0].value >= 0, points[points.count - 1].value < .infinity
    else { return nil }
    for (a, b) in zip(points, points.dropFirst()) {
      guard a.probability < b.probability, a.value <= b.value else { return nil }
    }
    if let scale {
      guard scale.contains(1), scale.lowerBound > 0, scale.upperBound < .infinity else { return nil }
    }
    self.points = points
    self.basis = basis
    self.source = source
    self.scale = scale
  }

  /// The quantile at a probability, linear between the given ones. A probability beyond 0...1 counts as the
  /// nearer end.
  ///
  /// - Complexity: O(log n)
  public func value(at probability: Double) -> Double {
    var low = 0
    var high = points.count - 1
    guard probability < 1 else { return points[high].value }
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle].probability <= probability { low = middle } else { high = middle }
    }
    let (a, b) = (points[low], points[high])
    let share = (max(probability, 0) - a.probability) / (b.probability - a.probability)
    return a.value + (b.value - a.value) * share
  }

  /// The share of the numbers up to a value: the inverse of ``value(at:)``, the highest one where that is
  /// flat.
  ///
  /// - Complexity: O(n)
  package func probability(of value: Double) -> Double {
    guard let last = points.lastIndex(where: { $0.value <= value }) else { return 0 }
    guard last + 1 < points.count else { return 1 }
    let (a, b) = (points[last], points[last + 1])
    return a.probability + (b.probability - a.probability) * (value - a.value) / (b.value - a.value)
  }
}

extension Quantiles: Codable {
  private enum CodingKeys: String, CodingKey { case quantiles, basis, source, scale }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let pairs = try container.decode([[Double]].self, forKey: .quantiles)
    let basis = try container.decode(Figure.Basis.self, forKey: .basis)
    let source = try container.decode(String.self, forKey: .source)
    let ends = try container.decodeIfPresent([Double].self, forKey: .scale)
    var scale: ClosedRange<Double>?
    if let ends {
      guard ends.count == 2, 0 < ends[0], ends[0] <= 1, 1 <= ends[1], ends[1] < .infinity else {
        throw DecodingError.dataCorruptedError(
          forKey: .scale, in: container,
          debugDescription: "not [low, high] with 0 < low <= 1 <= high")
      }
      scale = ends[0]...ends[1]
    }
    let points = pairs.compactMap { $0.count == 2 ? Point($0[0], $0[1]) : nil }
    guard points.count == pairs.count,
      let made = Quantiles(points, basis: basis, source: source, scale: scale)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .quantiles, in: container,
        debugDescription:
          "not pairs [probability, value] that rise from probability 0 to 1, values not negative")
    }
    self = made
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(points.map { [$0.probability, $0.value] }, forKey: .quantiles)
    try container.encode(basis, forKey: .basis)
    try container.encode(source, forKey: .source)
    try container.encodeIfPresent(scale.map { [$0.lowerBound, $0.upperBound] }, forKey: .scale)
  }
}
