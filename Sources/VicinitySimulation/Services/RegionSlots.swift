internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

/// The regions that the system watches, and where it takes the phone to be with respect to each.
///
/// A region is entered, or left, when the phone has been seen beyond the cushion, and is still seen there when the time to
/// remain is over; a position back within the cushion cancels. Outwards the cushion is the profile's; inwards it is at most
/// a share of the radius, for a small region has no room for more. Positions by cells alone decide nothing about a boundary
/// that is nearer than their accuracy.
final class RegionSlots {
  struct Slot {
    var region: MonitoredRegion
    /// Distinguishes a registration from later ones of the identifier.
    var number: Int
    /// A circle's; of no meaning for beacons.
    var center: ECEF
    var radius: Meters
    /// How far within the boundary the phone must be to have entered.
    var inward: Meters
    var state = RegionState.unknown
    /// Since when the phone has been beyond the cushion.
    var beyondSince: Timestamp?
    /// Whether the app waits to be told the state.
    var isAskedFor = false

    var isCircle = false
  }

  /// A state that has become known, or another.
  struct Change {
    var slot: Int
    var before: RegionState
    var state: RegionState
  }

  private(set) var slots: [Slot] = []
  private var lastNumber = 0
  private let cushion: Meters
  private let inwardShare: Double
  private let timeToRemain: Double
  /// Within this chord of that place nothing changes.
  private var quiet: (place: ECEF, radius: Meters)?
  private(set) var circleCount = 0

  init(_ profile: RegionMonitoringProfile) {
    cushion = profile.cushion.value
    inwardShare = profile.inwardShare.value
    timeToRemain = profile.timeToRemain.value
  }

  // MARK: Registering

  func index(of identifier: String) -> Int? { slots.firstIndex { $0.region.identifier == identifier } }

  func slot(number: Int) -> Slot? { slots.first { $0.number == number } }

  /// Takes in a region, in place of one with the same identifier.
  func add(_ region: MonitoredRegion) -> Int {
    remove(region.identifier)
    lastNumber += 1
    var slot = Slot(
      region: region, number: lastNumber, center: ECEF(x: 0, y: 0, z: 0), radius: 0, inward: 0)
    if case .circle(let center, let radius) = region.area {
      slot.isCircle = true
      slot.center = ECEF(unchecked: center)
      slot.radius = radius
      slot.inward = min(cushion, inwardShare * radius)
      circleCount += 1
    }
    slots.append(slot)
    quiet = nil
    return slots.count - 1
  }

  @discardableResult
  func remove(_ identifier: String) -> Bool {
    guard let index = index(of: identifier) else { return false }
    if slots[index].isCircle { circleCount -= 1 }
    slots.remove(at: index)
    quiet = nil
    return true
  }

  func setState(_ state: RegionState, of slot: Int) { slots[slot].state = state }

  func setAskedFor(_ isAskedFor: Bool, _ slot: Int) { slots[slot].isAskedFor = isAskedFor }

  // MARK: Deciding

  /// Whether a circle's state is not known.
  var isOpen: Bool {
    for index in slots.indices where slots[index].isCircle && slots[index].state == .unknown { return true }
    return false
  }

  /// When what is beyond a cushion has remained there for long enough.
  var nextConfirmation: Timestamp? {
    var first: Timestamp?
    for index in slots.indices {
      guard let since = slots[index].beyondSince else { continue }
      first = min(first ?? .distantFuture, since.advanced(bySeconds: timeToRemain))
    }
    return first
  }

  /// Whether a position cannot change anything.
  func isQuiet(at place: ECEF) -> Bool { quiet.map { $0.place.chord(to: place) < $0.radius } ?? false }

  /// What a position decides.
  func see(_ fix: Fix, at place: ECEF, isOfCells: Bool) -> [Change] {
    var changes: [Change] = []
    var clearance = Double.infinity
    for index in slots.indices where slots[index].isCircle {
      let distance = boundaryDistance(index, fix.coordinate, place)
      if isOfCells, abs(distance) < fix.horizontalAccuracy {
        slots[index].beyondSince = nil
        clearance = 0
        continue
      }
      let before = slots[index].state
      decide(index, distance, at: fix.time)
      let state = slots[index].state
      if state != before { changes.append(Change(slot: index, before: before, state: state)) }
      if slots[index].beyondSince != nil {
        clearance = 0
      } else {
        let room = state == .inside ? cushion - distance : distance + slots[index].inward
        clearance = min(clearance, room)
      }
    }
    // Up to 100 km a chord is less than 1.1 m shorter than its geodesic.
    quiet = (place, min(clearance, 100_000) - 1.1)
    return changes
  }

  /// There is no position: what has begun begins anew.
  func loseTrack() {
    for index in slots.indices { slots[index].beyondSince = nil }
    quiet = nil
  }

  private func boundaryDistance(_ index: Int, _ coordinate: Coordinate, _ place: ECEF) -> Meters {
    let (distance, error) = Geodesic.certifiedDistance(from: place, to: slots[index].center)
    if error < 1 { return distance - slots[index].radius }
    guard case .circle(let center, let radius) = slots[index].region.area else { return .infinity }
    return Geodesic.uncheckedDistance(coordinate, center) - radius
  }

  private func decide(_ index: Int, _ distance: Meters, at time: Timestamp) {
    let state = slots[index].state
    let isBeyond: Bool
    switch state {
    case .unknown:
      slots[index].state = distance <= 0 ? .inside : .outside
      return
    case .inside: isBeyond = distance > 0 && distance >= cushion
    case .outside: isBeyond = distance <= -slots[index].inward
    }
    guard isBeyond else {
      if slots[index].beyondSince != nil { slots[index].beyondSince = nil }
      return
    }
    let since = slots[index].beyondSince ?? time
    slots[index].beyondSince = since
    guard time >= since.advanced(bySeconds: timeToRemain) else { return }
    slots[index].state = state == .inside ? .outside : .inside
    slots[index].beyondSince = nil
  }
}
