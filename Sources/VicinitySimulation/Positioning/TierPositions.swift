internal import VicinityMonitor

/// The source of a tier's positions in each kind of surroundings.
///
/// - Satellites are received outdoors, also in airplane mode, once they are found. Before that, and indoors,
///   a satellite tier uses Wi-Fi: indoors with the tier's own indoor positions, outdoors with those of
///   ``DesiredAccuracy/hundredMeters``.
/// - Indoor positions were measured in one house. Under any other roof the errors are at least those of the
///   same tier outdoors: on foot where those are known, otherwise at rest.
/// - Without Wi-Fi a tier that uses it has only cells: the positions of its spells of fallback, else those of
///   the significant-change service.
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
  /// Positions under the measured roof, and under any other.
  private let measuredIndoors: PositionDistribution?
  private let indoors: PositionDistribution?
  /// The ways that differ from ``moving``.
  private let ways: [TravelMode: WayPositions]
  private let seeking: PositionDistribution
  private let cells: PositionDistribution
  /// The stages of the first seconds under a roof, with their ends in seconds.
  private let settling: [(until: Double, positions: PositionDistribution)]
  private let spells: Spells?

  /// Spells of fallback: the share of the time in them, and their mean duration in seconds.
  typealias Spells = (share: Double, duration: Double)

  private struct WayPositions {
    let moving: PositionDistribution
    let spells: Spells?
    let cells: PositionDistribution

    init(_ model: WayModel, cells: PositionDistribution) {
      moving = PositionDistribution(model.positions)
      spells = model.fallback.map { ($0.share.value, $0.duration.value) }
      self.cells = model.fallback.map { PositionDistribution($0.positions) } ?? cells
    }
  }

  /// - Parameter usesWiFi: Whether it uses Wi-Fi; nil for what the tier's power says.
  init(_ tier: TierProfile, of profile: DeviceProfile, usesWiFi: Bool? = nil) {
    usesSatellites = tier.usesSatellites
    self.usesWiFi = usesWiFi ?? (tier.wifi.value > 0 || usesSatellites)
    usesOnlyCells = false
    moving = PositionDistribution(tier.moving)
    still = tier.still.map(PositionDistribution.init) ?? moving
    measuredIndoors = tier.indoors.map(PositionDistribution.init)
    // A walk along the street is next to a room beside it; phones at rest outdoors were at stations and in
    // cars too.
    let street = tier.ways?[.foot]?.positions ?? tier.still ?? tier.moving
    indoors = tier.indoors.map { PositionDistribution($0.noBetter(than: street)) }
    seeking = profile.tier(.hundredMeters).map { PositionDistribution($0.moving) } ?? moving
    let fallback = tier.fallback ?? profile.tier(.hundredMeters)?.fallback
    let cells = PositionDistribution(fallback?.positions ?? profile.significantChange.positions)
    self.cells = cells
    ways = (tier.ways ?? [:]).mapValues { WayPositions($0, cells: cells) }
    settling =
      tier.settling?.stages.map { ($0.until.value, PositionDistribution($0.positions)) }
      .sorted { $0.until < $1.until } ?? []
    spells = tier.fallback.map { ($0.share.value, $0.duration.value) }
  }

  /// The positions of a service that uses Wi-Fi where there is any, and cells otherwise: of its own while the
  /// phone moves, of ``DesiredAccuracy/hundredMeters`` at rest and under a roof.
  ///
  /// - Parameter ways: Its positions where they differ by the way.
  convenience init(
    _ positions: PositionModel, ways: [TravelMode: WayModel]? = nil, of profile: DeviceProfile
  ) {
    guard var tier = profile.tier(.hundredMeters) else {
      self.init(
        PositionDistribution(positions), cells: PositionDistribution(profile.significantChange.positions))
      return
    }
    tier.still = tier.still ?? tier.moving
    (tier.moving, tier.ways) = (positions, ways)
    (tier.settling, tier.fallback) = (nil, nil)
    tier.gnss = tier.gnss.scaled(by: 0)
    self.init(tier, of: profile, usesWiFi: true)
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
    (indoors, measuredIndoors) = (nil, nil)
    ways = [:]
    self.cells = cells
    settling = []
    spells = nil
  }

  /// The source of a position outside spells of fallback; nil where none is available.
  ///
  /// - Parameter isTracking: Whether the receiver has found its satellites.
  func method(in surroundings: PhoneSurroundings, isStill: Bool, isTracking: Bool) -> Method? {
    if usesOnlyCells { return fallback(in: surroundings) }
    let outdoors = isStill ? still : way(in: surroundings)?.moving ?? moving
    let indoors = surroundings.isAtMeasuredSite ? measuredIndoors : indoors
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
  func fallback(in surroundings: PhoneSurroundings) -> Method? {
    surroundings.hasCells ? .cells(way(in: surroundings)?.cells ?? cells) : nil
  }

  /// Spells of fallback while the phone moves; nil where there are none.
  func spells(in surroundings: PhoneSurroundings) -> Spells? {
    if let way = way(in: surroundings) { return way.spells }
    return spells
  }

  private func way(in surroundings: PhoneSurroundings) -> WayPositions? {
    guard !ways.isEmpty, !surroundings.isIndoors, let way = surroundings.way else { return nil }
    return ways[way]
  }
}

extension PositionModel {
  /// The model with errors, and reported accuracies, no smaller than those of another one, quantile by
  /// quantile up to the 90 % quantile. What is new with each position stays as large as it was, in metres:
  /// larger errors are the site's, and last.
  fileprivate func noBetter(than other: PositionModel) -> PositionModel {
    var model = self
    model.error = error.noLess(than: other.error, upTo: 0.9)
    model.reported = reported.noLess(than: other.reported, upTo: 0.9)
    let (before, after) = (error.value(at: 0.5), model.error.value(at: 0.5))
    if let jitter, after > before {
      let share = before / after
      model.jitter = jitter.scaled(by: share * share)
    }
    return model
  }
}

extension Quantiles {
  /// At each probability the greater of both values, up to a probability; the own values beyond it, but never
  /// less than before.
  func noLess(than other: Quantiles, upTo end: Double) -> Quantiles {
    var probabilities = Set(points.map(\.probability))
    for point in other.points where point.probability < end { probabilities.insert(point.probability) }
    probabilities.insert(end)
    var last = 0.0
    let merged = probabilities.sorted().map { probability in
      let own = value(at: probability)
      last = max(last, probability <= end ? max(own, other.value(at: probability)) : own)
      return Point(probability, last)
    }
    return Quantiles(merged, basis: basis, source: source, scale: scale) ?? self
  }
}

extension PhoneSurroundings.CellDensity {
  /// The factor on the errors of cell positions, and on the distances between changes of cell, compared with
  /// a city.
  ///
  /// Assumed: 2 (1.5 to 3) in a town, 4 (2 to 10) in the country, about in proportion to the distances
  /// between cell sites. The figures of a profile are those of a city.
  var scale: Double {
    switch self {
    case .urban, .none: 1
    case .suburban: 2
    case .rural: 4
    }
  }
}
