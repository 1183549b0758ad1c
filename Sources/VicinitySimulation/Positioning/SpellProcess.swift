internal import VicinityCrossings
internal import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Whether a phone has fallen back to cells: a Markov chain of two states in continuous time, exact at the times asked for.
///
/// With the share p of the time in spells of mean duration d, spells begin at the rate p / (d (1 - p)) and end at 1/d, and what
/// is known of the state fades as exp(-Δt / (d (1 - p))) (W. Feller, *An Introduction to Probability Theory and Its
/// Applications*, volume I, 3rd edition, 1968, XVII.5).
struct SpellProcess {
  private var random: RandomStream
  private var isIn = false
  private var last: Timestamp?

  init(_ random: RandomStream) { self.random = random }

  /// Whether there is a spell at a time; one that lies before the last is taken to be that.
  ///
  /// - Parameters:
  ///   - share: 0 ..< 1.
  ///   - duration: Seconds, on average.
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
