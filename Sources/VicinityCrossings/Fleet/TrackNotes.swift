package import VicinityGeodesy
package import VicinityIndex

/// The least and greatest latitude and longitude of positions, as they are written.
package struct CoordinateExtent: Equatable, Sendable {
  package var south = Double.infinity
  package var west = Double.infinity
  package var north = -Double.infinity
  package var east = -Double.infinity

  /// Of no positions.
  package init() {}

  package init(south: Double, west: Double, north: Double, east: Double) {
    self.south = south
    self.west = west
    self.north = north
    self.east = east
  }

  @inline(__always)
  package mutating func add(_ coordinate: Coordinate) {
    south = min(south, coordinate.latitude)
    north = max(north, coordinate.latitude)
    west = min(west, coordinate.longitude)
    east = max(east, coordinate.longitude)
  }

  package mutating func add(_ other: CoordinateExtent) {
    south = min(south, other.south)
    north = max(north, other.north)
    west = min(west, other.west)
    east = max(east, other.east)
  }

  /// Whether two extents have a position in common; where one crosses the antimeridian, its longitudes are
  /// not compared.
  private func meets(_ other: CoordinateExtent) -> Bool {
    guard south <= other.north, other.south <= north else { return false }
    return west > east || other.west > other.east || west <= other.east && other.west <= east
  }

  private var swapped: CoordinateExtent {
    CoordinateExtent(south: west, west: south, north: east, east: north)
  }

  private var text: String {
    func degrees(_ value: Double) -> String { DecimalText.string(value, decimals: 4) }
    return "latitude \(degrees(south)) to \(degrees(north)), longitude \(degrees(west)) to \(degrees(east))"
  }

  /// Where tracks and regions lie, for a run that found no event.
  ///
  /// - Parameter lastCoordinates: Where some of the devices were last seen; empty where there is no fix.
  package func emptyNote(_ index: RegionIndex, _ lastCoordinates: [Coordinate]) -> String {
    if lastCoordinates.isEmpty { return "no events: there are no fixes" }
    guard let bounds = index.details().bounds else { return "no events: there are no regions" }
    let regions = CoordinateExtent(
      south: bounds.south, west: bounds.west, north: bounds.north, east: bounds.east)
    var text = "no events: the fixes lie in \(self.text), the centres of the regions in \(regions.text)"
    // The nearest of a thousand devices tells enough.
    var nearest: Neighbor?
    for coordinate in lastCoordinates {
      guard let found = try? index.nearest(1, to: coordinate).first.map({ $0.neighbor }) else { continue }
      if found.distance < nearest?.distance ?? .infinity { nearest = found }
    }
    if let nearest {
      let name = index.identifier(of: nearest.ordinal)
      text +=
        nearest.distance > 0
        ? "; the region nearest to a device's last fix is \(name), \(Self.distance(nearest.distance)) away"
        : "; a device's last fix is inside \(name): it was inside at its first fix already, or the rule has not decided yet"
    }
    if mayBeSwapped(among: regions) {
      text +=
        "; with latitude and longitude swapped the fixes would lie among the regions: they may be swapped in the tracks "
        + "or in the regions"
    }
    return text
  }

  /// Whether positions would lie among regions, and do not, if latitude and longitude were swapped.
  private func mayBeSwapped(among regions: CoordinateExtent) -> Bool {
    let swapped = swapped
    return swapped.south >= -90 && swapped.north <= 90 && !meets(regions) && swapped.meets(regions)
  }

  private static func distance(_ metres: Double) -> String {
    metres < 10_000
      ? "\(DecimalText.grouped(Int(metres.rounded()))) m"
      : "\(DecimalText.grouped(Int((metres / 1000).rounded()))) km"
  }
}

