internal import VicinityGeodesy

/// A ``PositionModel``, ready to be drawn from: shared, so that handing it about costs nothing.
final class PositionDistribution: Sendable {
  let error: Quantiles
  let reported: Quantiles
  /// Seconds.
  let correlationTime: Double
  /// What lasts of the error's components, and what is new with each position, as standard deviations.
  let lasting: Double
  let fresh: Double
  /// What is added: the standard deviation of each component, metres, and how long it lasts, seconds; none is nil.
  let scatter: (deviation: Quantiles, time: Double)?
  /// The normal scores' correlation, 0...1.
  let association: Double
  /// What is left of the scores' variance for the reported accuracy alone, as a standard deviation.
  let remainder: Double

  init(_ model: PositionModel) {
    error = model.error
    reported = model.reported
    correlationTime = model.correlationTime.value
    let jitter = max(0, min(1, model.jitter?.value ?? 0))
    scatter = model.scatter.map { ($0.deviation, $0.correlationTime.value) }
    (lasting, fresh) = ((1 - jitter).squareRoot(), jitter.squareRoot())
    association = max(0, min(1, model.association.value))
    remainder = (1 - association * association).squareRoot()
  }
}
