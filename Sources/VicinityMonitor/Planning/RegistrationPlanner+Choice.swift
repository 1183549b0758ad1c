internal import VicinityGeodesy
internal import VicinityIndex

/// What is chosen at a place.
struct PlanChoice {
  /// Where.
  var center: Coordinate
  /// S: nearest first.
  var chosen: [Neighbor] = []
  /// What would need a slot and is too many for that, in no order.
  var crowdedOut: [Neighbor] = []
  /// What is too large to be registered, of what was found; nearest first.
  var watched: [Neighbor] = []
  /// D, metres, rounded down.
  var certificate: Meters = .infinity
  /// The vicinity's radius, metres, rounded down; of no use where there is a reason for none.
  var radius: Meters = .infinity
  var reason: Plan.Saturation.Reason?
}

extension RegistrationPlanner {
  /// Chooses registrations around a place.
  ///
  /// - Parameters:
  ///   - error: How far from there the device may be, metres: every region with a gap up to that is wanted.
  ///   - margin: What the vicinity must be smaller by than the certificate, metres.
  mutating func choose(
    at center: Coordinate, error: Meters, margin: Meters
  ) throws(GeodesyError) -> PlanChoice {
    let slots = options.slots
    var choice = PlanChoice(center: center)
    let isComplete = try gather(at: center, error: error)
    if index.count <= slots, bench.watched.isEmpty, isComplete {
      choice.chosen = bench.free + bench.pinned
      if !bench.pinned.isEmpty { choice.chosen.sort(by: Neighbor.isNearer) }
      return choice
    }
    choice.watched = bench.watched
    let room = options.regionSlots
    choice.chosen.reserveCapacity(room)
    let needed = bench.free.prefix { $0.distance <= error }.count
    var certificate = Meters.infinity
    // Farther ones count where nearer ones are left out, too.
    if bench.pinned.count + needed > room {
      var wanted = Array(bench.free.prefix(needed))
      let precedence = bench.precedence
      bench.pinned.sort { precedence.isFirst($0, before: $1) }
      wanted.sort { precedence.isFirst($0, before: $1) }
      choice.chosen = Array((bench.pinned + wanted).prefix(room))
      choice.crowdedOut = Array((bench.pinned + wanted).dropFirst(room))
      for neighbor in choice.crowdedOut { certificate = min(certificate, neighbor.gap) }
      if needed < bench.free.count { certificate = min(certificate, bench.free[needed].gap) }
      choice.chosen.sort(by: Neighbor.isNearer)
    } else {
      let nearest = min(room - bench.pinned.count, bench.free.count)
      choice.chosen.append(contentsOf: bench.free[..<nearest])
      if nearest < bench.free.count { certificate = bench.free[nearest].gap }
      if !bench.pinned.isEmpty {
        choice.chosen.append(contentsOf: bench.pinned)
        choice.chosen.sort(by: Neighbor.isNearer)
      }
    }
    // What is watched counts by its boundary from within, too: it cannot be entered without having been left.
    for neighbor in bench.watched { certificate = min(certificate, abs(neighbor.distance)) }
    // A damaged file may hide regions.
    if !isComplete { certificate = 0 }
    choice.certificate = Self.roundedDown(certificate - slack)
    choice.radius = min(Self.roundedDown(choice.certificate - margin), options.maximumRadius)
    choice.reason = reason(choice, error: error)
    return choice
  }

  private func reason(_ choice: PlanChoice, error: Meters) -> Plan.Saturation.Reason? {
    let room = options.regionSlots
    if options.slots == 0 { return .noSlots }
    if bench.pinned.count > room { return .tooManyPinned }
    if choice.certificate <= error {
      let occupied =
        bench.free.prefix { $0.distance <= 0 }.count + bench.pinned.count { $0.distance <= 0 }
      return occupied > room ? .tooManyOccupied : .errorTooLarge
    }
    return choice.radius > 0 && choice.radius >= options.minimumReliableRadius ? nil : .radiusTooSmall
  }

  /// Finds the nearest regions: as many as there is room for and one more that may be registered and is not pinned, and
  /// all with a gap up to the error.
  ///
  /// - Returns: Whether the index has told of all it should.
  private mutating func gather(at center: Coordinate, error: Meters) throws(GeodesyError) -> Bool {
    bench.lookUp(options, in: index)
    let n = index.count
    let enough = n <= options.slots ? n : options.regionSlots + 1
    var count = min(n, enough + bench.pins.count)
    while true {
      do {
        try index.nearest(
          count, to: center, options: QueryOptions(), scratch: &bench.scratch, into: &bench.found)
      } catch {
        throw .invalidCoordinate(center)
      }
      part()
      guard bench.found.count == count else { break }
      if count == n { break }
      let reach = bench.found.last?.distance ?? .infinity
      if bench.free.count >= enough, reach > error { break }
      count = min(n, 4 * count + 16)
    }
    try addPins(at: center)
    return bench.found.count == count
  }

  /// Parts what was found into what may be registered and what is too large.
  private mutating func part() {
    bench.free.removeAll(keepingCapacity: true)
    bench.watched.removeAll(keepingCapacity: true)
    let largest = options.maximumRegionRadius
    guard largest < .infinity || !bench.pins.isEmpty else {
      bench.free.append(contentsOf: bench.found)
      return
    }
    for neighbor in bench.found where !bench.pinnedOrdinals.contains(neighbor.ordinal) {
      if largest < .infinity, (index.enclosingRadius(of: neighbor.ordinal) ?? .infinity) > largest {
        bench.watched.append(neighbor)
      } else {
        bench.free.append(neighbor)
      }
    }
  }

  private mutating func addPins(at center: Coordinate) throws(GeodesyError) {
    bench.pinned.removeAll(keepingCapacity: true)
    for pin in bench.pins {
      let neighbor = Neighbor(
        ordinal: pin.ordinal, distance: try pin.shape.boundaryDistance(from: center),
        centerDistance: .nan)
      if pin.isTooLarge { bench.watched.append(neighbor) } else { bench.pinned.append(neighbor) }
    }
    if !bench.pins.isEmpty { bench.watched.sort(by: Neighbor.isNearer) }
  }

  /// How far a gap may be above the truth, metres: 1e-6 for circles; 1e-3 for polygons, whose order within 2 mm is free.
  private var slack: Meters { index.polygonCount > 0 ? 3e-3 : 1e-6 }

  /// A length in whole millimetres, so that text with three digits says no more than is true.
  static func roundedDown(_ length: Meters) -> Meters {
    guard length < 1e9 else { return length }
    return max(0, (length * 1000).rounded(.down) / 1000)
  }
}

extension PlanOptions {
  /// Slots for regions where a sentinel has to have one, and a spare one is kept.
  var regionSlots: Int { max(0, slots - (swapPolicy == .spareSlot ? 2 : 1)) }
}
