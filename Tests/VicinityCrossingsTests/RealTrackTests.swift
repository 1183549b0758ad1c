import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// Real tracks against PROJ alone.
@Suite("Crossings on real tracks")
struct RealTrackTests {
  /// Circles on and beside the fixes of tracks.
  private func circles(
    _ tracks: [[Fix]], _ count: Int, radii: ClosedRange<Double>, seed: UInt64
  ) -> [Region] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { i in
      let track = tracks[random.below(tracks.count)]
      let near = track[random.below(track.count)].coordinate
      let radius = random.logUniform(radii)
      let center = Geodesic.uncheckedDirect(
        near, azimuth: random.uniform(0...360), distance: random.uniform(0...1.5) * radius
      ).coordinate
      return Region(identifier: "\(i)", center: center, radius: radius)
    }
  }

  /// What a track's fixes become once those that cannot follow are taken out.
  private func usable(_ fixes: [Fix]) -> [Fix] {
    var result: [Fix] = []
    for fix in fixes where result.last.map({ $0.time < fix.time }) ?? true { result.append(fix) }
    return result
  }

  /// The number of crossings, each track's compared with the oracle's.
  private func compare(
    _ tracks: [[Fix]], _ regions: [Region], maximumGap: Duration = .seconds(1_000_000_000)
  ) throws -> Int {
    let index = try RegionIndex(regions)
    let distances = CrossingOracle.distances(regions)
    var total = 0
    for (i, track) in tracks.enumerated() {
      let fixes = usable(track)
      guard fixes.count > 1 else { continue }
      let crossings = try TrackGenerator.crossings(fixes, index, CrossingOptions(maximumGap: maximumGap))
      let message = disagreement(
        crossings, CrossingOracle.events(fixes, distances), fixes, distances)
      #expect(message == nil, "track \(i)")
      total += crossings.count
    }
    return total
  }

  @Test(.enabled(if: SharedTracks.has("hurdat2_nepac"), "needs ../shared/data/tracks/hurdat2_nepac"))
  func hurricanes() throws {
    let storms = try SharedTracks.storms()
    #expect(storms.count > 1000)
    let across = storms.filter { storm in
      zip(storm, storm.dropFirst()).contains { abs($0.coordinate.longitude - $1.coordinate.longitude) > 180 }
    }
    #expect(across.count >= 15)
    let regions = circles(across, 40, radii: 20_000...600_000, seed: 11)
    let total = try compare(across, regions)
    #expect(total > 200)
    print("storms across the antimeridian: \(across.count), crossings \(total)")
    // Six hours are a gap unless somebody says otherwise: all is inferred then.
    let inferred = try TrackGenerator.crossings(usable(across[0]), try RegionIndex(regions))
    #expect(inferred.allSatisfy { $0.isInferred })
  }

  @Test(.enabled(if: SharedTracks.has("adsb/kiwi.json.gz"), "needs ../shared/data/tracks/adsb"))
  func flights() throws {
    let flights = try SharedTracks.flights("kiwi.json.gz") + SharedTracks.flights("noumea.json.gz")
    let regions = circles(flights, 25, radii: 200...60_000, seed: 12)
    let total = try compare(flights, regions)
    #expect(total > 30)
    print("flights: \(flights.count), crossings \(total)")
  }

  @Test(.enabled(if: SharedTracks.has("bus_liverpool"), "needs ../shared/data/tracks/bus_liverpool"))
  func buses() throws {
    let buses = try SharedTracks.buses()
    let regions = circles(buses, 40, radii: 20...600, seed: 13)
    let total = try compare(buses, regions)
    #expect(total > 100)
    // As they come: repeats are dropped, what runs backwards is refused, and nothing else.
    let index = try RegionIndex(regions)
    var counts = FixCounts()
    var refused = 0
    for bus in buses {
      var detector = try CrossingDetector(index)
      for fix in bus {
        do {
          _ = try detector.advance(to: fix)
        } catch {
          refused += 1
        }
      }
      counts = counts + detector.counts
    }
    #expect(counts.fixes + counts.repeats + refused == buses.reduce(0) { $0 + $1.count })
    print("buses: \(buses.count), crossings \(total), \(counts), refused \(refused)")
  }

  @Test(.enabled(if: SharedTracks.has("porto_taxi"), "needs ../shared/data/tracks/porto_taxi"))
  func taxis() throws {
    let all = try SharedTracks.taxis()
    #expect(all.count > 900)
    let taxis = stride(from: 0, to: all.count, by: 16).map { all[$0] }
    let total = try compare(taxis, circles(taxis, 40, radii: 30...800, seed: 14))
    #expect(total > 100)
    print("taxis: \(taxis.count), crossings \(total)")
  }
}
