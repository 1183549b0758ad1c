import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// What holds crossings to the oracle must see wrong ones. Right ones are the oracle's own, to the
/// microsecond.
@Suite struct CrossingJudgeTests {
  enum Shape: String, CaseIterable {
    case circles, polygons
  }

  /// Ways among regions, what happens on them, and the crossings that are easy to move.
  private final class Walk {
    let shape: Shape
    let fixes: [Fix]
    let distances: [CrossingOracle.Distance]
    let tolerance: Double
    let events: [CrossingOracle.Event]
    /// The right crossings.
    let crossings: [Crossing]
    /// Of these, the ones at which the way does not graze the boundary, and no corner and no fix is near.
    private(set) var clear: [Int] = []
    private var circles: [(center: Coordinate, radius: Double)] = []
    private var rings: [[Coordinate]] = []

    init(_ shape: Shape, seed: UInt64) {
      var random = SplitMix64(seed: seed)
      self.shape = shape
      let home = Coordinate(latitude: 48.2, longitude: 16.37)
      for i in 0..<12 {
        let center = Geodesic.uncheckedDirect(
          home, azimuth: random.uniform(0...360), distance: random.uniform(0...500)
        ).coordinate
        circles.append((center, random.uniform(60...400)))
        rings.append(PolygonCrossingTests.star(center, 4 + i, 150...400, &random))
      }
      var time: Int64 = 1_600_000_000_000_000
      fixes = (0..<10).map { _ in
        time += Int64(random.uniform(3e6...60e6))
        let there = Geodesic.uncheckedDirect(
          home, azimuth: random.uniform(0...360), distance: random.uniform(0...700))
        return Fix(time: Timestamp(microseconds: time), coordinate: there.coordinate)
      }
      switch shape {
      case .circles:
        distances = circles.map { CrossingOracle.circle($0.center, $0.radius) }
        tolerance = 1e-6
        events = CrossingOracle.events(fixes, distances).sorted { $0.seconds < $1.seconds }
      case .polygons:
        let oracles = rings.map { ring in
          PolygonOracle(
            rings: [ring],
            outside: Geodesic.uncheckedDirect(home, azimuth: 10, distance: 5000).coordinate)
        }
        distances = oracles.map(\.distance)
        tolerance = 1e-3
        events = PolygonOracle.events(fixes, oracles).sorted { $0.seconds < $1.seconds }
      }
      let fixes = fixes
      crossings = events.map { event in
        Crossing(
          region: event.region, kind: event.isEntry ? .enter : .exit,
          time: Timestamp(
            microseconds: fixes[0].time.microseconds + Int64((event.seconds * 1e6).rounded())),
          coordinate: CrossingOracle.Way(
            fixes[event.leg - 1].coordinate, fixes[event.leg].coordinate
          ).place(event.along))
      }
      clear = events.indices.filter { isClear(events[$0]) }
    }

    func way(_ i: Int) -> CrossingOracle.Way {
      CrossingOracle.Way(fixes[events[i].leg - 1].coordinate, fixes[events[i].leg].coordinate)
    }

    private func isClear(_ event: CrossingOracle.Event) -> Bool {
      let way = CrossingOracle.Way(fixes[event.leg - 1].coordinate, fixes[event.leg].coordinate)
      guard event.along > 12, event.along < way.length - 12 else { return false }
      let distance = distances[event.region]
      let slope = abs(distance(way.place(event.along + 0.1))) + abs(distance(way.place(event.along - 0.1)))
      guard slope > 0.2 * 0.3 else { return false }
      return shape == .circles
        || rings[event.region].allSatisfy { CrossingOracle.distance($0, way.place(event.along)) > 12 }
    }

