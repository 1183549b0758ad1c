/// The source of a tier's positions in each kind of surroundings.
///
/// - Satellites are received outdoors, also in airplane mode, once they are found. Before that, and indoors, a satellite tier uses
///   Wi-Fi: indoors with the tier's own indoor positions, outdoors with those of ``DesiredAccuracy/hundredMeters``.
/// - Without Wi-Fi a tier that uses it has only cells: the positions of its spells of fallback, else those of the
///   significant-change service.
/// - A tier that uses neither takes cells or Wi-Fi, whichever is available.
/// - Without any of them there is no position.
final class TierPositions: Sendable {
  /// The source of a position.
  enum Method {
    case satellites(PositionDistribution)
    case network(PositionDistribution)
    case cells(PositionDistribution)

    var isCells: Bool { if case .cells = self { true } else { false } }
  }

  let usesSatellites: Bool
  private let usesWiFi: Bool
  private let usesOnlyCells: Bool
  private let moving: PositionDistribution
  private let still: PositionDistribution
  private let indoors: PositionDistribution?
  private let seeking: PositionDistribution
  private let cells: PositionDistribution
  /// The stages of the first seconds under a roof, with their ends in seconds.
  private let settling: [(until: Double, positions: PositionDistribution)]
  /// The share of the time in spells of fallback, and their mean duration in seconds.
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

  /// The positions of a service that uses Wi-Fi where there is any, and cells otherwise.
  convenience init(_ positions: PositionModel, of profile: DeviceProfile) {
    let fallback = profile.tier(.hundredMeters)?.fallback
    self.init(
      PositionDistribution(positions),
      cells: PositionDistribution(fallback?.positions ?? profile.significantChange.positions))
  }

  /// The positions of a service that uses cells only.
  convenience init(ofCells positions: PositionModel) {
    let positions = PositionDistribution(positions)
    self.init(positions, cells: positions, usesOnlyCells: true)
  }

  private init(
    _ positions: PositionDistribution, cells: PositionDistribution, usesOnlyCells: Bool = false
  ) {
    usesSatellites = false
    usesWiFi = !usesOnlyCells
    self.usesOnlyCells = usesOnlyCells
    (moving, still, seeking) = (positions, positions, positions)
    indoors = nil
    self.cells = cells
    settling = []
    spells = nil
  }

  /// The source of a position outside spells of fallback; nil where none is available.
  ///
  /// - Parameter isTracking: Whether the receiver has found its satellites.
  func method(in surroundings: PhoneSurroundings, isStill: Bool, isTracking: Bool) -> Method? {
    if usesOnlyCells { return fallback(in: surroundings) }
    let outdoors = isStill ? still : moving
    if usesSatellites, isTracking, !surroundings.isIndoors { return .satellites(outdoors) }
    if surroundings.hasWiFi {
      if surroundings.isIndoors { return .network(indoors ?? outdoors) }
      return .network(usesSatellites ? seeking : outdoors)
    }
    guard surroundings.hasCells else { return nil }
    return usesWiFi ? .cells(cells) : .network(surroundings.isIndoors ? indoors ?? outdoors : outdoors)
  }

  /// How long positions under a roof take to settle, seconds.
  var settlingTime: Double { settling.last?.until ?? 0 }

  /// The distribution under a roof at an age, seconds since the service was switched on; nil after settling.
  func settling(at age: Double) -> PositionDistribution? { settling.first { age < $0.until }?.positions }

  /// The source of a position in a spell of fallback; nil where there is none.
  func fallback(in surroundings: PhoneSurroundings) -> Method? { surroundings.hasCells ? .cells(cells) : nil }
}

extension PhoneSurroundings.CellDensity {
  /// The factor on the errors of cell positions, and on the distances between changes of cell, compared with a city.
  ///
  /// Assumed: 2 (1.5 to 3) in a town, 4 (2 to 10) in the country, about in proportion to the distances between cell sites. The
  /// figures of a profile are those of a city.
  var scale: Double {
    switch self {
    case .urban, .none: 1
    case .suburban: 2
    case .rural: 4
    }
  }
}
