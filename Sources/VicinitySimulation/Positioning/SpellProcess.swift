internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy

/// Whether a phone has fallen back to cells: a two-state Markov chain in continuous time, exact at the
/// requested times.
///
/// With a share p of the time in spells of mean duration d, spells begin at the rate p / (d (1 - p)) and end
/// at 1/d. Knowledge of the state fades as exp(-Δt / (d (1 - p))) (W. Feller, *An Introduction to Probability
/// Theory and Its Applications*, volume I, 3rd edition, 1968, XVII.5).
struct SpellProcess {
  private var random: RandomStream
  private var isIn = false
  private var last: Timestamp?

  init(_ random: RandomStream) { self.random = random }

  /// Whether a time lies in a spell; a time before the last one counts as the last one.
  ///
  /// - Parameters:
  ///   - share: The share of the time in spells, 0 ..< 1.
  ///   - duration: The mean duration of a spell, seconds.
  mutating func isInSpell(share: Double, duration: Double, at time: Timestamp) -> Bool {
    if let last, time <= last { return isIn }
    var probability = share
    if let last {
      let fade = exp(-time.seconds(since: last) / max(duration * (1 - share), .leastNormalMagnitude))
      probability += ((isIn ? 1 : 0) - share) * fade
    }
    last = time
    isIn = random.unit() < probability
    return isIn
  }
}