    /// A place on the boundary, some metres along it from a crossing.
    func beside(_ i: Int, by distance: Double) -> Coordinate {
      let (crossing, region) = (crossings[i], crossings[i].region)
      switch shape {
      case .circles:
        let (center, radius) = circles[region]
        // Nearly a straight line: found again from the centre.
        let there = place(crossing.coordinate, bearing(center, crossing.coordinate) + 90, distance)
        return place(center, bearing(center, there), radius)
      case .polygons:
        let edges = zip(rings[region], rings[region].dropFirst()).map { CrossingOracle.Way($0, $1) }
        let feet = edges.map { $0.foot(of: crossing.coordinate, near: 0.5 * $0.length) }
        let edge = edges.indices.filter { feet[$0].along >= 0 && feet[$0].along <= edges[$0].length }.min {
          feet[$0].beside < feet[$1].beside
        }
        return edge.map { edges[$0].place(feet[$0].along + distance) } ?? crossing.coordinate
      }
    }

    private func bearing(_ from: Coordinate, _ to: Coordinate) -> Double {
      Geodesic.uncheckedInverse(from, to).azimuth1
    }

    func place(_ from: Coordinate, _ azimuth: Double, _ distance: Double) -> Coordinate {
      Geodesic.uncheckedDirect(from, azimuth: azimuth, distance: distance).coordinate
    }

    /// Away from the way, at right angles.
    func aside(_ i: Int, by distance: Double) -> Coordinate {
      place(
        crossings[i].coordinate, bearing(crossings[i].coordinate, way(i).place(events[i].along + 10)) + 90,
        distance)
    }

    /// The other crossing of the excursion that begins with an entry, if it is there.
    func exit(after entry: Int) -> Int? {
      crossings.indices.first { $0 > entry && crossings[$0].region == crossings[entry].region }
    }

    func complaint(_ crossings: [Crossing]) -> String? {
      disagreement(crossings, events, fixes, distances, tolerance: tolerance)
    }
  }

  private static let seed: UInt64 = 7300

