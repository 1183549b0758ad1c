package import VicinityGeodesy
internal import VicinityPolygon

/// What a phone watches in place of a slot's condition, and what its answers say of that condition. A phone
/// knows circles and beacons only.
///
/// - A circle within the phone's limit is watched as it is.
/// - For a larger circle, the phone watches the circle of the greatest radius around the same centre. Being
///   inside it means being inside the condition; being outside it means nothing.
/// - For a polygon, the phone watches a circle around it. Being outside the circle means being outside the
///   polygon; being inside it means nothing.
/// - A sentinel may be reduced to the limit: then the next plan comes earlier.
package struct SlotWatch: Hashable, Sendable {
  /// What is to be done about a phone's answer.
  package enum Consequence: Hashable, Sendable {
    /// The answer is the condition's state.
    case tell(SlotReport)
    /// The answer leaves the condition open: fixes must decide until there is another.
    case followFixes
  }

  /// What the phone is asked to watch.
  package let area: MonitoredRegion.Area
  private let tellsEntries: Bool
  private let tellsExits: Bool
  /// Whether all that the phone says is the condition's state.
  var isWhole: Bool { tellsEntries && tellsExits }

  /// - Parameter maximumRadius: The greatest radius that the phone watches, metres; zero or less when it
  ///   watches no regions.
  /// - Returns: nil where the phone cannot watch any part of the condition.
  package init?(_ slot: Slot, maximumRadius: Meters) {
    let (center, radius): (Coordinate, Meters)
    switch slot.condition {
    case .beacon(let identity):
      area = .beacon(identity)
      (tellsEntries, tellsExits) = (true, true)
      return
    case .circle(let middle, let extent): (center, radius) = (middle, extent)
    case .polygon(let polygon): (center, radius) = (polygon.boundingCenter, polygon.boundingRadius)
    }
    guard maximumRadius > 0 else { return nil }
    let isWhole = radius <= maximumRadius
    var isCircle = false
    if case .circle = slot.condition { isCircle = true }
    area = .circle(center: center, radius: min(radius, maximumRadius))
    tellsEntries = isCircle
    tellsExits = isWhole || slot.isSentinel
  }

  /// What to do when the phone says this of the slot.
  package func consequence(of report: SlotReport) -> Consequence {
    switch report.state {
    case .satisfied: tellsEntries ? .tell(report) : .followFixes
    case .unsatisfied: tellsExits ? .tell(report) : .followFixes
    case .unknown, .unmonitored: .tell(report)
    }
  }
}

extension BeaconSighting {
  /// The measured power with which ``BeaconDistanceModel``, in free space, gives this distance for this
  /// level; 127, which no beacon has, where the distance is unknown.
  ///
  /// Core Location reports the level and its own estimate of the distance, but not the beacon's measured
  /// power.
  package static func measuredPower(rssi: DecibelMilliwatts, accuracy: Meters) -> DecibelMilliwatts {
    guard accuracy > 0, accuracy < .infinity, (-127 ... -1).contains(rssi) else { return 127 }
    return rssi + Int(BeaconDistanceModel().loss(distance: accuracy).rounded())
  }
}
