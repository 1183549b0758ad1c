/// How far off positions are, how far off they say they are, and how long an error lasts.
///
/// The error's two components are those of a critically damped process, which wanders and does not jump (Matérn's, with
/// ν = 3/2), stretched along the radius so that its length has the stated distribution: with x and y standard normal,
/// 1 - exp(-(x² + y²)/2) is uniform. The error so has no preferred direction, any marginal distribution of its length, and
/// the correlation (1 + d) exp(-d), d = 2.146 Δt/``correlationTime``, of the underlying components.
public struct PositionModel: Hashable, Sendable, Codable {
  /// The length of the error, metres; where there is scatter, of what lasts of it.
  public var error: Quantiles
  /// The horizontal accuracy that fixes report, metres.
  public var reported: Quantiles
  /// After how many seconds an error's components are correlated to 1/e.
  public var correlationTime: Figure
  /// How well the reported accuracy knows the error: the correlation, 0...1, of the normal scores of both.
  public var association: Figure
  /// The share of the components' variance, 0...1, that is new with each position, as where other networks are heard each time;
  /// none, if nil.
  public var jitter: Figure?
  /// What is added to the error; nothing, if nil.
  public var scatter: ScatterModel?

  /// A model.
  public init(
    error: Quantiles, reported: Quantiles, correlationTime: Figure, association: Figure,
    jitter: Figure? = nil, scatter: ScatterModel? = nil
  ) {
    self.error = error
    self.reported = reported
    self.correlationTime = correlationTime
    self.association = association
    self.jitter = jitter
    self.scatter = scatter
  }
}

/// What comes on top of an error that lasts: a normal vector without preferred direction, which wanders as the error does, but
/// faster, as where a phone that lies hears somewhat other networks at each look. How much differs from one phone and night to
/// the next: it is drawn once for each service of a run.
public struct ScatterModel: Hashable, Sendable, Codable {
  /// The standard deviation of each of its two components, metres.
  public var deviation: Quantiles
  /// After how many seconds the components are correlated to 1/e.
  public var correlationTime: Figure

  /// A model.
  public init(deviation: Quantiles, correlationTime: Figure) {
    self.deviation = deviation
    self.correlationTime = correlationTime
  }
}

/// Spells in which a phone falls back to cells, and its positions with it.
public struct FallbackModel: Hashable, Sendable, Codable {
  /// The share of the time that is spent in them, 0 ..< 1.
  public var share: Figure
  /// How long one lasts on average, seconds; durations are exponential.
  public var duration: Figure
  /// The positions in them.
  public var positions: PositionModel

  /// A model.
  public init(share: Figure, duration: Figure, positions: PositionModel) {
    self.share = share
    self.duration = duration
    self.positions = positions
  }
}

/// How positions under a roof come and get better in the first seconds after the service was switched on.
///
/// Meanwhile a phone at rest delivers one after another, each that says it is better than the last whatever the distance filter:
/// of 20 such fixes behind a filter of 30 m, measured on iPhones, 9 were nearer to the one before than that.
public struct SettlingModel: Hashable, Sendable, Codable {
  /// Positions up to some time.
  public struct Stage: Hashable, Sendable, Codable {
    /// Seconds after the service was switched on.
    public var until: Figure
    /// The positions.
    public var positions: PositionModel

    /// A stage.
    public init(until: Figure, positions: PositionModel) {
      self.until = until
      self.positions = positions
    }
  }

  /// The stages, by time.
  public var stages: [Stage]
  /// Seconds between fixes meanwhile.
  public var interval: Quantiles

  /// A model.
  public init(stages: [Stage], interval: Quantiles) {
    self.stages = stages
    self.interval = interval
  }
}

/// How a phone behaves when it is asked for a tier.
public struct TierProfile: Hashable, Sendable, Codable {
  /// Positions outdoors, on the move.
  public var moving: PositionModel
  /// Positions of a phone that stands; as when moving, if nil.
  public var still: PositionModel?
  /// Positions under a roof; as outdoors, if nil.
  public var indoors: PositionModel?
  /// The first seconds under a roof; as later on, if nil.
  public var settling: SettlingModel?
  /// Spells of cell positions on the move; none, if nil.
  public var fallback: FallbackModel?

  /// Seconds between fixes on the move without a distance filter.
  public var interval: Quantiles
  /// Seconds between the time of a fix and its delivery.
  public var delay: Quantiles
  /// Fixes an hour, in the long run, that a standing phone delivers against expectation through a distance filter of a metre:
  /// its errors wander.
  public var strayFixes: Figure
  /// The gaps between them, in units of their mean: bursts and silence; exponential, if nil.
  public var strayGaps: Quantiles?

  /// Milliwatts above idle of the satellite receiver, the Wi-Fi radio and the cell modem while the tier is on.
  public var gnss: Figure
  /// Milliwatts of the Wi-Fi radio.
  public var wifi: Figure
  /// Milliwatts of the cell modem.
  public var cell: Figure
  /// Milliwatts of the processor while the tier is on.
  public var processor: Figure
  /// Milliwatts more while the phone moves: more fixes to compute, cells to change, networks to hear.
  public var motion: Figure
  /// Millijoules of each fix delivered: the processor woken, the app's callback begun.
  public var fix: Figure

  /// Whether the tier listens to satellites: it then has a time to first fix.
  public var usesSatellites: Bool { gnss.value > 0 }
}
