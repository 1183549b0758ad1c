internal import CMath

/// The normal distribution with mean 0 and variance 1.
package enum NormalDistribution {
  /// The probability of a number below `score`.
  package static func probability(below score: Double) -> Double { 0.5 * erfc(-score * 0.5.squareRoot()) }

  /// The number below which a normal number lies with a probability; probabilities within 1e-300 of 0 or 1
  /// are moved there.
  ///
  /// M. J. Wichura, *Algorithm AS 241: The Percentage Points of the Normal Distribution*, Appl. Statist. 37,
  /// 1988, the routine PPND16: relative error below 1e-15.
  package static func score(at probability: Double) -> Double {
    let q = probability - 0.5
    if abs(q) <= 0.425 {
      let r = 0.180625 - q * q
      return q * ratio(r, center, centerBelow)
    }
    let tail = max(q < 0 ? probability : 1 - probability, 1e-300)
    let r = (-log(tail)).squareRoot()
    let value = r <= 5 ? ratio(r - 1.6, middle, middleBelow) : ratio(r - 5, far, farBelow)
    return q < 0 ? -value : value
  }

  private typealias Terms = SIMD8<Double>

  private static func ratio(_ r: Double, _ above: Terms, _ below: Terms) -> Double {
    polynomial(r, above) / polynomial(r, below)
  }

  private static func polynomial(_ r: Double, _ c: Terms) -> Double {
    let high = ((c[7] * r + c[6]) * r + c[5]) * r + c[4]
    return (((high * r + c[3]) * r + c[2]) * r + c[1]) * r + c[0]
  }

  // The published coefficients, from the constant term on.
  private static let center: Terms = Terms(
    3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
    45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727)
  private static let centerBelow: Terms = Terms(
    1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
    39307.89580009271061, 28729.085735721942674, 5226.495278852854561)
  private static let middle: Terms = Terms(
    1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
    1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4)
  private static let middleBelow: Terms = Terms(
    1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
    0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9)
  private static let far: Terms = Terms(
    6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
    0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7)
  private static let farBelow: Terms = Terms(
    1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
    1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15)
}
