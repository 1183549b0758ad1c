/// The errors of positions: how large they are, what accuracy is reported with them, and how long they
/// persist.
///
/// The two components of an error are critically damped processes, which wander without jumps (Matérn, ν =
/// 3/2). They are stretched along the radius so that the length has the given distribution: for standard
/// normal x and y, 1 - exp(-(x² + y²)/2) is uniform. So the error has no preferred direction, its length has
/// any given distribution, and its components before stretching have the autocorrelation (1 + d) exp(-d), d
/// = 2.146 Δt/``correlationTime``.
public struct PositionModel: Hashable, Sendable, Codable {
  /// The length of the error, metres; without the scatter, if there is any.
  public var error: Quantiles
  /// The horizontal accuracy that fixes report, metres.
  public var reported: Quantiles
  /// The time after which the correlation of the error's components is 1/e, seconds.
  public var correlationTime: Figure
  /// How well the reported accuracy reflects the error: the correlation of the normal scores of both, 0...1.
  public var association: Figure
  /// The share of the components' variance that is new with each position, 0...1, as when each scan hears
  /// other networks; nil for none.
  public var jitter: Figure?
  /// A faster error that is added; nil for none.
  public var scatter: ScatterModel?

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

/// A normal vector without preferred direction that is added to a persistent error and wanders faster, as
/// when each scan of a phone at rest hears slightly different networks. Its size differs from one phone and
/// night to the next: it is drawn once for each service of a run.
public struct ScatterModel: Hashable, Sendable, Codable {
  /// The standard deviation of each component, metres.
  public var deviation: Quantiles
  /// The time after which the correlation of the components is 1/e, seconds.
  public var correlationTime: Figure

  public init(deviation: Quantiles, correlationTime: Figure) {
    self.deviation = deviation
    self.correlationTime = correlationTime
  }
}

/// Spells in which a phone falls back to cell positions.
public struct FallbackModel: Hashable, Sendable, Codable {
  /// The share of the time in spells, 0 ..< 1.
  public var share: Figure
  /// The mean duration of a spell, seconds; durations are exponential.
  public var duration: Figure
  /// The positions during a spell.
  public var positions: PositionModel

  public init(share: Figure, duration: Figure, positions: PositionModel) {
    self.share = share
    self.duration = duration
    self.positions = positions
  }
}

/// The positions of a moving phone on one way: on foot, on a road, on rails.
public struct WayModel: Hashable, Sendable, Codable {
  public var positions: PositionModel
  /// Spells of cell positions; nil for none.
  public var fallback: FallbackModel?

  public init(positions: PositionModel, fallback: FallbackModel? = nil) {
    self.positions = positions
    self.fallback = fallback
  }
}

/// How positions under a roof improve in the first seconds after the service was switched on.
///
/// During that time a phone at rest delivers each position that reports a better accuracy than the last one,
/// whatever the distance filter. Of 27 such fixes behind a filter of 30 m, measured on iPhones, 14 were
/// nearer than 30 m to the one before.
public struct SettlingModel: Hashable, Sendable, Codable {
  /// The positions up to a time.
  public struct Stage: Hashable, Sendable, Codable {
    /// The end of the stage, seconds after the service was switched on.
    public var until: Figure
    public var positions: PositionModel

    public init(until: Figure, positions: PositionModel) {
      self.until = until
      self.positions = positions
    }
  }

  /// The stages, ordered by time.
  public var stages: [Stage]
  /// The time between fixes until positions have settled, seconds.
  public var interval: Quantiles

  public init(stages: [Stage], interval: Quantiles) {
    self.stages = stages
    self.interval = interval
  }
}

/// How a phone works with one desired accuracy.
public struct TierProfile: Hashable, Sendable, Codable {
  /// Positions outdoors while the phone moves.
  public var moving: PositionModel
  /// Positions outdoors of a phone at rest; nil for those while it moves.
  public var still: PositionModel?
  /// Positions under the roof where they were measured; nil for those outdoors. Under other roofs errors are
  /// at least those outdoors, up to the 90 % quantile: beyond it are positions that rails and tunnels cause.
  public var indoors: PositionModel?
  /// Positions in the first seconds under a roof; nil for the usual ones.
  public var settling: SettlingModel?
  /// Spells of cell positions while the phone moves; nil for none.
  public var fallback: FallbackModel?
  /// Positions outdoors while the phone moves, where they differ by the way; nil, or a way that is missing,
  /// for ``moving`` and ``fallback``.
  public var ways: [TravelMode: WayModel]?

  /// The time between fixes while the phone moves, without a distance filter, seconds.
  public var interval: Quantiles
  /// The time from the measurement of a fix to its delivery, seconds.
  public var delay: Quantiles
  /// How many fixes an hour a phone at rest delivers on average through a distance filter of a metre, because
  /// its errors wander.
  public var strayFixes: Figure
  /// The gaps between these fixes in units of their mean: bursts and silence; nil for exponential gaps.
  public var strayGaps: Quantiles?

  /// The power of the satellite receiver while the tier is on, milliwatts above idle, as for the next three.
  public var gnss: Figure
  /// The power of the Wi-Fi radio.
  public var wifi: Figure
  /// The power of the cell modem.
  public var cell: Figure
  public var processor: Figure
  /// Additional power while the phone moves, milliwatts: more fixes to compute, changes of cells, new
  /// networks.
  public var motion: Figure
  /// The energy of a delivered fix, millijoules: the processor is woken and the app called.
  public var fix: Figure

  /// Whether the tier uses satellites, and so needs a first fix.
  package var usesSatellites: Bool { gnss.value > 0 }
}
