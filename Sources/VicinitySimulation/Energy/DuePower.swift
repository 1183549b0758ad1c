internal import VicinityMonitor

/// A power of at most three parts, each due to a figure of the profile.
struct DuePower: Equatable {
  private struct Part: Equatable {
    var milliwatts: Double
    var source: EnergySource
  }

  private(set) var milliwatts: Double
  private var first: Part
  private var second: Part?
  private var third: Part?

  static let none = DuePower(0, .idle)

  init(_ milliwatts: Double, _ source: EnergySource) {
    (self.milliwatts, first) = (milliwatts, Part(milliwatts: milliwatts, source: source))
  }

  /// A power that is due to a figure of a tier.
  init(_ milliwatts: Double, _ accuracy: DesiredAccuracy, _ figure: TierFigure) {
    self.init(milliwatts, .tier(accuracy, figure))
  }

  /// With a part more; there may be two of them.
  func adding(_ milliwatts: Double, _ accuracy: DesiredAccuracy, _ figure: TierFigure) -> DuePower {
    assert(third == nil)
    var sum = self
    sum.milliwatts += milliwatts
    let part = Part(milliwatts: milliwatts, source: .tier(accuracy, figure))
    if second == nil { sum.second = part } else { sum.third = part }
    return sum
  }

  /// Adds what each part gives in a time to the energy of its source.
  func add(_ time: Double, to energies: inout [Double]) {
    func add(_ part: Part) { energies[part.source.rawValue] += part.milliwatts * time }
    add(first)
    if let second { add(second) }
    if let third { add(third) }
  }
}
