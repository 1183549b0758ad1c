internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy

/// The error of successive positions, and the accuracy that they report.
///
/// It consists of three independent ``MaternProcess``es. Two are the components of the error before they are
/// stretched to its distribution (``PositionModel``); to these a share that is new at each time (jitter) may
/// be added. The third is the part of the reported accuracy that does not depend on the error: the normal
/// score of the accuracy is `association` times the score of the error's length plus √(1 - association²)
/// times the third process, a Gaussian copula (R. B. Nelsen, *An Introduction to Copulas*, 2nd edition,
/// 2006, 2.3.5). So the reported accuracy persists as well.
///
/// A second, faster normal vector may be added to the stretched error (``ScatterModel``).
///
/// One process serves several distributions, one at a time: after a change of surroundings the same error is
/// stretched to another distribution.
struct ErrorProcess {
  struct Sample: Hashable {
    var error: Offset
    var accuracy: Meters
  }

  private var random: RandomStream
  private var eastwards = MaternProcess()
  private var northwards = MaternProcess()
  private var other = MaternProcess()
  /// The new part of the error's components.
  private var jitter = (east: 0.0, north: 0.0)
  /// The added scatter in standard deviations, and the rank of its deviation within its distribution; nil
  /// until it is needed.
  private var scatter: (east: MaternProcess, north: MaternProcess, rank: Double)?
  private var last: Timestamp?

  init(_ random: RandomStream) { self.random = random }

  /// The error at a time; a time before the last one counts as the last one.
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
      // From the nearer end of the distribution, so that no digits are lost.
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
      eastwards = MaternProcess(value: random.normal(), speed: random.normal())
      northwards = MaternProcess(value: random.normal(), speed: random.normal())
      other = MaternProcess(value: random.normal(), speed: random.normal())
      jitter = (random.normal(), random.normal())
      if distribution.scatter != nil { startScatter() }
      return
    }
    guard time > last else { return }
    self.last = time
    let seconds = time.seconds(since: last)
    let step = MaternProcess.Step(
      seconds * MaternProcess.decay / max(distribution.correlationTime, .leastNormalMagnitude))
    eastwards.advance(step, &random)
    northwards.advance(step, &random)
    other.advance(step, &random)
    if distribution.fresh > 0 { jitter = (random.normal(), random.normal()) }
    guard let model = distribution.scatter else { return }
    guard var scatter else { return startScatter() }
    let scatterStep = MaternProcess.Step(
      seconds * MaternProcess.decay / max(model.time, .leastNormalMagnitude))
    scatter.east.advance(scatterStep, &random)
    scatter.north.advance(scatterStep, &random)
    self.scatter = scatter
  }

  private mutating func startScatter() {
    scatter = (
      MaternProcess(value: random.normal(), speed: random.normal()),
      MaternProcess(value: random.normal(), speed: random.normal()), random.unit()
    )
  }
}
