internal import VicinityGeodesy
internal import VicinityMonitor

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The errors of a run of positions, and what they say of themselves.
///
/// Three independent Ornstein–Uhlenbeck processes of variance 1, exact at the times asked for, however far apart: with
/// ρ = exp(-Δt/τ) each goes on as ρ times itself and √(1 - ρ²) times a new normal number (D. T. Gillespie, Phys. Rev. E 54,
/// 1996). Two are the error's components before they are stretched to their distribution (``PositionModel``); the third is
/// what the reported accuracy has apart from the error: its normal score is `association` times the score of the error's
/// length and √(1 - association²) times the third, a Gaussian copula (R. B. Nelsen, *An Introduction to Copulas*, 2nd edition,
/// 2006, 2.3.5), so that it, too, lasts.
///
/// One process serves several distributions, one at a time: under another roof the same error is stretched otherwise.
struct ErrorProcess {
  /// An error and the accuracy reported with it.
  struct Sample: Hashable {
    var error: Offset
    var accuracy: Meters
  }

  private var random: RandomStream
  private var east = 0.0
  private var north = 0.0
  private var other = 0.0
  private var last: Timestamp?

  init(_ random: RandomStream) { self.random = random }

  /// The error at a time; one that lies before the last is taken to be that.
  ///
  /// - Complexity: O(log quantiles)
  mutating func sample(_ distribution: PositionDistribution, at time: Timestamp) -> Sample {
    advance(to: time, correlationTime: distribution.correlationTime)
    let square = east * east + north * north
    let above = exp(-square / 2)
    let length = distribution.error.value(at: 1 - above)
    let stretch = square > 0 ? length / square.squareRoot() : 0
    var score = other
    if distribution.association > 0 {
      // From the nearer end, so that neither loses digits.
      let known =
        above < 0.5 ? -NormalDistribution.score(at: above) : NormalDistribution.score(at: 1 - above)
      score = distribution.association * known + distribution.remainder * other
    }
    return Sample(
      error: Offset(east: east * stretch, north: north * stretch),
      accuracy: distribution.reported.value(at: NormalDistribution.probability(below: score)))
  }

  private mutating func advance(to time: Timestamp, correlationTime: Double) {
    guard let last else {
      self.last = time
      (east, north, other) = (random.normal(), random.normal(), random.normal())
      return
    }
    guard time > last else { return }
    self.last = time
    let exponent = -time.seconds(since: last) / max(correlationTime, .leastNormalMagnitude)
    let kept = exp(exponent)
    let fresh = (-expm1(2 * exponent)).squareRoot()
    east = kept * east + fresh * random.normal()
    north = kept * north + fresh * random.normal()
    other = kept * other + fresh * random.normal()
  }
}
