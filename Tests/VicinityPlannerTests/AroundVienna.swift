import VicinityCrossings
import VicinityGeodesy
import VicinityIndex

/// A row of regions, and fixes before it.
protocol AroundVienna {}

extension AroundVienna {
  static var vienna: Coordinate { Coordinate(latitude: 48.2082, longitude: 16.3738) }

  func place(_ azimuth: Double, _ distance: Double) -> Coordinate {
    Geodesic.uncheckedDirect(Self.vienna, azimuth: azimuth, distance: distance).coordinate
  }

  /// Circles of 100 m in a row to the east, their boundaries 1, 2, 3 ... km away.
  func row(_ count: Int) -> [Region] {
    (0..<count).map {
      Region(identifier: "r\($0)", center: place(90, 1100 + 1000 * Double($0)), radius: 100)
    }
  }

  func fix(
    _ seconds: Double, _ coordinate: Coordinate, accuracy: Double = 0, speed: Double = -1, course: Double = -1
  ) -> Fix {
    Fix(
      time: Timestamp(microseconds: Int64(seconds * 1e6)), coordinate: coordinate,
      horizontalAccuracy: accuracy,
      speed: speed, course: course)
  }
}
