#if canImport(CoreLocation)
  public import CoreLocation
  internal import Foundation
  public import VicinityCrossings
  public import VicinityGeodesy
  internal import VicinityMonitor

  // Core Location's positions and this library's, on every system that has Core Location.

  extension Fix {
    /// A location of Core Location's: time, coordinate, horizontal accuracy, speed and course. A time that no
    /// ``Timestamp`` can hold becomes the present.
    public init(_ location: CLLocation) {
      self.init(
        time: Timestamp(reported: location.timestamp), coordinate: Coordinate(location.coordinate),
        horizontalAccuracy: location.horizontalAccuracy, speed: location.speed, course: location.course)
    }
  }

  extension CLLocation {
    /// A fix, with an altitude of zero that is marked as not valid.
    public convenience init(_ fix: Fix) {
      self.init(
        coordinate: CLLocationCoordinate2D(fix.coordinate), altitude: 0,
        horizontalAccuracy: fix.horizontalAccuracy, verticalAccuracy: -1, course: fix.course,
        speed: fix.speed,
        timestamp: Date(fix.time))
    }
  }

  extension Coordinate {
    /// A coordinate of Core Location's, unchanged.
    public init(_ coordinate: CLLocationCoordinate2D) {
      self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
  }

  extension CLLocationCoordinate2D {
    /// A coordinate, unchanged.
    public init(_ coordinate: Coordinate) {
      self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
  }

  extension Timestamp {
    /// A date that Core Location reports; the present where that does not fit.
    init(reported date: Date) { self = Timestamp(date) ?? SystemMonitorClock().now }
  }
#endif
