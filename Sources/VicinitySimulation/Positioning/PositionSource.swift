internal import VicinityCrossings
internal import VicinityGeodesy

/// The measured positions of one service: persistent errors from random processes of its own, so that its
/// requests do not change the errors of other services.
struct PositionSource {
  struct Measurement {
    var fix: Fix
    /// Whether the position rests on cells alone.
    var isFromCells: Bool
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

  /// Measures a position; nil where none is available.
  ///
  /// Speed and course are the true ones while satellites are tracked, and unknown otherwise. The course of a
  /// phone at rest is unknown.
  ///
  /// - Parameters:
  ///   - truth: The true state of the phone; its time must not decrease from call to call.
  ///   - isTracking: Whether the receiver has found its satellites.
  ///   - settling: The distribution of network positions in the first seconds, instead of the usual one.
  /// - Complexity: O(log quantiles), whatever the time since the last call.
  mutating func measure(
    _ truth: TrueState, at time: Timestamp, by positions: TierPositions, in surroundings: PhoneSurroundings,
    isTracking: Bool, settling: PositionDistribution? = nil
  ) -> Measurement? {
    guard
      var method = positions.method(in: surroundings, isStill: truth.isStill, isTracking: isTracking)
    else { return nil }
    if let (share, duration) = positions.spells(in: surroundings), !truth.isStill,
      spells.isInSpell(share: share, duration: duration, at: time)
    {
      guard let fallback = positions.fallback(in: surroundings) else { return nil }
      method = fallback
    }
    let sample: ErrorProcess.Sample
    var (scale, speed, course) = (1.0, -1.0, -1.0)
    switch method {
    case .satellites(let distribution):
      sample = errors.sample(distribution, at: time)
      speed = truth.speed
      if speed > 0 { course = truth.course }
    case .network(let distribution): sample = errors.sample(settling ?? distribution, at: time)
    case .cells(let distribution):
      sample = cellErrors.sample(distribution, at: time)
      scale = surroundings.cells.scale
    }
    let error = Offset(east: sample.error.east * scale, north: sample.error.north * scale)
    let fix = Fix(
      time: time, coordinate: LocalFrame(truth.position).coordinate(at: error),
      horizontalAccuracy: sample.accuracy * scale, speed: speed, course: course)
    return Measurement(fix: fix, isFromCells: method.isCells)
  }
}
