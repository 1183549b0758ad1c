public import VicinityGeodesy

/// How it is decided that a device has entered a region or left it.
///
/// ``geometric`` finds what happened between fixes. The other rules find what a device that sees only the
/// fixes would report: they decide at fixes, and a crossing's time and position are those of the fix that
/// decided. See <doc:Rules> for what each does to the same track.
///
/// Below, d is the boundary distance of a fix, negative inside, and a its accuracy, both in metres.
public enum CrossingRule: Hashable, Sendable {
  /// The instants at which the boundary distance passes zero between two fixes; passes in and out are
  /// included.
  case geometric
  /// Core Location's rule: beyond the boundary by a cushion, for some time, and only by certain fixes
  /// (``CoreLocationParameters``).
  case coreLocation(CoreLocationParameters = CoreLocationParameters())
  /// Inside while d <= 0.
  case naive
  /// Entered at d <= 0, left at d > max(`fraction` × r, `minimum`).
  ///
  /// r is a circle's radius, and a polygon's inradius: that of the largest circle in it, to 1 %.
  case exitMargin(fraction: Double = 0.1, minimum: Meters = 20)
  /// By the share of the disc of radius a around the fix that lies in the region: entered from `enter` on,
  /// left from `exit` down.
  ///
  /// Discs are taken to be plane, and a polygon for the half-plane behind the nearest point of its boundary.
  /// Where a is zero, the share is 1 while d <= 0 and 0 otherwise. 0.5 < `enter` <= 1, 0 <= `exit` < `enter`.
  case overlap(enter: Double = 0.85, exit: Double = 0.15)

  /// The names of the rules, in the order of their declaration.
  public static let names = ["geometric", "core-location", "naive", "exit-margin", "overlap"]

  /// The name of the rule, whatever its parameters: one of ``names``.
  public var name: String { Self.names[Int(number)] }

  /// The rule of a name, with its default parameters; nil for other names.
  public init?(name: String) {
    switch name {
    case "geometric": self = .geometric
    case "core-location": self = .coreLocation()
    case "naive": self = .naive
    case "exit-margin": self = .exitMargin()
    case "overlap": self = .overlap()
    default: return nil
    }
  }

  /// Whether a fix's accuracy decides about crossings; without one it counts as exact.
  package var usesAccuracy: Bool { FixRule(self)?.usesAccuracy ?? false }

  /// The position in ``names``, also in snapshots.
  var number: UInt32 {
    switch self {
    case .geometric: 0
    case .coreLocation: 1
    case .naive: 2
    case .exitMargin: 3
    case .overlap: 4
    }
  }

  func check() throws(CrossingOptionsError) {
    func inRange(_ value: Double, _ name: String, _ isIn: Bool) throws(CrossingOptionsError) {
      guard isIn else { throw .parameterOutOfRange(rule: self.name, parameter: name, value: value) }
    }
    switch self {
    case .geometric, .naive: return
    case .coreLocation(let parameters): try parameters.check()
    case .exitMargin(let fraction, let minimum):
      try inRange(fraction, "fraction", fraction >= 0 && fraction < .infinity)
      try inRange(minimum, "minimum", minimum >= 0 && minimum < .infinity)
    case .overlap(let enter, let exit):
      try inRange(enter, "enter", enter > 0.5 && enter <= 1)
      try inRange(exit, "exit", exit >= 0 && exit < enter)
    }
  }
}
