package import VicinityMonitor

/// A figure of a tier that energy is due to.
public enum TierFigure: Int, CaseIterable, Hashable, Sendable {
  case gnss, wifi, cell, processor, motion, fix

  /// The figure of a tier.
  func figure(of tier: TierProfile) -> Figure {
    switch self {
    case .gnss: tier.gnss
    case .wifi: tier.wifi
    case .cell: tier.cell
    case .processor: tier.processor
    case .motion: tier.motion
    case .fix: tier.fix
    }
  }
}

/// A figure of a profile that energy is due to: all that is drawn for it is proportional to it.
public struct EnergySource: Hashable, Sendable, CaseIterable {
  /// The place among all sources.
  package let rawValue: Int

  private init(_ rawValue: Int) { self.rawValue = rawValue }

  /// ``DeviceProfile/idle``.
  public static let idle = EnergySource(0)
  /// ``DeviceProfile/screen``.
  public static let screen = EnergySource(1)
  /// ``DeviceProfile/awake``: the processor while it runs for an app.
  public static let awake = EnergySource(2)
  /// The power of an app's own work.
  public static let work = EnergySource(3)
  /// ``RegionMonitoringProfile/look``: the checks of monitored regions.
  public static let regionChecks = EnergySource(4)
  /// ``RegionMonitoringProfile/watching``.
  public static let regionWatching = EnergySource(5)
  /// ``SignificantChangeProfile/report``, also of visits.
  public static let significantReports = EnergySource(6)
  /// ``SignificantChangeProfile/listening``.
  public static let significantListening = EnergySource(7)
  /// ``BeaconProfile/scan``.
  public static let beaconScans = EnergySource(8)
  /// ``BeaconProfile/ranging``.
  public static let ranging = EnergySource(9)
  /// ``BeaconProfile/advertising``.
  public static let advertising = EnergySource(10)
  /// ``HeadingProfile/power``.
  public static let heading = EnergySource(11)

  private static let tierless = 12

  /// A figure of a tier.
  package static func tier(_ accuracy: DesiredAccuracy, _ figure: TierFigure) -> EnergySource {
    let tier = DesiredAccuracy.allCases.firstIndex(of: accuracy) ?? 0
    return EnergySource(tierless + tier * TierFigure.allCases.count + figure.rawValue)
  }

  public static let allCases = (0..<tierless + DesiredAccuracy.allCases.count * TierFigure.allCases.count).map
  { EnergySource($0) }

  /// The tier, and its figure; nil for other sources.
  package var tier: (accuracy: DesiredAccuracy, figure: TierFigure)? {
    guard rawValue >= Self.tierless else { return nil }
    let (tier, figure) = (rawValue - Self.tierless).quotientAndRemainder(
      dividingBy: TierFigure.allCases.count)
    return (DesiredAccuracy.allCases[tier], TierFigure.allCases[figure])
  }
}
