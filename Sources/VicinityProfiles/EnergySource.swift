public import VicinityMonitor

/// A figure of a tier that energy is due to.
public enum TierFigure: Int, CaseIterable, Hashable, Sendable {
  /// ``TierProfile/gnss``, milliwatts.
  case gnss
  /// ``TierProfile/wifi``, milliwatts.
  case wifi
  /// ``TierProfile/cell``, milliwatts.
  case cell
  /// ``TierProfile/processor``, milliwatts.
  case processor
  /// ``TierProfile/motion``, milliwatts.
  case motion
  /// ``TierProfile/fix``, millijoules a fix.
  case fix

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
  /// The place among ``allCases``, and of its joules in a result.
  public let rawValue: Int

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
  private static let figureCount = TierFigure.allCases.count

  /// A figure of a tier.
  public static func tier(_ accuracy: DesiredAccuracy, _ figure: TierFigure) -> EnergySource {
    // Asked for with each position: a search of all cases would take longer than the rest.
    let tier =
      switch accuracy {
      case .bestForNavigation: 0
      case .best: 1
      case .nearestTenMeters: 2
      case .hundredMeters: 3
      case .kilometer: 4
      case .threeKilometers: 5
      case .reduced: 6
      }
    return EnergySource(tierless + tier * figureCount + figure.rawValue)
  }

  /// All sources, those of no tier first.
  public static let allCases =
    (0..<tierless).map { EnergySource($0) }
    + DesiredAccuracy.allCases.flatMap { accuracy in
      TierFigure.allCases.map { EnergySource.tier(accuracy, $0) }
    }
}
