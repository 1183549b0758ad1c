/// A fix that a device's track cannot go on with.
package struct RefusedFix: Error {
  /// Which of the fixes given, from zero.
  package var index: Int
  package var reason: Reason

  package enum Reason: Sendable {
    /// It contradicts fixes before or after it.
    case order(TrackOrder.Verdict)
    case track(TrackError)
  }
}

extension TrackOrder.Judgement {
  /// The indices of the fixes that may follow, repeats and invalid ones among them.
  ///
  /// - Parameters:
  ///   - dropsConflicts: Whether of several fixes at one time the first one counts, instead of being refused.
  ///   - refuse: Is told each that may not follow; what it throws ends the search.
  package func kept(
    dropsConflicts: Bool, refuse: (RefusedFix) throws(RefusedFix) -> Void
  ) throws(RefusedFix) -> [Int] {
    var kept: [Int] = []
    for (i, verdict) in verdicts.enumerated() {
      switch verdict {
      case .accepted, .repeated, .invalid: kept.append(i)
      case .conflicting where dropsConflicts: break
      case .conflicting, .backwards, .contradicted:
        try refuse(RefusedFix(index: i, reason: .order(verdict)))
      }
    }
    return kept
  }
}
