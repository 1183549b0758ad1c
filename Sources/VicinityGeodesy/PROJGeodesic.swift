#if canImport(CPROJ)
  internal import CPROJ

  /// Geodesics on the WGS84 ellipsoid, solved by PROJ, which carries Karney's own algorithms in C.
  ///
  /// Accurate to about 15 nm, and convergent for every pair of points.
  package enum PROJGeodesic: GeodesicMethods {
    fileprivate static let ellipsoid: geod_geodesic = {
      var g = geod_geodesic()
      unsafe geod_init(&g, WGS84.a, WGS84.f)
      return g
    }()

    /// PROJ's `geod_inverse`, without azimuths.
    package static func distance(_ p1: Coordinate, _ p2: Coordinate) -> Meters {
      var s12 = 0.0
      unsafe withUnsafePointer(to: ellipsoid) { g in
        unsafe geod_inverse(
          g, p1.latitude, p1.longitude, p2.latitude, p2.longitude, &s12, nil, nil)
      }
      return s12
    }

    /// PROJ's `geod_inverse`.
    package static func inverse(_ p1: Coordinate, _ p2: Coordinate) -> Geodesic.Inverse {
      var s12 = 0.0
      var azi1 = 0.0
      var azi2 = 0.0
      unsafe withUnsafePointer(to: ellipsoid) { g in
        unsafe geod_inverse(
          g, p1.latitude, p1.longitude, p2.latitude, p2.longitude, &s12, &azi1, &azi2)
      }
      return Geodesic.Inverse(distance: s12, azimuth1: azi1, azimuth2: azi2)
    }

    /// PROJ's `geod_direct`.
    package static func direct(
      _ start: Coordinate, azimuth: Degrees, distance: Meters
    ) -> Geodesic.Direct {
      var lat2 = 0.0
      var lon2 = 0.0
      var azi2 = 0.0
      unsafe withUnsafePointer(to: ellipsoid) { g in
        unsafe geod_direct(
          g, start.latitude, start.longitude, azimuth, distance, &lat2, &lon2, &azi2)
      }
      return Geodesic.Direct(
        coordinate: Coordinate(latitude: lat2, longitude: lon2), azimuth: azi2)
    }

    /// PROJ's `geod_polygon_compute`.
    package static func measure(ofRing ring: [Coordinate]) -> Geodesic.RingMeasure {
      var polygon = geod_polygon()
      unsafe geod_polygon_init(&polygon, 0)
      var measure = Geodesic.RingMeasure(area: 0, perimeter: 0)
      unsafe withUnsafePointer(to: ellipsoid) { g in
        for vertex in ring {
          unsafe geod_polygon_addpoint(g, &polygon, vertex.latitude, vertex.longitude)
        }
        _ = unsafe geod_polygon_compute(g, &polygon, 0, 1, &measure.area, &measure.perimeter)
      }
      return measure
    }

    /// PROJ's `geod_geodesicline`.
    package struct Line: GeodesicLineMethods {
      private let line: geod_geodesicline
      package let distance: Meters

      package init(_ p1: Coordinate, _ p2: Coordinate) {
        var solved = geod_geodesicline()
        unsafe withUnsafePointer(to: ellipsoid) { g in
          unsafe geod_inverseline(
            &solved, g, p1.latitude, p1.longitude, p2.latitude, p2.longitude, 0)
        }
        line = solved
        distance = solved.s13
      }

      package func point(at s12: Meters) -> Coordinate {
        var lat2 = 0.0
        var lon2 = 0.0
        unsafe withUnsafePointer(to: line) { l in
          unsafe geod_position(l, s12, &lat2, &lon2, nil)
        }
        return Coordinate(latitude: lat2, longitude: lon2)
      }
    }
  }
#endif
