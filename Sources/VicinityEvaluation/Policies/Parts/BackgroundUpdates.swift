internal import VicinityGeodesy
internal import VicinityMonitor

extension Phone {
  /// Starts updates that are to keep the app running in the background, or changes them.
  ///
  /// Where they may be shown, they are, since iOS 16.4, and a background activity session is held since
  /// iOS 17. That serves models of systems which set the manager's property alone: their updates would stop
  /// where they are begun in the background. Where they may not be shown they are as they were before, and
  /// keep the app running if the system's rules say so.
  func update(_ accuracy: DesiredAccuracy, distanceFilter: Meters?, showing presence: Presence) {
    var settings = LocationSettings(continuous: accuracy, distanceFilter: distanceFilter)
    if presence == .indicator {
      settings.showsIndicator = backgroundUpdates.needsQualifyingUpdates
      if backgroundUpdates.hasActivitySessions { beginBackgroundActivity() }
    }
    locationSettings = settings
    startUpdatingLocation()
  }
}
