internal import VicinityCrossings
internal import VicinityGeodesy

/// What one service takes its positions from: errors that last, in three independent processes of its own, so that what it asks
/// moves no other's.
struct PositionSource {
  /// A measured position.
  struct Measurement {
    var fix: Fix
    /// Whether it rests on nothing but cells.
    var isOfCells: Bool
  }

  private var errors: ErrorProcess
  private var cellErrors: ErrorProcess
  private var spells: SpellProcess

  init(seed: UInt64, _ name: StaticString) {
    var root = RandomStream(seed: seed, name)
    errors = ErrorProcess(RandomStream(seed: root.next(), "errors"))
    cellErrors = ErrorProcess(RandomStream(seed: root.next(), "cells"))
    spells = SpellProcess(RandomStream(seed: root.next(), "spells"))
  }

  /// A position; nil where there is none to be had.
  ///
  /// Speed and course are the true ones where satellites are tracked, and not known otherwise, as is the course of a phone that
  /// stands.
  ///
  /// - Parameters:
  ///   - truth: Where the phone is at the time, which may not go back from one call to the next.
  ///   - isTracking: Whether the receiver has found its satellites.
  ///   - settling: What stands for positions of networks in the first seconds.
  /// - Complexity: O(log quantiles); nothing is done for the time in between.
  mutating func measure(
    _ truth: TrueState, at time: Timestamp, by positions: TierPositions, in environment: Environment,
    isTracking: Bool, settling: PositionDistribution? = nil
  ) -> Measurement? {
    guard
      var method = positions.method(in: environment, isStill: truth.isStill, isTracking: isTracking)
    else { return nil }
    if let (share, duration) = positions.spells, !truth.isStill,
      spells.isInSpell(share: share, duration: duration, at: time)
    {
      guard let fallback = positions.fallback(in: environment) else { return nil }
      method = fallback
    }
    let frame = LocalFrame(truth.place)
    switch method {
    case .satellites(let distribution):
      let sample = errors.sample(distribution, at: time)
      let fix = Fix(
        time: time, coordinate: frame.place(at: sample.error), horizontalAccuracy: sample.accuracy,
        speed: truth.speed, course: truth.speed > 0 ? truth.course : -1)
      return Measurement(fix: fix, isOfCells: false)
    case .network(let distribution):
      let sample = errors.sample(settling ?? distribution, at: time)
      let fix = Fix(
        time: time, coordinate: frame.place(at: sample.error), horizontalAccuracy: sample.accuracy)
      return Measurement(fix: fix, isOfCells: false)
    case .cells(let distribution):
      let sample = cellErrors.sample(distribution, at: time)
      let scale = environment.cells.scale
      let error = Offset(east: sample.error.east * scale, north: sample.error.north * scale)
      let fix = Fix(
        time: time, coordinate: frame.place(at: error), horizontalAccuracy: sample.accuracy * scale)
      return Measurement(fix: fix, isOfCells: true)
    }
  }
}
