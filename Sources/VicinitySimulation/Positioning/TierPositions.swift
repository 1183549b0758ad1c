internal import VicinityMonitor

/// Where a tier's positions come from in each environment.
///
/// - Satellites are heard outdoors, also in airplane mode, once they are found. Before, and indoors, a phone that was to use
///   them makes do with Wi-Fi: indoors with the tier's own positions there, outdoors with those of
///   ``DesiredAccuracy/hundredMeters``.
/// - A tier that listens to Wi-Fi has nothing but cells where there is none: the positions of its spells of fallback, else those
///   of the significant-change service.
/// - A tier that listens to neither takes whichever of cells and Wi-Fi there is.
/// - Without any of them there is no position.
final class TierPositions: Sendable {
  /// The way to a position.
  enum Method {
    case satellites(PositionDistribution)
    case network(PositionDistribution)
    case cells(PositionDistribution)
  }

  let usesSatellites: Bool
  private let usesWiFi: Bool
  private let usesOnlyCells: Bool
  private let moving: PositionDistribution
  private let still: PositionDistribution
  private let indoors: PositionDistribution?
  private let seeking: PositionDistribution
  private let cells: PositionDistribution
  /// The stages of the first seconds under a roof, by their ends, seconds.
  private let settling: [(until: Double, positions: PositionDistribution)]
  /// The spells' share of the time and their mean duration, seconds.
  let spells: (share: Double, duration: Double)?

  init(_ tier: TierProfile, of profile: DeviceProfile) {
    usesSatellites = tier.usesSatellites
    usesWiFi = tier.wifi.value > 0 || usesSatellites
    usesOnlyCells = false
    moving = PositionDistribution(tier.moving)
    still = tier.still.map(PositionDistribution.init) ?? moving
    indoors = tier.indoors.map(PositionDistribution.init)
    seeking = profile.tier(.hundredMeters).map { PositionDistribution($0.moving) } ?? moving
    let fallback = tier.fallback ?? profile.tier(.hundredMeters)?.fallback
    cells = PositionDistribution(fallback?.positions ?? profile.significantChange.positions)
    settling =
      tier.settling?.stages.map { ($0.until.value, PositionDistribution($0.positions)) }
      .sorted { $0.until < $1.until } ?? []
    spells = tier.fallback.map { ($0.share.value, $0.duration.value) }
  }

  /// A service's own positions, which are of Wi-Fi where there is any and of cells otherwise.
  init(_ positions: PositionModel, of profile: DeviceProfile) {
    usesSatellites = false
    usesWiFi = true
    usesOnlyCells = false
    moving = PositionDistribution(positions)
    still = moving
    indoors = nil
    seeking = moving
    let fallback = profile.tier(.hundredMeters)?.fallback
    cells = PositionDistribution(fallback?.positions ?? profile.significantChange.positions)
    settling = []
    spells = nil
  }

  /// A service's own positions, which are of cells and of nothing else.
  init(ofCells positions: PositionModel) {
    usesSatellites = false
    usesWiFi = false
    usesOnlyCells = true
    moving = PositionDistribution(positions)
    still = moving
    indoors = nil
    seeking = moving
    cells = moving
    settling = []
    spells = nil
  }

  /// How a position is come by, spells apart; nil where it is not.
  ///
  /// - Parameter isTracking: Whether the receiver has found its satellites.
  func method(in environment: Environment, isStill: Bool, isTracking: Bool) -> Method? {
    if usesOnlyCells { return fallback(in: environment) }
    let outdoors = isStill ? still : moving
    if usesSatellites, isTracking, !environment.isIndoors { return .satellites(outdoors) }
    if environment.hasWiFi {
      if environment.isIndoors { return .network(indoors ?? outdoors) }
      return .network(usesSatellites ? seeking : outdoors)
    }
    guard environment.hasCells else { return nil }
    return usesWiFi ? .cells(cells) : .network(environment.isIndoors ? indoors ?? outdoors : outdoors)
  }

  /// How long positions under a roof take to settle, seconds.
  var settlingTime: Double { settling.last?.until ?? 0 }

  /// The positions under a roof so many seconds after the service was switched on; nil once they have settled.
  func settling(at age: Double) -> PositionDistribution? { settling.first { age < $0.until }?.positions }

  /// The way to a position in a spell of fallback; nil where there is none.
  func fallback(in environment: Environment) -> Method? { environment.hasCells ? .cells(cells) : nil }
}

extension Environment.CellDensity {
  /// How much larger errors of cell positions, and the distances at which cells change, are than in a city.
  ///
  /// Assumed: 2 (1.5 to 3) in a town, 4 (2 to 10) in the country, about as sites lie apart there. A profile's figures are
  /// those of a city.
  var scale: Double {
    switch self {
    case .urban, .none: 1
    case .suburban: 2
    case .rural: 4
    }
  }
}
