package import VicinityMonitor

/// The figures of a profile that energy is due to.
///
/// Figures that divide one power among components, such as those of a tier, are one source: they were
/// measured, or are assumed, together.
public enum EnergySource: Int, CaseIterable, Hashable, Sendable {
  /// ``DeviceProfile/idle``.
  case idle
  /// ``DeviceProfile/screen``.
  case screen
  /// ``DeviceProfile/awake``: the processor while it runs for an app.
  case awake
  /// The power of an app's own work.
  case work
  /// The powers of a tier, and the energy of its fixes.
  case bestForNavigation
  case best
  case nearestTenMeters
  case hundredMeters
  case kilometer
  case threeKilometers
  case reduced
  /// ``RegionMonitoringProfile/look``: the checks of monitored regions.
  case regionChecks
  /// ``RegionMonitoringProfile/watching``.
  case regionWatching
  /// ``SignificantChangeProfile/report``, also of visits.
  case significantReports
  /// ``SignificantChangeProfile/listening``.
  case significantListening
  /// ``BeaconProfile/scan`` and ``BeaconProfile/ranging``.
  case beaconScans
  /// ``BeaconProfile/advertising``.
  case advertising
  /// ``HeadingProfile/power``.
  case heading

  /// The source of a tier's power.
  package init(_ accuracy: DesiredAccuracy) {
    self =
      switch accuracy {
      case .bestForNavigation: .bestForNavigation
      case .best: .best
      case .nearestTenMeters: .nearestTenMeters
      case .hundredMeters: .hundredMeters
      case .kilometer: .kilometer
      case .threeKilometers: .threeKilometers
      case .reduced: .reduced
      }
  }

  /// The tier whose power it is; nil for other sources.
  package var tier: DesiredAccuracy? { DesiredAccuracy.allCases.first { EnergySource($0) == self } }

  /// The name in files.
  package var name: String { "\(self)" }
}
