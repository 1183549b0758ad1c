internal import VicinitySimulation

extension Figure {
  /// A measured figure, rounded, with its range widened to contain it.
  static func measured(_ value: Double, _ low: Double, _ high: Double, source: String) -> Figure {
    let (a, b, c) = (Sample.rounded(value), Sample.rounded(low), Sample.rounded(high))
    return Figure(a, low: min(a, b), high: max(a, c), basis: .measured, source: source)
  }

  /// The figure as an assumption, because it was measured under other conditions.
  func assumed(from source: String) -> Figure {
    Figure(value, low: low, high: high, basis: .assumed, source: source)
  }
}

extension Quantiles {
  func assumed(from source: String) -> Quantiles {
    Quantiles(points, basis: .assumed, source: source, scale: scale) ?? self
  }
}

extension PositionModel {
  func assumed(from source: String) -> PositionModel {
    PositionModel(
      error: error.assumed(from: source), reported: reported.assumed(from: source),
      correlationTime: correlationTime.assumed(from: source), association: association.assumed(from: source),
      jitter: jitter?.assumed(from: source),
      scatter: scatter.map {
        ScatterModel(
          deviation: $0.deviation.assumed(from: source),
          correlationTime: $0.correlationTime.assumed(from: source)
        )
      })
  }
}

extension WayModel {
  func assumed(from source: String) -> WayModel {
    WayModel(
      positions: positions.assumed(from: source),
      fallback: fallback.map {
        FallbackModel(
          share: $0.share.assumed(from: source), duration: $0.duration.assumed(from: source),
          positions: $0.positions.assumed(from: source))
      })
  }
}

extension SettlingModel {
  func assumed(from source: String) -> SettlingModel {
    SettlingModel(
      stages: stages.map {
        Stage(until: $0.until.assumed(from: source), positions: $0.positions.assumed(from: source))
      },
      interval: interval.assumed(from: source))
  }
}
