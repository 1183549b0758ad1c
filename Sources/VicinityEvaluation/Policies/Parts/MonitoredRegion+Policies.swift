internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor

extension MonitoredRegion {
  /// The circle to register for a region; nil for an ordinal that the index does not have.
  init?(enclosing ordinal: Int, of regions: RegionIndex) {
    guard let circle = regions.enclosingCircle(of: ordinal) else { return nil }
    self.init(identifier: regions.identifier(of: ordinal), center: circle.center, radius: circle.radius)
  }

  /// A circle of the app's own, of which only exits are reported.
  init(exitOnly identifier: String, center: Coordinate, radius: Meters) {
    self.init(identifier: identifier, center: center, radius: radius)
    notifyOnEntry = false
  }
}
