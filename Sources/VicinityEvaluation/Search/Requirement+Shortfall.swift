internal import VicinityGeodesy

extension Requirement.Bound {
  /// How much of the bound is missing, 0 to 1: of a least value v of a bound b the part (b - v) / b, of a greatest (v - b) / v; 1
  /// without a figure.
  public func shortfall(of value: Double?) -> Double {
    guard let value, !value.isNaN else { return 1 }
    if isMet(by: value) { return 0 }
    if isMinimum { return min(1, (limit - value) / limit) }
    return value.isInfinite ? 1 : min(1, (value - limit) / value)
  }
}

extension Requirement {
  /// How far a policy's headline is from meeting all bounds: the sum of their shortfalls, 0 if it does.
  public func shortfall(of card: ScoreCard) -> Double {
    bounds.reduce(0) { $0 + $1.shortfall(of: card.value($1.metric)) }
  }

  /// Whether the first of two policies is the better answer: one that meets the requirement before one that does not, of two that
  /// do the cheaper, of two that do not the nearer, and then the cheaper.
  public func isBetter(_ a: ScoreCard, than b: ScoreCard) -> Bool {
    let (far, near) = (shortfall(of: a), shortfall(of: b))
    if far != near { return far < near }
    return (a.value(.energy) ?? .infinity) < (b.value(.energy) ?? .infinity)
  }

  /// The bounds in words: `recall of at least 0.99 and p95-latency of at most 60 s`.
  public var words: String {
    bounds.map { bound in
      let unit = bound.metric.unit
      let space = unit.isEmpty || unit.hasPrefix("/") ? "" : " "
      let side = bound.isMinimum ? "least" : "most"
      return "\(bound.metric.rawValue) of at \(side) \(bound.limit.shortestText)\(space)\(unit)"
    }.joined(separator: " and ")
  }
}
