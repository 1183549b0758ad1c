internal import VicinityCrossings
internal import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The errors of a run of positions, and what they say of themselves.
///
/// Three independent processes of variance 1 that are critically damped: each is a number and the speed at which it drifts, so
/// that errors wander and do not jump, as those of a receiver that filters what it measures; the autocorrelation is
/// (1 + λΔt) exp(-λΔt) (the Matérn class with ν = 3/2: C. E. Rasmussen, C. K. I. Williams, *Gaussian Processes for Machine
/// Learning*, 2006, 4.2.1 and B.2), with λτ = 2.146 so that it is 1/e after τ. Exact at the times asked for, however far apart:
/// with d = λΔt, x and w = speed/λ go on as exp(-d) [(1 + d) x + d w] and exp(-d) [(1 - d) w - d x] and new normal numbers that
/// leave their variances 1. To the first two a share that is new each time may be added. Two are the error's components before they
/// are stretched to their distribution (``PositionModel``); the third is what the reported accuracy has apart from the error: its
/// normal score is `association`
/// times the score of the error's length and √(1 - association²) times the third, a Gaussian copula (R. B. Nelsen, *An
/// Introduction to Copulas*, 2nd edition, 2006, 2.3.5), so that it, too, lasts.
///
/// To the stretched error a normal vector of the same kind may be added that lasts less long (``ScatterModel``).
///
/// One process serves several distributions, one at a time: under another roof the same error is stretched otherwise.
struct ErrorProcess {
  /// An error and the accuracy reported with it.
  struct Sample: Hashable {
    var error: Offset
    var accuracy: Meters
  }

  private var random: RandomStream
  private var eastwards = Drift()
  private var northwards = Drift()
  private var other = Drift()
  /// What is new in the error's components.
  private var jitter = (east: 0.0, north: 0.0)
  /// What is added to the error, in its deviation, and how large that is in its distribution; nil until that is wanted.
  private var scatter: (east: Drift, north: Drift, rank: Double)?
  private var last: Timestamp?

  init(_ random: RandomStream) { self.random = random }

  /// The error at a time; one that lies before the last is taken to be that.
  ///
  /// - Complexity: O(log quantiles)
  mutating func sample(_ distribution: PositionDistribution, at time: Timestamp) -> Sample {
    advance(to: time, distribution)
    let east = distribution.lasting * eastwards.value + distribution.fresh * jitter.east
    let north = distribution.lasting * northwards.value + distribution.fresh * jitter.north
    let square = east * east + north * north
    let above = exp(-square / 2)
    let length = distribution.error.value(at: 1 - above)
    let stretch = square > 0 ? length / square.squareRoot() : 0
    var score = other.value
    if distribution.association > 0 {
      // From the nearer end, so that neither loses digits.
      let known =
        above < 0.5 ? -NormalDistribution.score(at: above) : NormalDistribution.score(at: 1 - above)
      score = distribution.association * known + distribution.remainder * other.value
    }
    var error = Offset(east: east * stretch, north: north * stretch)
    if let model = distribution.scatter, let scatter {
      let deviation = model.deviation.value(at: scatter.rank)
      error.east += deviation * scatter.east.value
      error.north += deviation * scatter.north.value
    }
    return Sample(
      error: error,
      accuracy: distribution.reported.value(at: NormalDistribution.probability(below: score)))
  }

  private mutating func advance(to time: Timestamp, _ distribution: PositionDistribution) {
    guard let last else {
      self.last = time
      eastwards = Drift(value: random.normal(), speed: random.normal())
      northwards = Drift(value: random.normal(), speed: random.normal())
      other = Drift(value: random.normal(), speed: random.normal())
      jitter = (random.normal(), random.normal())
      if distribution.scatter != nil { startScatter() }
      return
    }
    guard time > last else { return }
    self.last = time
    let seconds = time.seconds(since: last)
    let step = Drift.Step(
      seconds * Drift.decay / max(distribution.correlationTime, .leastNormalMagnitude))
    eastwards.advance(step, &random)
    northwards.advance(step, &random)
    other.advance(step, &random)
    if distribution.fresh > 0 { jitter = (random.normal(), random.normal()) }
    guard let model = distribution.scatter else { return }
    guard var scatter else { return startScatter() }
    let scatterStep = Drift.Step(seconds * Drift.decay / max(model.time, .leastNormalMagnitude))
    scatter.east.advance(scatterStep, &random)
    scatter.north.advance(scatterStep, &random)
    self.scatter = scatter
  }

  private mutating func startScatter() {
    scatter = (
      Drift(value: random.normal(), speed: random.normal()),
      Drift(value: random.normal(), speed: random.normal()), random.unit()
    )
  }
}

/// A critically damped process of variance 1: where it is, and its speed in units of λ.
package struct Drift {
  /// λτ where the autocorrelation (1 + λτ) exp(-λτ) is 1/e.
  static let decay = 2.146193220620583

  var value = 0.0
  var speed = 0.0

  /// What is left of the correlation after a time, in units of that after which it is 1/e.
  package static func correlation(_ time: Double) -> Double { (1 + decay * time) * exp(-decay * time) }

  /// What happens to it in a time, λΔt.
  struct Step {
    private static let shortest = 0.01

    let kept: Double
    let length: Double
    /// The new numbers' Cholesky factor.
    let first: Double
    let both: Double
    let second: Double

    init(_ length: Double) {
      // Beyond this nothing is left of what was.
      let d = min(length, 700)
      self.length = d
      kept = exp(-d)
      let square = kept * kept
      // 1 - exp(-2d) (1 + 2d + 2d²), for short steps by what is left of the exponential's series.
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
