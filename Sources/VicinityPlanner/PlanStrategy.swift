public import VicinityGeodesy

/// How registrations are chosen, and when they are chosen anew.
///
/// The first two give a certificate. The others are common alternatives, for comparison: they promise nothing
/// and can miss entries.
public enum PlanStrategy: Hashable, Sendable {
  /// The nearest by boundary distance; chosen anew when the device leaves the disc in which that is proved to
  /// do.
  case boundary
  /// The same promise with the disc placed ahead of a moving device, where that lengthens the distance until
  /// it is left.
  ///
  /// - Parameter turnMargin: How far the disc reaches behind the device at least, as a share of the reach of
  ///   a disc around it; more than 0, at most 1. Plans are fewest up to 0.1, within 3 %; 0.25 takes up to 10
  ///   % more (`Scripts/bench plans`, margins from 0.02 to 0.75 on rides, taxis, flights and phones). Without
  ///   known speed and course, the same as ``boundary``.
  case boundaryAhead(turnMargin: Double = 0.1)
  /// The nearest by centre; chosen anew at the distance of the first centre left out.
  case nearestByCenter
  /// As many as there are slots, by centre, without a sentinel; chosen anew by the significant-change
  /// service: after moving this far, and not more often than this.
  case significantChange(distance: Meters = 500, interval: Duration = .seconds(300))
  /// The nearest by boundary distance; chosen anew when the device leaves a disc of this radius, whatever is
  /// around.
  case constantRadius(Meters)
  /// As many as there are slots, by centre, without a sentinel; chosen anew when a visit begins: after
  /// staying within a distance for a time.
  case visits(radius: Meters = 100, stay: Duration = .seconds(300))

  /// The names of the strategies, in the order of their declaration.
  public static let names = [
    "boundary", "boundary-ahead", "nearest-by-centre", "significant-change", "constant-radius", "visits",
  ]

  /// The name of the strategy, whatever its parameters: one of ``names``.
  public var name: String {
    switch self {
    case .boundary: Self.names[0]
    case .boundaryAhead: Self.names[1]
    case .nearestByCenter: Self.names[2]
    case .significantChange: Self.names[3]
    case .constantRadius: Self.names[4]
    case .visits: Self.names[5]
    }
  }

  /// The strategy of a name, with its default parameters and, for a constant radius, 1 km; nil for other
  /// names.
  public init?(name: String) {
    switch name {
    case Self.names[0]: self = .boundary
    case Self.names[1]: self = .boundaryAhead()
    case Self.names[2]: self = .nearestByCenter
    case Self.names[3]: self = .significantChange()
    case Self.names[4]: self = .constantRadius(1000)
    case Self.names[5]: self = .visits()
    default: return nil
    }
  }

  /// Whether plans come with a certificate.
  public var isCertified: Bool {
    switch self {
    case .boundary, .boundaryAhead: true
    case .nearestByCenter, .significantChange, .constantRadius, .visits: false
    }
  }

  func check() throws(PlanOptionsError) {
    switch self {
    case .boundary, .nearestByCenter: return
    case .boundaryAhead(let margin):
      guard margin > 0, margin <= 1 else { throw .outOfRange("turnMargin", margin) }
    case .significantChange(let distance, let interval):
      guard distance >= 0, distance < .infinity else { throw .outOfRange("distance", distance) }
      guard interval >= .zero else { throw .outOfRange("interval", interval / .seconds(1)) }
    case .constantRadius(let radius):
      guard radius > 0, radius < .infinity else { throw .outOfRange("radius", radius) }
    case .visits(let radius, let stay):
      guard radius > 0, radius < .infinity else { throw .outOfRange("radius", radius) }
      guard stay >= .zero else { throw .outOfRange("stay", stay / .seconds(1)) }
    }
  }
}
