import VicinityCrossings
import VicinityGeodesy

extension Fix {
  /// A fix at so many seconds after 1970.
  static func at(
    _ seconds: Int64, _ latitude: Double, _ longitude: Double, accuracy: Double = 0, speed: Double = -1,
    course: Double = -1
  ) -> Fix {
    Fix(
      time: Timestamp(microseconds: seconds * 1_000_000),
      coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: accuracy,
      speed: speed,
      course: course)
  }
}
