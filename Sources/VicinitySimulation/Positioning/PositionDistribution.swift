/// A ``PositionModel`` prepared for drawing. A class, so that passing it on costs nothing.
final class PositionDistribution: Sendable {
  let error: Quantiles
  let reported: Quantiles
  let correlationTime: Double
  /// The persistent and the new part of the error's components, as standard deviations.
  let lasting: Double
  let fresh: Double
  /// The added scatter: the standard deviation of each component, metres, and its correlation time, seconds.
  let scatter: (deviation: Quantiles, time: Double)?
  /// The correlation of the normal scores, 0...1.
  let association: Double
  /// The standard deviation of the part of the accuracy's score that does not depend on the error.
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
