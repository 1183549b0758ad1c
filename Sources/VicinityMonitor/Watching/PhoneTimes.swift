internal import CMath

/// What a strategy has to know of a phone: how long its positions and the exits of its regions take.
///
/// The delay of a sentinel's exit, from the crossing of its border, is taken to be log-logistic, with the
/// survival S(x) = 1 / (1 + (x / m)^β), where m is the median, and β = ln 19 / ln (l / m) with l that 19 of
/// 20 do not exceed (N. L. Johnson, S. Kotz, N. Balakrishnan, *Continuous Univariate Distributions*, volume
/// 2, 2nd edition, 1995, chapter 23).
public struct PhoneTimes: Hashable, Sendable {
  /// Within how many seconds 19 of 20 positions of best accuracy come after they were requested.
  public let position: Double
  /// Half of a sentinel's exits come later than this, seconds.
  public let medianExit: Double
  /// One of 20 exits comes later than this, seconds.
  public let lateExit: Double

  /// - Parameters:
  ///   - position: From a second to an hour, as the median; what lies beyond counts as these.
  ///   - medianExit: From a second to an hour; what lies beyond counts as these.
  ///   - lateExit: Longer than the median by a hundredth at least.
  public init(position: Double, medianExit: Double, lateExit: Double) {
    self.position = min(max(1, position), 3600)
    self.medianExit = min(max(1, medianExit), 3600)
    self.lateExit = min(max(1.01 * self.medianExit, lateExit), 86_400)
  }

  /// Of a phone that nothing is known of. Positions: of simulated phones in motion, an iPhone 6 and a modern
  /// one, 95 % came within 5.1 and 5.2 s, where satellites had been found within two hours. Exits: of iPhones
  /// half were told within 85 s on some outings (16 exits) and within 119 s on others (39 exits), and 95 % of
  /// the 16 within 161 s (MobilityNet's references, `Data/devices`); here 100 and 240 s, because phones
  /// differ by more.
  public static let usual = PhoneTimes(position: 5, medianExit: 100, lateExit: 240)

  /// One of 20 exits of one phone comes later than this many times that phone's median: 161 s and 85 s of
  /// iPhones (MobilityNet's references, `Data/devices`).
  private static let ownSpread = 161.0 / 85

  /// The phone as it is known after some of its exits.
  ///
  /// The logarithm of an exit's delay is taken to be spread around the phone's own as `ownSpread` says, and
  /// the phone's own around ``medianExit`` by what remains to ``lateExit``. Both as normal, the mean of n
  /// delays takes the share nB/(W + nB) of the new median, with the variances W of one phone's delays and B
  /// between phones, and what is not known of the phone falls to B·W/(W + nB) (A. Gelman and others,
  /// *Bayesian Data Analysis*, 3rd edition, 2013, section 2.5).
  ///
  /// - Parameters:
  ///   - exits: How many were seen.
  ///   - meanExit: The geometric mean of their delays, seconds.
  public func after(exits: Int, meanExit: Double) -> PhoneTimes {
    guard exits > 0, meanExit > 0 else { return self }
    let whole = log(lateExit / medianExit)
    let own = min(whole, log(Self.ownSpread))
    let (within, between) = (own * own, whole * whole - own * own)
    let share = Double(exits) * between / (within + Double(exits) * between)
    let median = medianExit * pow(meanExit / medianExit, share)
    return PhoneTimes(
      position: position, medianExit: median,
      lateExit: median * exp((within + between * (1 - share)).squareRoot()))
  }

  /// How probable it is that a sentinel's exit comes later than this, 0 to 1.
  ///
  /// - Parameter delay: Seconds; 1 where it is not positive.
  public func probabilityOfExit(laterThan delay: Double) -> Double {
    guard delay > 0 else { return 1 }
    return 1 / (1 + pow(delay / medianExit, log(19) / log(lateExit / medianExit)))
  }
}
