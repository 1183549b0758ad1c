internal import VicinityGeodesy
internal import VicinityIndex

/// What a phone, which knows circles and beacons only, watches in the place of a slot's condition, and what its answers say
/// of that condition.
///
/// - A circle within the phone's limit is watched as it is.
/// - Of a larger one, the circle of the greatest radius around the same centre: being in it is being in the condition; not
///   being in it says nothing.
/// - Of a polygon, a circle around it: not being in that is not being in the polygon; being in it says nothing.
/// - A sentinel may be cut down to the limit: leaving less of it is planning again earlier.
struct SlotWatch: Hashable, Sendable {
  /// What the phone is asked to watch.
  enum Target: Hashable, Sendable {
    case circle(center: Coordinate, radius: Meters)
    case beacon(BeaconIdentity)
  }

  /// What is to be done about a phone's answer.
  enum Consequence: Hashable, Sendable {
    /// The answer is the condition's state.
    case tell(SlotReport)
    /// The answer leaves the condition open: fixes must decide until there is another.
    case followFixes
  }

  let target: Target
  private let tellsEntries: Bool
  private let tellsExits: Bool

  /// - Parameter maximumRadius: The greatest radius that the phone watches, metres; zero or less when it watches no regions.
  /// - Returns: nil where the phone cannot watch anything of it.
  init?(_ slot: Slot, maximumRadius: Meters) {
    let (center, radius): (Coordinate, Meters)
    switch slot.condition {
    case .beacon(let identity):
      target = .beacon(identity)
      (tellsEntries, tellsExits) = (true, true)
      return
    case .circle(let middle, let extent): (center, radius) = (middle, extent)
    case .polygon(let polygon): (center, radius) = (polygon.boundingCenter, polygon.boundingRadius)
    }
    guard maximumRadius > 0 else { return nil }
    let isWhole = radius <= maximumRadius
    var isCircle = false
    if case .circle = slot.condition { isCircle = true }
    target = .circle(center: center, radius: min(radius, maximumRadius))
    tellsEntries = isCircle
    tellsExits = isWhole || slot.isSentinel
  }

  /// What to do when the phone says this of the slot.
  func consequence(of report: SlotReport) -> Consequence {
    switch report.state {
    case .satisfied: tellsEntries ? .tell(report) : .followFixes
    case .unsatisfied: tellsExits ? .tell(report) : .followFixes
    case .unknown, .unmonitored: .tell(report)
    }
  }
}

extension BeaconSighting {
  /// A measured power that makes ``BeaconDistanceModel``'s free space give this distance for this level; where the distance is
  /// unknown, one that no beacon has, which says so.
  ///
  /// Core Location tells the level and its own estimate of the distance, and not what the beacon says of itself.
  static func measuredPower(rssi: DecibelMilliwatts, accuracy: Meters) -> DecibelMilliwatts {
    guard accuracy > 0, accuracy < .infinity, (-127 ... -1).contains(rssi) else { return 127 }
    return rssi + Int(BeaconDistanceModel().loss(distance: accuracy).rounded())
  }
}
