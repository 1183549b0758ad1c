internal import CMath
internal import VicinityGeodesy

/// A Gaussian process of variance 1 that is critically damped: the Matérn class with ν = 3/2 (C. E.
/// Rasmussen, C. K. I. Williams, *Gaussian Processes for Machine Learning*, 2006, 4.2.1 and B.2).
///
/// Its state is a value and a speed, so that it wanders without jumps, as the error of a receiver that
/// filters its measurements. The autocorrelation is (1 + λΔt) exp(-λΔt), with λτ = 2.146 so that it is 1/e
/// after τ. Steps are exact for any Δt: with d = λΔt, the value x and the speed w (in units of λ) become
/// exp(-d) [(1 + d) x + d w] and exp(-d) [(1 - d) w - d x] plus new normal numbers that keep the variances
/// at 1.
package struct MaternProcess {
  /// λτ for which (1 + λτ) exp(-λτ) is 1/e.
  static let decay = 2.146193220620583

  var value = 0.0
  var speed = 0.0

  /// The correlation after a time, given in units of the time after which it is 1/e.
  package static func correlation(_ time: Double) -> Double { (1 + decay * time) * exp(-decay * time) }

  /// The constants of a step of length λΔt.
  struct Step {
    private static let shortest = 0.01

    let kept: Double
    let length: Double
    /// The Cholesky factor of the new numbers' covariance.
    let first: Double
    let both: Double
    let second: Double

    init(_ length: Double) {
      // Beyond this nothing of the old state is left.
      let d = min(length, 700)
      self.length = d
      kept = exp(-d)
      let square = kept * kept
      // 1 - exp(-2d) (1 + 2d + 2d²); for short steps the remainder of the exponential's series.
      let variance =
        d < Self.shortest
        ? square * (4 * d * d * d / 3) * (1 + d / 2 * (1 + 2 * d / 5 * (1 + d / 3)))
        : 1 - square * (1 + 2 * d + 2 * d * d)
      let covariance = 2 * d * d * square
      let other = -expm1(-2 * d) + square * (2 * d - 2 * d * d)
      first = max(0, variance).squareRoot()
      both = first > 0 ? covariance / first : 0
      second = max(0, other - both * both).squareRoot()
    }
  }

  mutating func advance(_ step: Step, _ random: inout RandomStream) {
    let (a, b) = (random.normal(), random.normal())
    let next = step.kept * ((1 + step.length) * value + step.length * speed) + step.first * a
    speed = step.kept * ((1 - step.length) * speed - step.length * value) + step.both * a + step.second * b
    value = next
  }
}
