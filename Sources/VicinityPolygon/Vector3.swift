internal import VicinityGeodesy

/// A vector in the Earth-centred frame, metres, for the geometry of edges.
struct Vector3: Hashable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  @inline(__always)
  init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  @inline(__always)
  init(_ p: ECEF) { self.init(p.x, p.y, p.z) }

  @inline(__always)
  init(unchecked coordinate: Coordinate) { self.init(ECEF(unchecked: coordinate)) }

  @inline(__always)
  static func + (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x + b.x, a.y + b.y, a.z + b.z) }

  @inline(__always)
  static func - (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x - b.x, a.y - b.y, a.z - b.z) }

  @inline(__always)
  static func * (k: Double, a: Vector3) -> Vector3 { Vector3(k * a.x, k * a.y, k * a.z) }

  @inline(__always)
  func dot(_ b: Vector3) -> Double { x * b.x + y * b.y + z * b.z }

  @inline(__always)
  func cross(_ b: Vector3) -> Vector3 {
    Vector3(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x)
  }

  @inline(__always)
  var squaredLength: Double { dot(self) }

  @inline(__always)
  var length: Double { squaredLength.squareRoot() }
}
