internal import Synchronization
internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Finds the regions that are too small or too crowded to be noticed, from how phones truly passed them.
///
/// Small: the way of each pass is held to what the phone needs (``RadiusDetection``), and the least radius is sought at which
/// the share that is wanted would be reported. Crowded: the registration planner is taken along each track, and where its plans
/// are saturated there are more boundaries within reach than slots; a phone that is followed has no slots to run out of.
///
///     let advice = try RadiusAdvisor(profile: phone).advise(regions, tracks: tracks)
///     for row in advice.rows where row.verdict != .fine { print(row.identifier, row.advisedRadius ?? .nan) }
public struct RadiusAdvisor: Sendable {
  /// The phone.
  public var profile: DeviceProfile
  /// What notices.
  public var means: RadiusDetection.Means
  /// The share of passes that is wanted, 0...1.
  public var share: Double
  /// What the planner allows for; its capacity is the phone's slots.
  public var plan: PlanOptions

  /// An advisor.
  ///
  /// - Parameters:
  ///   - profile: The phone.
  ///   - means: What notices; the system's region monitoring by default.
  ///   - share: 0.9 by default; taken into 0...1, and not a number to be 0.9.
  ///   - plan: What the planner allows for; a phone's margins by default.
  public init(
    profile: DeviceProfile, means: RadiusDetection.Means = .regionMonitoring, share: Double = 0.9,
    plan: PlanOptions = PlanOptions()
  ) {
    self.profile = profile
    self.means = means
    self.share = share.isNaN ? 0.9 : max(0, min(1, share))
    self.plan = plan
    self.plan.capacity = profile.regions.slots
  }

  /// Advice on regions from some tracks.
  ///
  /// - Throws: ``AdviceError``: what is wrong with which track, or with the planner's options.
  /// - Complexity: O(fixes + seconds of passes), on `threads` threads.
  public func advise(
    _ regions: RegionIndex, tracks: [TrueTrack], threads: Int = 1
  ) throws(AdviceError) -> RadiusAdvice {
    try advise(regions, trackCount: tracks.count, threads: threads) { tracks[$0] }
  }

  /// Advice on regions from tracks that are made or read when they are wanted.
  ///
  /// - Parameters:
  ///   - regions: The regions.
  ///   - trackCount: How many tracks there are.
  ///   - threads: How many of them are looked at at once; the advice is the same whatever it is.
  ///   - track: Makes one of them; called from several threads, once or twice for each.
  /// - Throws: ``AdviceError``, of the first track in their order.
  public func advise(
    _ regions: RegionIndex, trackCount: Int, threads: Int = 1,
    track: @escaping @Sendable (Int) throws -> TrueTrack
  ) throws(AdviceError) -> RadiusAdvice {
    do { try profile.check() } catch { throw .profile(error) }
    let detection = RadiusDetection(means, on: profile)
    let plan = means == .regionMonitoring ? plan : nil
    let found = try Self.inOrder(trackCount, threads) { number throws(AdviceError) in
      try TrackPasses(try Self.made(track, number), number: number, regions, detection, plan: plan)
    }
    var passes: [Int: [TrackPass]] = [:]
    for track in found { for pass in track.passes { passes[pass.region, default: []].append(pass) } }
    let assessor = RadiusAssessor(detection: detection, share: share)
    var rows = passes.keys.sorted().map { assessor.row($0, of: regions, passes[$0] ?? []) }
    try countPasses(&rows, of: regions, trackCount, threads, track)
    rows.sort { ($0.verdict.rank, $0.region) < ($1.verdict.rank, $1.region) }
    return RadiusAdvice(
      detection: detection, share: share, slots: profile.regions.slots, rows: rows,
      unpassed: regions.count - rows.count, crowdedPlaces: CrowdedCells.merged(found.map(\.cells)))
  }

  /// Counts how many times the regions that are to be larger would be entered.
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
          let circle = RegionCircle(row.region, of: regions)
          return Region(
            identifier: row.identifier, center: circle.center, radius: row.advisedRadius ?? circle.radius)
        })
    } catch {
      throw .regions(error)
    }
    let counts = try Self.inOrder(trackCount, threads) { number throws(AdviceError) -> [Int: Int] in
      let made = try Self.made(track, number)
      let crossings: [Crossing]
      do throws(SimulationError) { crossings = try made.crossings(of: larger) } catch {
        throw AdviceError.track(number: number, reason: "\(error)")
      }
      var counts: [Int: Int] = [:]
      for crossing in crossings where crossing.kind == .enter && !crossing.isInferred {
        counts[crossing.region, default: 0] += 1
      }
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

  /// Results of several threads in the order of their numbers; the error of the first that has one.
  package static func inOrder<T: Sendable>(
    _ count: Int, _ threads: Int, _ body: @Sendable (Int) throws(AdviceError) -> T
  ) throws(AdviceError) -> [T] {
    let results = Mutex([Result<T, AdviceError>?](repeating: nil, count: max(0, count)))
    Parallel.forEach(count, threads: threads) { number in
      let result: Result<T, AdviceError>
      do throws(AdviceError) { result = .success(try body(number)) } catch { result = .failure(error) }
      results.withLock { $0[number] = result }
    }
    var values: [T] = []
    for result in results.withLock({ $0 }) {
      switch result {
      case .success(let value)?: values.append(value)
      case .failure(let error)?: throw error
      case nil: continue
      }
    }
    return values
  }
}
