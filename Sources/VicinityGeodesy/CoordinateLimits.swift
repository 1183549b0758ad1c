/// The ranges of latitudes and longitudes in files.
///
/// Longitudes may exceed ±180, as in files written for 0...360 or with continuous rings. Numbers far beyond
/// are not longitudes but mostly metres of a projection.
package enum CoordinateLimits {
  /// The largest magnitude of a longitude in a file, degrees.
  package static let longitude = 540.0

  /// What is wrong with `coordinate`, as a message; `nil` if it is within the limits.
  @inlinable
  package static func fault(_ coordinate: Coordinate) -> String? {
    contains(coordinate) ? nil : describe(coordinate)
  }

  @inlinable
  package static func contains(_ coordinate: Coordinate) -> Bool {
    coordinate.latitude >= -90 && coordinate.latitude <= 90 && coordinate.longitude >= -longitude
      && coordinate.longitude <= longitude
  }

  @usableFromInline @inline(never)
  static func describe(_ coordinate: Coordinate) -> String {
    if !(coordinate.latitude >= -90 && coordinate.latitude <= 90) {
      return latitudeFault(coordinate)
    }
    return "longitude \(coordinate.longitude) is not within -\(longitude)...\(longitude)"
  }

  /// The message for a latitude beyond the poles. One that can be a longitude, beside a longitude that can be
  /// a latitude, looks like a mistake in their order.
  package static func latitudeFault(_ coordinate: Coordinate) -> String {
    let isSwapped = abs(coordinate.latitude) <= 180 && abs(coordinate.longitude) <= 90
    return "latitude \(coordinate.latitude) is not within -90...90"
      + (isSwapped ? "; are latitude and longitude swapped?" : "")
  }
}
