internal import VicinityGeodesy

/// What a rule other than the geometric one makes of a region at a fix.
///
/// A function of the fix, of the region and of where the device stood with it, and of nothing else: so what is looked at,
/// and when, cannot change a result as long as nothing that would change is passed over.
struct Decision {
  enum Kind {
    case coreLocation
    case naive
    case exitMargin
    case overlap
  }

  /// A region as seen from a fix.
  struct Sight {
    /// Boundary distance, metres.
    var distance: Meters
    /// A circle's radius, metres; nil for a polygon.
    var radius: Meters?
    /// The radius of the largest circle in the region, as far as the rule asks for it (``Decision/room``).
    var room: Meters
  }

  let kind: Kind
  /// Core Location's cushion, and its least outward; the exit margin's least.
  private let cushion: Meters
  /// The part of the room that the cushion may take inwards; the exit margin's part of it.
  private let share: Double
  /// Microseconds.
  let timeToRemain: Int64
  private let enter: Double
  private let exit: Double

  /// nil for the geometric rule.
  init?(_ rule: CrossingRule) {
    var (cushion, share, time, enter, exit) = (0.0, 0.0, Int64(0), 0.0, 0.0)
    switch rule {
    case .geometric: return nil
    case .naive: kind = .naive
    case .coreLocation(let parameters):
      kind = .coreLocation
      cushion = parameters.cushion
      share = parameters.inwardShare
      time = parameters.timeToRemain.microseconds
    case .exitMargin(let fraction, let minimum):
      kind = .exitMargin
      (cushion, share) = (minimum, fraction)
    case .overlap(let least, let most):
      kind = .overlap
      (enter, exit) = (least, most)
    }
    self.cushion = cushion
    self.share = share
    timeToRemain = time
    self.enter = enter
    self.exit = exit
  }

  /// Whether a fix's accuracy can decide, and a track can begin with something open.
  @inline(__always)
  var usesAccuracy: Bool { kind == .coreLocation || kind == .overlap }

  /// Whether the room that a region has matters; and from where on more of it does not.
  var room: Meters? {
    switch kind {
    case .naive, .overlap: nil
    case .coreLocation: share > 0 && cushion > 0 ? cushion / share : nil
    case .exitMargin: share > 0 ? .infinity : nil
    }
  }

  /// How far beyond the boundary the device must be to have left, metres.
  @inline(__always)
  private func outward(_ room: Meters) -> Meters {
    kind == .exitMargin ? max(share * room, cushion) : cushion
  }

  /// How far within the boundary the device must be to have entered, metres.
  @inline(__always)
  private func inward(_ room: Meters) -> Meters {
    kind == .coreLocation ? min(cushion, share * room) : 0
  }

  /// Whether an error of `slack` in the distance could make another decision.
  @inline(__always)
  func isDoubtful(_ sight: Sight, accuracy: Meters, slack: Meters) -> Bool {
    let d = sight.distance
    if abs(d) <= slack { return true }
    switch kind {
    case .naive, .overlap: return false
    case .exitMargin: return abs(d - outward(sight.room)) <= slack
    case .coreLocation:
      return abs(abs(d) - accuracy) <= slack || abs(d - cushion) <= slack
        || abs(d + inward(sight.room)) <= slack
    }
  }

  /// Where the device stands after a fix.
  ///
  /// - Parameters:
  ///   - standing: Where it stood before.
  ///   - time: The fix's, microseconds.
  @inline(__always)
  func decide(_ standing: Standing, _ sight: Sight, accuracy: Meters, time: Int64) -> Standing {
    let d = sight.distance
    switch kind {
    case .naive: return Standing(isInside: d <= 0)
    case .exitMargin:
      return Standing(isInside: d <= 0 || (standing.isInside && d <= outward(sight.room)))
    case .overlap: return overlap(standing, sight, accuracy)
    case .coreLocation:
      // A disc that straddles the boundary decides nothing: as if there were no fix.
      if abs(d) < accuracy { return standing }
      if standing.isOpen { return Standing(isInside: d <= 0) }
      let isBeyond =
        standing.isInside ? d > 0 && d >= cushion : d <= 0 && d <= -inward(sight.room)
      guard isBeyond else { return Standing(isInside: standing.isInside) }
      // The least time is no time: it says that the track's beginning is open.
      let since = standing.isPending ? standing.since : max(time, .min + 1)
      let (duration, overflow) = time.subtractingReportingOverflow(since)
      return overflow || duration >= timeToRemain || timeToRemain == 0
        ? Standing(isInside: !standing.isInside) : Standing(isInside: standing.isInside, since: since)
    }
  }

  private func overlap(_ standing: Standing, _ sight: Sight, _ accuracy: Meters) -> Standing {
    let share =
      if accuracy <= 1e-6 {
        // A point.
        sight.distance <= 0 ? 1.0 : 0.0
      } else if let radius = sight.radius {
        DiscOverlap.share(distance: sight.distance, accuracy: accuracy, radius: radius)
      } else {
        DiscOverlap.share(distance: sight.distance, accuracy: accuracy)
      }
    if share >= enter { return Standing(isInside: true) }
    if share <= exit { return Standing(isInside: false) }
    return standing
  }

  /// How far the device may go before the region can matter, metres; negative when every fix may.
  ///
  /// Core Location: between the two cushions nothing begins or ends, whatever the accuracy, which only keeps fixes from
  /// deciding; and while something is pending, nothing does beyond the cushion, until its time. Overlap: a disc that does
  /// not reach the boundary has a share of 0 or 1, which is what is reported; the quick test sees to the disc.
  @inline(__always)
  func clearance(_ standing: Standing, _ sight: Sight) -> Meters {
    let d = sight.distance
    if standing.isOpen { return -1 }
    switch kind {
    case .naive: return abs(d)
    case .exitMargin: return standing.isInside ? outward(sight.room) - d : d
    case .overlap: return standing.isInside == (d <= 0) ? abs(d) : -1
    case .coreLocation:
      let within = standing.isInside ? cushion - d : d + inward(sight.room)
      return standing.isPending ? -within : within
    }
  }
}