  /// Changes clear crossings one by one, no more than two dozen, and expects a complaint each time.
  private func expectComplaints(
    _ shape: Shape, _ words: String, _ change: (Walk, Int, inout [Crossing]) -> Bool
  ) {
    let walk = Walk(shape, seed: Self.seed)
    #expect(walk.complaint(walk.crossings) == nil, "\(shape), seed \(Self.seed): right crossings")
    var count = 0
    for i in walk.clear where count < 24 {
      var crossings = walk.crossings
      guard change(walk, i, &crossings) else { continue }
      count += 1
      let complaint = walk.complaint(crossings)
      #expect(
        complaint?.contains(words) == true,
        "\(shape), seed \(Self.seed), crossing \(i): \(complaint ?? "accepted")")
    }
    #expect(count >= 5, "\(shape), seed \(Self.seed): \(count) crossings changed")
  }

  // MARK: Place and time

  @Test(arguments: Shape.allCases)
  func anEntryAtItsExit(_ shape: Shape) {
    expectComplaints(shape, "region") { walk, i, crossings in
      guard crossings[i].kind == .enter, let exit = walk.exit(after: i) else { return false }
      crossings[i].time = crossings[exit].time
      crossings[i].coordinate = crossings[exit].coordinate
      crossings.insert(crossings.remove(at: i), at: exit - 1)
      return true
    }
  }

  @Test(arguments: Shape.allCases)
  func allEntriesAtTheirExits(_ shape: Shape) {
    let walk = Walk(shape, seed: Self.seed)
    var crossings = walk.crossings
    for i in crossings.indices where crossings[i].kind == .enter {
      guard let exit = walk.exit(after: i) else { continue }
      crossings[i].time = crossings[exit].time
      crossings[i].coordinate = crossings[exit].coordinate
    }
    crossings.sort { $0.time < $1.time }
    #expect(walk.complaint(crossings) != nil, "\(shape), seed \(Self.seed)")
  }

  @Test(arguments: Shape.allCases, [1e-3, -1e-3, 5, -5])
  func placesAlongTheBoundary(_ shape: Shape, _ distance: Double) {
    expectComplaints(shape, "off the way") { walk, i, crossings in
      crossings[i].coordinate = walk.beside(i, by: distance)
      return true
    }
  }

  @Test(arguments: Shape.allCases, [1e-5, -1e-5])
  func placesBesideTheWay(_ shape: Shape, _ distance: Double) {
    // Of circles some are off the boundary as well, and that is seen first.
    expectComplaints(shape, " m off the ") { walk, i, crossings in
      crossings[i].coordinate = walk.aside(i, by: distance)
      return true
    }
  }

  /// Later, and so much farther along the way.
  @Test(arguments: Shape.allCases, [1.0, -1])
  func placesAlongTheWay(_ shape: Shape, _ sign: Double) {
    expectComplaints(shape, "off the boundary") { walk, i, crossings in
      let (event, way) = (walk.events[i], walk.way(i))
      let farther = sign * (shape == .circles ? 1e-5 : 1e-2)
      let duration = walk.fixes[event.leg].time.seconds(since: walk.fixes[event.leg - 1].time)
      crossings[i].coordinate = way.place(event.along + farther)
      crossings[i].time.microseconds += Int64((farther / way.length * duration * 1e6).rounded())
      return true
    }
  }

  @Test(arguments: Shape.allCases, [10, -10, 1000, -1000])
  func times(_ shape: Shape, _ microseconds: Int64) {
    expectComplaints(shape, "after the device was there") { _, i, crossings in
      crossings[i].time.microseconds += microseconds
      return true
    }
  }

  // MARK: Which

  @Test(arguments: Shape.allCases)
  func aPairDropped(_ shape: Shape) {
    expectComplaints(shape, "region") { walk, i, crossings in
      guard let other = walk.exit(after: i) else { return false }
      crossings.remove(at: other)
      crossings.remove(at: i)
      return true
    }
  }

  @Test(arguments: Shape.allCases)
  func aPairAdded(_ shape: Shape) {
    // There and back again at the same place.
    expectComplaints(shape, "region") { _, i, crossings in
      var back = crossings[i]
      back.kind = back.kind == .enter ? .exit : .enter
      crossings.insert(contentsOf: [back, crossings[i]], at: i + 1)
      return true
    }
  }

  @Test(arguments: Shape.allCases)
  func oneAddedOrDropped(_ shape: Shape) {
    expectComplaints(shape, "region") { _, i, crossings in
      crossings.insert(crossings[i], at: i)
      return true
    }
    expectComplaints(shape, "region") { _, i, crossings in
      crossings.remove(at: i)
      return true
    }
    expectComplaints(shape, "") { walk, _, crossings in
      crossings = []
      return !walk.events.isEmpty
    }
  }

  @Test(arguments: Shape.allCases)
  func kindsAndRegionsSwapped(_ shape: Shape) {
    expectComplaints(shape, "another kind") { _, i, crossings in
      crossings[i].kind = crossings[i].kind == .enter ? .exit : .enter
      return true
    }
    expectComplaints(shape, "not a crossing") { _, i, crossings in
      crossings[i].kind = .dwell
      return true
    }
    expectComplaints(shape, "off the boundary") { walk, i, crossings in
      crossings[i].region = (crossings[i].region + 1) % walk.distances.count
      return true
    }
    expectComplaints(shape, "no such region") { walk, i, crossings in
      crossings[i].region = walk.distances.count
      return true
    }
    // Two regions' crossings in each other's place.
    expectComplaints(shape, "off the boundary") { walk, i, crossings in
      guard
        let other = crossings.indices.first(where: { $0 > i && crossings[$0].region != crossings[i].region })
      else { return false }
      (crossings[i].region, crossings[other].region) = (crossings[other].region, crossings[i].region)
      return true
    }
  }

  @Test(arguments: Shape.allCases)
  func orderSwapped(_ shape: Shape) {
    expectComplaints(shape, "out of order") { walk, i, crossings in
      guard i + 1 < crossings.count, crossings[i].region != crossings[i + 1].region,
        crossings[i].time < crossings[i + 1].time
      else { return false }
      crossings.swapAt(i, i + 1)
      return true
    }
  }

  /// At one microsecond, what lies farther on the way comes later.
  @Test func orderWithinAMicrosecond() throws {
    let home = Coordinate(latitude: 48.2, longitude: 16.37)
    let end = Geodesic.uncheckedDirect(home, azimuth: 90, distance: 1000).coordinate
    let fixes = [DetectorTests.fix(0, home), DetectorTests.fix(1e-3, end)]
    let distances = [200.0, 199.9].map { CrossingOracle.circle(end, $0) }
    let events = CrossingOracle.events(fixes, distances).sorted { $0.along < $1.along }
    let way = CrossingOracle.Way(home, end)
    let right = events.map {
      Crossing(
        region: $0.region, kind: .enter,
        time: Timestamp(microseconds: fixes[0].time.microseconds + Int64(($0.seconds * 1e6).rounded())),
        coordinate: way.place($0.along))
    }
    try #require(right.count == 2 && right[0].time == right[1].time)
    #expect(disagreement(right, events, fixes, distances) == nil)
    #expect(disagreement(right.reversed(), events, fixes, distances)?.contains("out of order") == true)
  }

  // MARK: Grazing

  /// A way that dips into a circle of 300 m by some depth: how much of the two crossings is judged.
  @Test(arguments: [1e-7, 5e-7, 2e-6, 5e-4, 9.9e-4, 1.1e-3, 5e-3, 0.5])
  func dips(_ depth: Double) throws {
    let center = Coordinate(latitude: 48.2, longitude: 16.37)
    let foot = Geodesic.uncheckedDirect(center, azimuth: 40, distance: 300 - depth)
    let fixes = [-90.0, 90].enumerated().map { i, turn in
      DetectorTests.fix(
        Double(i) * 10,
        Geodesic.uncheckedDirect(foot.coordinate, azimuth: foot.azimuth + turn, distance: 100).coordinate)
    }
    let distances = [CrossingOracle.circle(center, 300)]
    let events = CrossingOracle.events(fixes, distances)
    try #require(events.count == 2)
    let way = CrossingOracle.Way(fixes[0].coordinate, fixes[1].coordinate)
    func crossing(_ kind: Crossing.Kind, _ along: Double) -> Crossing {
      Crossing(
        region: 0, kind: kind,
        time: Timestamp(
          microseconds: fixes[0].time.microseconds + Int64((along / way.length * 1e7).rounded())),
        coordinate: way.place(along))
    }
    func isRight(_ crossings: [Crossing]) -> Bool { disagreement(crossings, events, fixes, distances) == nil }
    let (first, last) = (events[0].along, events[1].along)
    #expect(isRight([crossing(.enter, first), crossing(.exit, last)]))
    // Left out, or both at once in the middle.
    #expect(isRight([]) == (depth < 1e-3))
    #expect(
      isRight([crossing(.enter, 0.5 * (first + last)), crossing(.exit, 0.5 * (first + last))])
        == (depth < 1e-6))
    // One at the other's.
    #expect(isRight([crossing(.enter, last), crossing(.exit, last)]) == (depth < 1e-6))
    #expect(isRight([crossing(.enter, first), crossing(.exit, first)]) == (depth < 1e-6))
    // Off by what 1e-5 m of boundary distance leaves open.
    let slope = max(1e-5, (2 * depth / 300).squareRoot())
    #expect(!isRight([crossing(.enter, first - 1e-5 / slope - 0.2), crossing(.exit, last)]))
    #expect(!isRight([crossing(.enter, first)]))
  }

  /// What is shallow where one happens to look, and deep in between.
  @Test func deepBetweenShallowPlaces() throws {
    let start = Coordinate(latitude: 0, longitude: 10)
    let end = Geodesic.uncheckedDirect(start, azimuth: 90, distance: 10).coordinate
    let fixes = [DetectorTests.fix(0, start), DetectorTests.fix(10, end)]
    func distance(_ bump: Double) -> CrossingOracle.Distance {
      { place in
        let s = CrossingOracle.distance(start, place)
        return min(5e-4, s - 1, 9 - s) + max(0, bump - abs(s - 4.5))
      }
    }
    let events = [1.0, 9].enumerated().map { i, s in
      CrossingOracle.Event(region: 0, isEntry: i == 1, seconds: s, leg: 1, along: s)
    }
    #expect(disagreement([], events, fixes, [distance(0)]) == nil)
    #expect(disagreement([], events, fixes, [distance(0.01)]) != nil)
  }
}