/// Steps from one fix to the next of its device, and how many of them take longer than the longest gap.
package struct StepCounts: Equatable, Sendable {
  package var steps = 0
  package var gaps = 0

  package init(steps: Int = 0, gaps: Int = 0) { (self.steps, self.gaps) = (steps, gaps) }

  /// Whether a step takes longer than the longest gap; microseconds.
  @inline(__always)
  package static func isGap(from start: Int64, to end: Int64, _ maximumGap: Int64) -> Bool {
    let (duration, overflow) = end.subtractingReportingOverflow(start)
    return overflow || duration > maximumGap
  }

  /// What gaps hide; `nil` where there are no more than a few.
  ///
  /// - Parameters:
  ///   - maximumGap: Seconds.
  ///   - option: What the option is called that sets it.
  ///   - inferred: How many of the events were inferred.
  package func note(maximumGap: Double, option: String, inferred: Int) -> String? {
    guard gaps >= 10 || gaps > 0 && gaps * 10 >= steps else { return nil }
    let share = DecimalText.string(100 * Double(gaps) / Double(max(steps, 1)), decimals: 1)
    let seconds =
      maximumGap == maximumGap.rounded() && maximumGap.magnitude < 1e15
      ? "\(Int(maximumGap))" : "\(maximumGap)"
    return
      "\(DecimalText.grouped(gaps)) of \(DecimalText.count(steps, "step", "steps")) between fixes (\(share) %) "
      + "\(gaps == 1 ? "takes" : "take") longer than \(option) \(seconds) seconds: a visit that begins and ends within one is missed, and an "
      + "entry or exit is inferred (\(DecimalText.grouped(inferred)) of the events), at the fix after it"
  }
}

/// What the fixes of a run were like: what people are told of them.
package struct FleetTally: Sendable {
  package private(set) var steps = StepCounts()
  package private(set) var extent = CoordinateExtent()
  package private(set) var findings = FixFindings()
  /// How many fixes were left out because their device was elsewhere at that time.
  package internal(set) var conflicts = 0
  /// How many fixes were left out because their accuracy is negative.
  package private(set) var invalid = 0
  /// How many fixes repeat the time and the place of the one before.
  package private(set) var repeats = 0
  /// Values that whoever reads the fixes has left out.
  package internal(set) var remarks = ValueRemarks()
  /// Where time went back, and to which.
  package internal(set) var restarts: [(device: Int, next: Timestamp, restart: TrackOrder.Restart)] = []

  package init() {}

  /// Adds the fixes of a device. Repeats do not count, and of those of negative accuracy only how many they
  /// are.
  ///
  /// - Parameters:
  ///   - last: When the device was last seen; `nil` before its first fix.
  ///   - maximumGap: Microseconds.
  mutating func add(_ fixes: Span<Fix>, after last: Timestamp?, _ maximumGap: Int64) {
    var last = last?.microseconds
    // Copies, so that they stay in registers.
    var (findings, steps, extent, repeats) = (findings, steps, extent, repeats)
    for i in fixes.indices {
      let fix = fixes[i]
      if fix.horizontalAccuracy < 0 {
        invalid += 1
        continue
      }
      findings.add(fix)
      let time = fix.time.microseconds
      if let last {
        if time == last {
          repeats += 1
          continue
        }
        steps.steps += 1
        if StepCounts.isGap(from: last, to: time, maximumGap) { steps.gaps += 1 }
      }
      last = time
      extent.add(fix.coordinate)
    }
    (self.findings, self.steps, self.extent, self.repeats) = (findings, steps, extent, repeats)
  }

  /// What people are told of values and fixes that were left out.
  package var leftOutWords: [String] {
    // AIS's positions for "not available" become fixes of negative accuracy.
    ([FixFindings.invalidWords(invalid - remarks.noPositions)].compactMap(\.self)) + remarks.words
  }

  /// What people are told of repeats, where they are more than a tenth of the fixes.
  package var repeatWords: String? {
    guard repeats > findings.fixes / 10 else { return nil }
    return
      "\(DecimalText.grouped(repeats)) of \(DecimalText.grouped(findings.fixes)) fixes \(repeats == 1 ? "repeats" : "repeat") the time and the place of the one before: left out"
  }

  static func + (a: FleetTally, b: FleetTally) -> FleetTally {
    var sum = a
    sum.steps.steps += b.steps.steps
    sum.steps.gaps += b.steps.gaps
    sum.extent.add(b.extent)
    sum.findings = a.findings + b.findings
    sum.conflicts += b.conflicts
    sum.invalid += b.invalid
    sum.repeats += b.repeats
    sum.remarks += b.remarks
    sum.restarts += b.restarts
    return sum
  }
}
