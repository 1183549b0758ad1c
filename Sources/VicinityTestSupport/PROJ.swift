internal import CPROJ
package import VicinityGeodesy

/// The reference, called directly: nothing of the product lies between a test and PROJ.
package enum PROJ {
  /// The shortest path between two places: its length in metres, its azimuths at both ends in degrees.
  package struct Path {
    package var distance = 0.0
    package var azimuth1 = 0.0
    package var azimuth2 = 0.0
  }

  private static let ellipsoid: geod_geodesic = {
    var g = geod_geodesic()
    unsafe geod_init(&g, 6_378_137, 1 / 298.257223563)
    return g
  }()

  package static func path(_ a: Coordinate, _ b: Coordinate) -> Path {
    var path = Path()
    unsafe withUnsafePointer(to: ellipsoid) { g in
      unsafe geod_inverse(
        g, a.latitude, a.longitude, b.latitude, b.longitude, &path.distance, &path.azimuth1, &path.azimuth2)
    }
    return path
  }

  package static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
    var s12 = 0.0
    unsafe withUnsafePointer(to: ellipsoid) { g in
      unsafe geod_inverse(g, a.latitude, a.longitude, b.latitude, b.longitude, &s12, nil, nil)
    }
    return s12
  }

  /// A geodesic, for places along it.
  package struct Line {
    private let line: geod_geodesicline

    package init(from start: Coordinate, azimuth: Double) {
      var line = geod_geodesicline()
      unsafe withUnsafePointer(to: PROJ.ellipsoid) { g in
        // All that there is to be asked for.
        unsafe geod_lineinit(&line, g, start.latitude, start.longitude, azimuth, 0)
      }
      self.line = line
    }

    /// The place `s` metres along, and the azimuth there.
    package func place(_ s: Double) -> (coordinate: Coordinate, azimuth: Double) {
      var latitude = 0.0
      var longitude = 0.0
      var azimuth = 0.0
      unsafe withUnsafePointer(to: line) { line in
        unsafe geod_position(line, s, &latitude, &longitude, &azimuth)
      }
      return (Coordinate(latitude: latitude, longitude: longitude), azimuth)
    }
  }
}
