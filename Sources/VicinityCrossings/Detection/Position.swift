internal import VicinityGeodesy

/// A position in both kinds of coordinates.
struct Position {
  let coordinate: Coordinate
  let ecef: ECEF

  @inline(__always)
  init(_ coordinate: Coordinate) {
    self.coordinate = coordinate
    ecef = ECEF(unchecked: coordinate)
  }
}
