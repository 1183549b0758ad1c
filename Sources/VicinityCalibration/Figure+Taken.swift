internal import VicinitySimulation

extension Figure {
  /// The figure as an assumption that it holds elsewhere too.
  func taken(from source: String) -> Figure {
    Figure(value, low: low, high: high, basis: .assumed, source: source)
  }
}

extension Quantiles {
  func taken(from source: String) -> Quantiles {
    Quantiles(points, basis: .assumed, source: source) ?? self
  }
}

extension PositionModel {
  func taken(from source: String) -> PositionModel {
    PositionModel(
      error: error.taken(from: source), reported: reported.taken(from: source),
      correlationTime: correlationTime.taken(from: source), association: association.taken(from: source),
      jitter: jitter?.taken(from: source),
      scatter: scatter.map {
        ScatterModel(
          deviation: $0.deviation.taken(from: source), correlationTime: $0.correlationTime.taken(from: source)
        )
      })
  }
}

extension SettlingModel {
  func taken(from source: String) -> SettlingModel {
    SettlingModel(
      stages: stages.map {
        Stage(until: $0.until.taken(from: source), positions: $0.positions.taken(from: source))
      },
      interval: interval.taken(from: source))
  }
}
