internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Finds the regions that are too small or too crowded to be noticed, from how phones truly passed them.
///
/// Too small: each pass is compared with what the phone needs (``RadiusDetection``), and the advisor looks
/// for the least radius at which the wanted share of passes would be reported. Too crowded: the registration
/// planner runs along each track; where its plans are saturated, more boundaries are within reach than there
/// are slots. Continuous tracking needs no slots, so nothing is crowded then.
///
///     let advice = try RadiusAdvisor(profile: phone).advise(regions, tracks: tracks)
///     for row in advice.rows where row.verdict != .fine { print(row.identifier, row.advisedRadius ?? .nan) }
public struct RadiusAdvisor: Sendable {
  public var profile: DeviceProfile
  public var method: DetectionMethod
  /// The share of passes that should be reported, 0...1.
  public var share: Double
  /// The planner's options. The phone's slots are planned for, or fewer where a smaller capacity is given.
  public var plan: PlanOptions

  /// - Parameters:
  ///   - profile: The phone that detects the entries.
  ///   - method: How entries are detected.
  ///   - share: The share of passes that should be reported; clamped to 0...1, and 0.9 for NaN.
  ///   - plan: The planner's options. The phone's slots are planned for, or fewer where a smaller capacity is
  ///     given.
  public init(
    profile: DeviceProfile, method: DetectionMethod = .regionMonitoring, share: Double = 0.9,
    plan: PlanOptions = PlanOptions()
  ) {
    self.profile = profile
    self.method = method
    self.share = share.isNaN ? 0.9 : max(0, min(1, share))
    self.plan = plan
  }

  /// Gives advice on regions from some tracks.
  ///
  /// - Throws: ``AdviceError``: what is wrong with which track, or with the planner's options.
  /// - Complexity: O(fixes + seconds of passes), on `threads` threads.
  public func advise(
    _ regions: RegionIndex, tracks: [TrueTrack], threads: Int = 1
  ) throws(AdviceError) -> RadiusAdvice {
    try advise(regions, trackCount: tracks.count, threads: threads) { tracks[$0] }
  }

  /// Gives advice on regions from tracks that are made or read when they are needed.
  ///
  /// - Parameters:
  ///   - regions: The regions to give advice on.
  ///   - trackCount: How many tracks there are; their numbers begin at 0.
  ///   - threads: How many tracks to work on at once; the advice does not depend on it.
  ///   - track: Makes the track of a number; called from several threads, once or twice for each number.
  /// - Throws: ``AdviceError``, of the first track that fails.
  public func advise(
    _ regions: RegionIndex, trackCount: Int, threads: Int = 1,
    track: @escaping @Sendable (Int) throws -> TrueTrack
  ) throws(AdviceError) -> RadiusAdvice {
    do { try profile.check() } catch { throw .profile(error) }
    let detection = RadiusDetection(method, on: profile)
    let fitted = plan.fitted(toSlots: profile.regions.slots)
    let plan = method == .regionMonitoring ? fitted : nil
    let found = try Parallel.map(trackCount, threads: threads) { number throws(AdviceError) in
      try TrackPasses(try Self.made(track, number), number: number, regions, detection, plan: plan)
    }
    var passes: [Int: [TrackPass]] = [:]
    for track in found { for pass in track.passes { passes[pass.region, default: []].append(pass) } }
    let assessor = RadiusAssessor(detection: detection, share: share)
    var rows = passes.keys.sorted().map { assessor.row($0, of: regions, passes[$0] ?? []) }
    try countPasses(&rows, of: regions, trackCount, threads, track)
    rows.sort { ($0.verdict.rank, $0.region) < ($1.verdict.rank, $1.region) }
    return RadiusAdvice(
      detection: detection, share: share, slots: fitted.capacity, rows: rows,
      unpassed: regions.count - rows.count, crowdedPlaces: CrowdedCells.merged(found.map(\.cells)))
  }

