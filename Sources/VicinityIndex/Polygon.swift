public import VicinityGeodesy
public struct Polygon: Hashable, Sendable {
  public var boundingCenter: Coordinate
  public var boundingRadius: Meters
}
