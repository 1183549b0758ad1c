import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What fixes that jitter on a boundary cause under each rule.
@Suite struct RuleNoiseTests {
  static let rules: [CrossingRule] = [
    .geometric, .naive, .exitMargin(), .overlap(), .coreLocation(),
  ]

  /// A device that goes over the boundary of a circle of 1 km, stays on it for ten minutes, goes on to 600 m
  /// beyond, stays, and comes back the same way, again and again: a fix a second, with Gaussian errors.
  static func border(_ crossings: Int, sigma: Double, seed: UInt64) -> [Fix] {
    var random = SplitMix64(seed: seed)
    func gauss() -> Double {
      (-2 * log(1 - random.unit())).squareRoot() * cos(2 * .pi * random.unit())
    }
    var fixes: [Fix] = []
    var distance = 600.0
    var seconds = 0.0
    func emit() {
      let place = Geodesic.uncheckedDirect(
        DetectorTests.north(1000 + distance + sigma * gauss()), azimuth: 90, distance: sigma * gauss())
      fixes.append(
        DetectorTests.fix(seconds, place.coordinate, accuracy: sigma * random.uniform(0.7...1.5)))
      seconds += 1
    }
    for crossing in 0..<crossings {
      let end = crossing % 2 == 0 ? -600.0 : 600
      while distance != 0 {
        distance = abs(distance) < 1.4 ? 0 : distance - (distance < 0 ? -1.4 : 1.4)
        emit()
      }
      for _ in 0..<600 { emit() }
      while distance != end {
        distance = abs(end - distance) < 1.4 ? end : distance + (end < 0 ? -1.4 : 1.4)
        emit()
      }
      for _ in 0..<60 { emit() }
    }
    return fixes
  }

  @Test(arguments: [5.0, 15, 40])
  func border(_ sigma: Double) throws {
    let seed: UInt64 = 4100
    let crossings = 10
    let index = try RegionIndex([
      Region(identifier: "r", center: DetectorTests.home, radius: 1000)
    ])
    let fixes = Self.border(crossings, sigma: sigma, seed: seed)
    var counts: [String: Int] = [:]
    for rule in Self.rules {
      let events = try TrackGenerator.crossings(fixes, index, CrossingOptions(rule: rule))
      counts[rule.name] = events.count
      for (a, b) in zip(events, events.dropFirst()) { #expect(a.kind != b.kind) }
      if case .coreLocation = rule {
        #expect(events.count == crossings, "seed \(seed), sigma \(sigma)")
        for (i, event) in events.enumerated() { #expect(event.kind == (i % 2 == 0 ? .enter : .exit)) }
      }
    }
    // Half the fixes of each stay are on the other side.
    #expect(counts["naive", default: 0] > 100 * crossings, "seed \(seed), sigma \(sigma)")
    print(
      "\(fixes.count) fixes, \(crossings) crossings, error \(sigma) m:", counts.sorted { $0.key < $1.key })
  }

  /// A phone carried round a block for ten minutes, 100 m to either side, its GPS, fused and network
  /// positions in one stream; and circles whose boundaries go through the middle.
  @Test(.enabled(if: SharedTracks.has("gnss_android"), "needs ../shared/data/tracks/gnss_android"))
  func roundTheBlock() throws {
    let fixes = try SharedTracks.phone()
    #expect(fixes.count > 200)
    let north = fixes.map(\.coordinate.latitude).sorted()[fixes.count / 2]
    let east = fixes.map(\.coordinate.longitude).sorted()[fixes.count / 2]
    let middle = Coordinate(latitude: north, longitude: east)
    let regions = (0..<36).map { i in
      let radius = [60.0, 100, 300][i % 3]
      return Region(
        identifier: "\(i)",
        center: Geodesic.uncheckedDirect(middle, azimuth: 10 * Double(i), distance: radius).coordinate,
        radius: radius)
    }
    let index = try RegionIndex(regions)
    var counts: [String: Int] = [:]
    for rule in Self.rules {
      let options = CrossingOptions(rule: rule)
      let events = try TrackGenerator.crossings(fixes, index, options)
      counts[rule.name] = events.count
      if rule != .geometric {
        #expect(events == RuleOracle.crossings(fixes, RuleOracle.targets(regions), options))
      }
    }
    // The walk goes twice over most boundaries, and comes back before the cushion of the larger circles.
    #expect(counts["core-location", default: 0] <= 72)
    #expect(counts["naive", default: 0] > 10 * 36)
    print(
      "\(fixes.count) fixes of a phone, 36 circles:", counts.sorted { $0.key < $1.key })
  }
}

extension SharedTracks {
  /// All fixes of a phone's log, whatever gave them, by time; the first of those at one time.
  static func phone() throws -> [Fix] {
    var fixes: [Fix] = []
    for line in try lines("gnss_android/pixel6.txt") where line.hasPrefix("Fix,") {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count > 8, let latitude = Double(fields[2]), let longitude = Double(fields[3]),
        let accuracy = Double(fields[6]), let time = Int64(fields[8])
      else { continue }
      fixes.append(
        Fix(
          time: Timestamp(microseconds: time * 1000),
          coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: accuracy))
    }
    fixes.sort { $0.time < $1.time }
    var result: [Fix] = []
    for fix in fixes where result.last.map({ $0.time < fix.time }) ?? true { result.append(fix) }
    return result
  }
}