  /// Counts how many times the regions with a larger advised radius would be entered.
  private func countPasses(
    _ rows: inout [RadiusAdvice.Row], of regions: RegionIndex, _ trackCount: Int, _ threads: Int,
    _ track: @escaping @Sendable (Int) throws -> TrueTrack
  ) throws(AdviceError) {
    let changed = rows.indices.filter { index in
      rows[index].advisedRadius.map { $0 != rows[index].radius } ?? false
    }
    guard !changed.isEmpty else { return }
    let larger: RegionIndex
    do throws(RegionError) {
      larger = try RegionIndex(
        changed.map { index in
          let row = rows[index]
          let center =
            regions.enclosingCircle(of: row.region)?.center ?? Coordinate(latitude: 0, longitude: 0)
          return Region(
            identifier: row.identifier, center: center, radius: row.advisedRadius ?? row.radius)
        })
    } catch {
      throw .regions(error)
    }
    let counts = try Parallel.map(trackCount, threads: threads) {
      number throws(AdviceError) -> [Int: Int] in
      let made = try Self.made(track, number)
      let crossings: [Crossing]
      do throws(SimulationError) { crossings = try made.crossings(of: larger) } catch {
        throw AdviceError.track(number: number, reason: "\(error)")
      }
      var counts: [Int: Int] = [:]
      for crossing in crossings where crossing.kind == .enter { counts[crossing.region, default: 0] += 1 }
      return counts
    }
    for (place, index) in changed.enumerated() {
      rows[index].passesAtAdvisedRadius = counts.reduce(0) { $0 + ($1[place] ?? 0) }
    }
  }

  private static func made(
    _ track: @Sendable (Int) throws -> TrueTrack, _ number: Int
  ) throws(AdviceError) -> TrueTrack {
    do { return try track(number) } catch { throw .track(number: number, reason: "\(error)") }
  }
}

/// Judges a region by its passes.
struct RadiusAssessor {
  let detection: RadiusDetection
  let share: Double

  func row(_ region: Int, of regions: RegionIndex, _ passes: [TrackPass]) -> RadiusAdvice.Row {
    let radius = regions.enclosingCircle(of: region)?.radius ?? 0
    let lengths = detection.lengths
    let expected = expected(passes, radius, lengths)
    let crowded = passes.count { $0.isCrowded }
    let reach = detection.reach(of: radius) + detection.accuracy
    // Without the accuracy: an error may happen to help.
    let possible = passes.count {
      $0.profile.duration(within: reach, lengths: lengths).map { $0 >= detection.timeToRemain } ?? false
    }
    let durations = passes.map(\.duration).sorted()
    let isEnough = expected >= share
    let verdict: RadiusAdvice.Verdict
    if possible == 0 {
      verdict = .undetectable
    } else if !isEnough {
      verdict = .unreliable
    } else {
      verdict = 2 * crowded > passes.count ? .crowded : .fine
    }
    return RadiusAdvice.Row(
      region: region, identifier: regions.identifier(of: region), radius: radius, passes: passes.count,
      possible: possible, expected: expected, crowded: crowded,
      medianDuration: durations.isEmpty ? 0 : durations[(durations.count - 1) / 2], verdict: verdict,
      advisedRadius: isEnough ? radius : leastRadius(passes, above: radius, lengths),
      passesAtAdvisedRadius: nil)
  }

  /// The share of passes that are expected to be reported if the region has some radius.
  private func expected(_ passes: [TrackPass], _ radius: Meters, _ lengths: [Double]) -> Double {
    let reach = detection.reach(of: radius)
    let sum = passes.reduce(0.0) { sum, pass in
      let duration = pass.profile.duration(within: reach, lengths: lengths)
      return sum + (duration.map(detection.share(noticedWithin:)) ?? 0)
    }
    return passes.isEmpty ? 0 : sum / Double(passes.count)
  }

  /// The least whole radius, metres, at which enough passes are expected to be reported; nil where even the
  /// largest is too small. By bisection, as the share does not fall when the radius grows.
  private func leastRadius(_ passes: [TrackPass], above present: Meters, _ lengths: [Double]) -> Meters? {
    var low = Int(min(present, detection.maximumRadius).rounded(.down))
    var high = Int(detection.maximumRadius)
    guard high > low, expected(passes, Meters(high), lengths) >= share else { return nil }
    while high - low > 1 {
      let middle = (low + high) / 2
      if expected(passes, Meters(middle), lengths) >= share { high = middle } else { low = middle }
    }
    return Meters(high)
  }
}

extension RadiusAdvice.Verdict {
  /// Orders verdicts, the worst first.
  var rank: Int {
    switch self {
    case .undetectable: 0
    case .unreliable: 1
    case .crowded: 2
    case .fine: 3
    }
  }
}

/// Why there is no advice.
public enum AdviceError: Error, Hashable, Sendable {
  /// A track cannot be made, or the phone cannot follow it; numbers count from zero.
  case track(number: Int, reason: String)
  case profile(DeviceProfileError)
  case options(PlanOptionsError)
  /// The regions with their advised radii cannot be indexed.
  case regions(RegionError)
}

extension AdviceError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .track(let number, let reason): "track \(number + 1): \(reason)"
    case .profile(let error): "the device profile: \(error)"
    case .options(let error): "the planner's options: \(error)"
    case .regions(let error): "\(error)"
    }
  }
}
