import CVicinityKernels
import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityCrossings

/// The kernels of crossing detection against the methods that they stand in for.
@Suite struct CircleIntersectionTests {
  @Test func fixesAreLaidOutAsTheKernelsHaveThem() {
    #expect(MemoryLayout<Fix>.stride == MemoryLayout<vk_fix>.stride)
    #expect(MemoryLayout<Fix>.size == MemoryLayout<vk_fix>.size)
    #expect(MemoryLayout<Fix>.offset(of: \.time) == MemoryLayout<vk_fix>.offset(of: \.time))
    #expect(
      MemoryLayout<Fix>.offset(of: \.coordinate.latitude) == MemoryLayout<vk_fix>.offset(of: \.latitude))
    #expect(
      MemoryLayout<Fix>.offset(of: \.coordinate.longitude) == MemoryLayout<vk_fix>.offset(of: \.longitude))
    #expect(MemoryLayout<Fix>.offset(of: \.horizontalAccuracy) == MemoryLayout<vk_fix>.offset(of: \.accuracy))
    #expect(DetectorScratch().candidates.capacity == Int(VK_INTERSECTIONS_ROOM))
    #expect(MemoryLayout<Timestamp>.size == 8)
    let time = Timestamp(microseconds: 0x0123_4567_89ab_cdef)
    #expect(unsafe withUnsafeBytes(of: time) { unsafe $0.loadUnaligned(as: Int64.self) } == time.microseconds)
  }

  /// Ways over circles of all sizes, everywhere: what is settled lies on the boundary, and on the way, and is
  /// the place that the careful method finds.
  @Test func settledCrossingsAreOnTheBoundary() {
    var random = SplitMix64(seed: 72)
    let scratch = DetectorScratch()
    var (crossings, settled, grazings, grazingsSettled) = (0, 0, 0, 0)
    for round in 0..<25_000 {
      let center = Coordinate(
        latitude: round % 10 == 0 ? random.uniform(-90...90) : random.uniform(-70...70),
        longitude: round % 50 == 0
          ? random.uniform(179.99...180.01) - (random.unit() < 0.5 ? 360 : 0)
          : random.uniform(-180...180))
      let radius = random.logUniform(round % 4 == 0 ? 1...30_000 : 20...2000)
      let bearing = random.uniform(0...360)
      let edge = Geodesic.uncheckedDirect(center, azimuth: bearing, distance: radius)
      let part = random.uniform(0.02...0.98)
      // Grazing ways are so short that they do not go through.
      let isGrazing = round % 5 == 3
      let slant = isGrazing ? random.logUniform(0.003...5) : random.uniform(5...90)
      let through = 2 * radius * sin(slant * .pi / 180)
      let length =
        isGrazing
        ? min(2500, random.uniform(0.1...0.9) * through / max(part, 1 - part)) : random.logUniform(1...2500)
      let turn = (random.unit() < 0.5 ? 90 - slant : slant - 90) + (random.unit() < 0.5 ? 180 : 0)
      let start = Geodesic.uncheckedDirect(
        edge.coordinate, azimuth: edge.azimuth + turn, distance: part * length
      ).coordinate
      let end = Geodesic.uncheckedDirect(
        edge.coordinate, azimuth: edge.azimuth + turn + 180, distance: (1 - part) * length
      ).coordinate
      let target = CircleTarget(center: center, radius: radius)
      let (p, q) = (Position(start), Position(end))
      let (d1, d2) = target.boundaryDistances(p.ecef, q.ecef)
      guard (d1 < 0) != (d2 < 0), min(abs(d1), abs(d2)) > 1e-5 else { continue }
      if isGrazing { grazings += 1 } else { crossings += 1 }
      let circle = NearbyCircle(ordinal: 0, center: center, radius: radius)
      #expect(scratch.crossing(from: start, to: end, circle, leaving: d1 > 0) == nil)
      guard let found = scratch.crossing(from: start, to: end, circle, leaving: d1 < 0) else { continue }
      if isGrazing { grazingsSettled += 1 } else { settled += 1 }
      let path = ShortPath(from: p.ecef, to: q.ecef)
      // To the bit: fractions of legs may be computed from either.
      #expect(found.length == path.length, "round \(round)")
      let comment: Comment = "round \(round): \(start) to \(end), \(center), \(radius) m"
      let place = path.point(at: found.s)
      #expect(abs(target.boundaryDistance(place)) < 3e-9, comment)
      let coordinate = Coordinate(latitude: found.latitude, longitude: found.longitude)
      #expect(ECEF(unchecked: coordinate).chord(to: place) < 3e-7, comment)
      #expect(abs(Geodesic.uncheckedDistance(coordinate, center) - radius) < 5e-7, comment)
      let roots = target.crossings(of: path, startsInside: d1 < 0, endsInside: d2 < 0, from: d1, to: d2)
      // The careful method stops 2e-8 m from the boundary: along a way that grazes it that is farther.
      let tolerance = isGrazing ? 1e-6 + 3e-8 / sin(slant * .pi / 180) : 1e-6
      #expect(roots.count == 1 && abs(roots.first - found.s) < tolerance, comment)
    }
    #expect(crossings > 15_000 && Double(settled) > 0.95 * Double(crossings), "\(settled) of \(crossings)")
    #expect(grazings > 1000 && grazingsSettled > grazings / 10, "\(grazingsSettled) of \(grazings)")
  }

  /// Where an end is so near the boundary that only the authority tells its side.
  @Test func endsAtTheBoundaryAreNotSettled() {
    var random = SplitMix64(seed: 74)
    let scratch = DetectorScratch()
    for round in 0..<4000 {
      let center = Coordinate(latitude: random.uniform(-80...80), longitude: random.uniform(-179...179))
      let radius = random.logUniform(20...2000)
      let circle = NearbyCircle(ordinal: 0, center: center, radius: radius)
      let azimuth = random.uniform(0...360)
      let near = Geodesic.uncheckedDirect(
        center, azimuth: azimuth, distance: radius + random.uniform(-5e-7...5e-7)
      ).coordinate
      let far = Geodesic.uncheckedDirect(
        center, azimuth: azimuth + random.uniform(-3...3), distance: radius * random.uniform(0.5...1.5)
      ).coordinate
      for leaving in [false, true] {
        #expect(scratch.crossing(from: near, to: far, circle, leaving: leaving) == nil, "round \(round)")
        #expect(scratch.crossing(from: far, to: near, circle, leaving: leaving) == nil, "round \(round)")
      }
    }
  }

  /// The same bits in all lanes and by all widths, and for ways that are no numbers.
  @Test func allWidthsSolveTheSame() {
    var random = SplitMix64(seed: 73)
    var ellipsoid = vk_ellipsoid(
      a: WGS84.a, e2: WGS84.e2, flattening: 1 / (24 * WGS84.a * WGS84.b), series: KernelConstants.chordSeries)
    for round in 0..<5000 {
      var meetings = vk_circle_intersections()
      let center = Coordinate(latitude: random.uniform(-89...89), longitude: random.uniform(-180...179))
      for i in 0..<Int(VK_INTERSECTIONS_ROOM) {
        func near() -> Coordinate {
          Geodesic.uncheckedDirect(
            center, azimuth: random.uniform(0...360), distance: random.uniform(0...800)
          )
          .coordinate
        }
        var (start, end) = (near(), near())
        if round % 100 == 0, i == 1 { start.latitude = .nan }
        if round % 100 == 1, i == 2 { end = start }
        if round % 100 == 2, i == 7 { end.longitude = .infinity }
        unsafe vk_set_intersection(
          &meetings, Int32(i), start.latitude, start.longitude, end.latitude, end.longitude, center.latitude,
          center.longitude, random.uniform(1...700))
      }
      var (first, second) = (meetings, meetings)
      let a = unsafe vk_kernels_of(0).pointee.intersect(&ellipsoid, &first, VK_INTERSECTIONS_ROOM)
      let b = unsafe vk_kernels_of(vk_widest()).pointee.intersect(&ellipsoid, &second, VK_INTERSECTIONS_ROOM)
      #expect(a == b && first.leaving == second.leaving, "round \(round)")
      for i in 0..<VK_INTERSECTIONS_ROOM where a >> UInt32(i) & 1 != 0 {
        let (x, y) = unsafe (vk_crossing_at(&first, i), vk_crossing_at(&second, i))
        #expect(
          x.s == y.s && x.length == y.length && x.latitude == y.latitude && x.longitude == y.longitude,
          "round \(round), lane \(i)")
        // Alone, in the first lane.
        var alone = vk_circle_intersections()
        copy(meetings, i, to: &alone)
        #expect(unsafe vk_intersect(&ellipsoid, &alone, 1) == 1)
        #expect(unsafe vk_crossing_at(&alone, 0).s == x.s && vk_crossing_at(&alone, 0).latitude == x.latitude)
      }
    }
  }

  private func copy(_ meetings: vk_circle_intersections, _ i: Int32, to other: inout vk_circle_intersections)
  {
    unsafe withUnsafeBytes(of: meetings) { from in
      unsafe withUnsafeMutableBytes(of: &other) { to in
        for column in 0..<7 {
          let row = 8 * Int(VK_INTERSECTIONS_ROOM) * column
          let value = unsafe from.load(fromByteOffset: row + 8 * Int(i), as: Double.self)
          unsafe to.storeBytes(of: value, toByteOffset: row, as: Double.self)
        }
      }
    }
  }
}
