import CPortableKernels
import CVicinityKernels
import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityIndex

/// What a list of nearby circles and its plane promise, against the reference.
@Suite struct NearbyCirclesTests {
  /// Two blocks parted at a pivot, against the twin and against sorting.
  private func expectPartingAgrees(_ planar: [Float], _ place: (x: Float, y: Float), pivot: Float) throws {
    let error: Float = 0.25
    var lower = Array(repeating: Float(0), count: 32)
    var lowerTwin = lower
    var members: [UInt32] = [0, 0]
    var membersTwin = members
    var (inside, insideTwin) = (-Float.greatestFiniteMagnitude, -Float.greatestFiniteMagnitude)
    var (outside, outsideTwin) = (Float.greatestFiniteMagnitude, Float.greatestFiniteMagnitude)
    let total = unsafe vk_partition_plane(
      planar, 2, place.x, place.y, error, pivot, &lower, &members, &inside, &outside)
    let twin = unsafe portable.partition_plane(
      planar, 2, place.x, place.y, error, pivot, &lowerTwin, &membersTwin, &insideTwin, &outsideTwin)
    #expect(total == twin && lower == lowerTwin && members == membersTwin)
    #expect(inside == insideTwin && outside == outsideTwin)
    for i in 0..<32 {
      let (dx, dy) = (place.x - planar[48 * (i / 16) + i % 16], place.y - planar[48 * (i / 16) + 16 + i % 16])
      #expect(lower[i] == (dx * dx + dy * dy).squareRoot() - planar[48 * (i / 16) + 32 + i % 16] - error)
      #expect((members[i / 16] >> UInt32(i % 16) & 1 != 0) == (lower[i] < pivot))
    }
    #expect(total == lower.count { $0 < pivot })
    #expect(inside == lower.filter { $0 < pivot }.max() ?? -.greatestFiniteMagnitude)
    #expect(outside == lower.filter { $0 >= pivot }.min() ?? .greatestFiniteMagnitude)
  }

  /// A way that may bulge meets the circles that are left, and those that drop out it passes by.
  @Test func waysAreTakenForNoMoreThanTheyMeet() {
    var random = SplitMix64(seed: 45)
    var (kept, dropped) = (0, 0)
    for round in 0..<1500 {
      var list = vk_nearby_circles()
      let slack = random.logUniform(1e-4...5)
      list.slack = Float(slack)
      let scale = random.logUniform(1...2500)
      let circles = (0..<Int(VK_NEARBY_CIRCLES_ROOM)).map { _ in
        (
          x: Float(random.uniform(-2...2) * scale), y: Float(random.uniform(-2...2) * scale),
          r: Float(random.logUniform(0.01...3) * scale)
        )
      }
      unsafe withUnsafeMutableBytes(of: &list) { bytes in
        for (i, circle) in circles.enumerated() {
          for (field, value) in [
            (\vk_nearby_circles.centerX, circle.x), (\.centerY, circle.y), (\.radius, circle.r),
          ] {
            let offset = MemoryLayout<vk_nearby_circles>.offset(of: field) ?? 0
            unsafe bytes.storeBytes(of: value, toByteOffset: offset + 4 * i, as: Float.self)
          }
        }
      }
      let p = SIMD2(Float(random.uniform(-1...1) * scale), Float(random.uniform(-1...1) * scale))
      let q = round % 10 == 0 ? p : SIMD2(Float(random.uniform(-1...1) * scale), p.y * 0.5)
      let mask = UInt32(truncatingIfNeeded: random.next())
      let limit = NearbyCircles.length(p, q) + list.slack
      let met = unsafe vk_intersecting_circles(&list, mask, p.x, p.y, q.x, q.y, limit)
      #expect(unsafe met == portable.intersecting_circles(&list, mask, p.x, p.y, q.x, q.y, limit))
      #expect(met & ~mask == 0)
      let (from, to) = (SIMD2<Double>(p), SIMD2<Double>(q))
      let way = to - from
      let length = (way * way).sum().squareRoot()
      let bulge = 0.5 * (slack * (2 * length + slack)).squareRoot()
      for (i, circle) in circles.enumerated() where mask >> UInt32(i) & 1 != 0 {
        func distance(_ place: SIMD2<Double>) -> Double {
          let d = place - SIMD2(Double(circle.x), Double(circle.y))
          return (d * d).sum().squareRoot() - Double(circle.r)
        }
        let least = (0...200).map { distance(from + Double($0) / 200 * way) }.min() ?? 0
        if met >> UInt32(i) & 1 != 0 {
          kept += 1
          #expect(least <= bulge + slack * 1.001 + length / 200, "round \(round), circle \(i)")
        } else {
          dropped += 1
          #expect(least > bulge + slack * 0.999, "round \(round), circle \(i)")
        }
      }
    }
    #expect(kept > 1000 && dropped > 1000)
  }

  /// Where the line through the Earth's middle and the lanes that are left over is the normal, these lanes
  /// are far away in space but not along the plane.
  @Test func lanesLeftOverAreFarAwayOnThePlane() throws {
    for (latitude, longitude) in [(35.264_39, 45.0), (-35.264_39, -135.0)] {
      for step in -20...20 {
        let anchor = Coordinate(latitude: latitude + 1e-6 * Double(step), longitude: longitude)
        let index = try RegionIndex([Region(identifier: "one", center: anchor, radius: 50)])
        var neighborhood = Neighborhood()
        neighborhood.gather(index.tree.view, around: anchor, ECEF(unchecked: anchor), limit: 5000)
        #expect(neighborhood.nearby.hasPlane && neighborhood.circles.count == 1)
        for lane in 1..<16 {
          let (x, y) = unsafe (neighborhood.planar.base[lane], neighborhood.planar.base[16 + lane])
          #expect(max(abs(x), abs(y)) > 1e8, "\(anchor), lane \(lane)")
        }
        let north = Geodesic.uncheckedDirect(anchor, azimuth: 0, distance: 20).coordinate
        #expect(neighborhood.listNearby(from: anchor, to: north) == .listed)
        for lane in 1..<Int(VK_NEARBY_CIRCLES_ROOM) { #expect(neighborhood.nearbyCircle(lane) == nil) }
      }
    }
  }

  @Test func kernelsAgreeWithTheirPortableTwins() throws {
    var random = SplitMix64(seed: 43)
    for round in 0..<2000 {
      let count = 8
      let blocks = (0..<64 * 2).map { i in
        i % 64 < 48 ? Float(random.uniform(-1e4...1e4)) : Float(random.logUniform(1...5000))
      }
      let east = (0..<2).map { _ in Float(random.uniform(-1...1)) }
      let north = (0..<3).map { _ in Float(random.uniform(-1...1)) }
      var planar = Array(repeating: Float(0), count: 96)
      var planarTwin = planar
      unsafe vk_project_circles(blocks, Int32(count), east, north, &planar)
      unsafe portable.project_circles(blocks, Int32(count), east, north, &planarTwin)
      #expect(planar == planarTwin, "round \(round)")
      let (x, y) = (Float(random.uniform(-1e4...1e4)), Float(random.uniform(-1e4...1e4)))
      var bounds = Array(repeating: Float(0), count: 32)
      var boundsTwin = bounds
      unsafe vk_plane_bounds(planar, Int32(count), x, y, &bounds)
      unsafe portable.plane_bounds(planar, Int32(count), x, y, &boundsTwin)
      #expect(bounds == boundsTwin, "round \(round)")
      let threshold = Float(random.logUniform(10...1e4))
      try expectPartingAgrees(planar, (x, y), pivot: threshold - 5000)
      var (least, leastTwin): (Float, Float) = (0, 0)
      let mask = unsafe vk_below(bounds, Int32(count), threshold, &least)
      let maskTwin = unsafe portable.below(bounds, Int32(count), threshold, &leastTwin)
      #expect(mask == maskTwin)
      #expect(least == leastTwin && least >= threshold)
      #expect(mask.nonzeroBitCount == bounds.count { $0 < threshold })

      var list = vk_nearby_circles()
      list.count = 8
      list.slack = Float(random.logUniform(1e-3...10))
      unsafe withUnsafeMutableBytes(of: &list.centerX) { target in
        for i in 0..<8 { unsafe target.storeBytes(of: planar[i], toByteOffset: 4 * i, as: Float.self) }
      }
      unsafe withUnsafeMutableBytes(of: &list.centerY) { target in
        for i in 0..<8 { unsafe target.storeBytes(of: planar[16 + i], toByteOffset: 4 * i, as: Float.self) }
      }
      unsafe withUnsafeMutableBytes(of: &list.radius) { target in
        for i in 0..<8 { unsafe target.storeBytes(of: planar[32 + i], toByteOffset: 4 * i, as: Float.self) }
      }
      var twin = list
      var a = Float.greatestFiniteMagnitude
      var b = a
      let touched = unsafe vk_candidate_circles(&list, x, y, x + 20, y - 10, threshold, &a)
      let touchedTwin = unsafe portable.candidate_circles(&twin, x, y, x + 20, y - 10, threshold, &b)
      #expect(touched == touchedTwin && a == b, "round \(round)")
      for i in 0..<8 {
        func distance(_ x: Float, _ y: Float) -> Float {
          let (dx, dy) = (x - planar[i], y - planar[16 + i])
          return (dx * dx + dy * dy).squareRoot() - planar[32 + i]
        }
        let (d1, d2) = (distance(x, y), distance(x + 20, y - 10))
        let isTouched = d1 + d2 < threshold && max(d1, d2) > -list.slack
        #expect((touched >> UInt32(i) & 1 != 0) == isTouched, "round \(round), circle \(i)")
      }
    }
  }

  /// Distances of places, and boundary distances, are off by no more than the plane says.
  @Test func planesAreAsGoodAsTheySay() throws {
    let seed: UInt64 = 4400
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let anchor = Coordinate(
        latitude: random.uniform(-75.4...75.4),
        longitude: random.uniform(-200...200))
      let limit = random.logUniform(50...25_000)
      let largest = random.logUniform(1...9000)
      func around(_ distance: ClosedRange<Double>) -> Coordinate {
        Geodesic.uncheckedDirect(
          anchor, azimuth: random.uniform(0...360), distance: random.uniform(distance)
        ).coordinate
      }
      let circles = (0..<12).map { i in
        let radius = i == 0 ? largest : random.uniform(0...largest)
        return Region(identifier: "\(i)", center: around(0...limit + radius), radius: radius)
      }
      let index = try RegionIndex(circles)
      var neighborhood = Neighborhood()
      neighborhood.gather(index.tree.view, around: anchor, ECEF(unchecked: anchor), limit: limit)
      guard neighborhood.nearby.hasPlane else {
        Issue.record("no plane at \(anchor), limit \(limit), seed \(seed), round \(round)")
        continue
      }
      let error = neighborhood.nearby.error
      var last: (Coordinate, SIMD2<Float>)?
      for _ in 0..<20 {
        let coordinate = around(0...limit * 0.985)
        guard let place = neighborhood.nearby.point(of: coordinate) else {
          // The other way of writing the longitude, beyond the antimeridian.
          #expect(abs(coordinate.longitude - anchor.longitude) > 180)
          continue
        }
        if let last {
          let length = Double(NearbyCircles.length(last.1, place))
          #expect(abs(length - Geodesic.uncheckedDistance(last.0, coordinate)) <= error, "round \(round)")
        }
        last = (coordinate, place)
        for i in 0..<neighborhood.circles.count {
          let plane = unsafe neighborhood.planar.base + 48 * (i / 16) + i % 16
          let (x, y, radius) = unsafe (plane[0], plane[16], plane[32])
          let flat = ((place.x - x) * (place.x - x) + (place.y - y) * (place.y - y)).squareRoot() - radius
          let region = circles[unsafe Int(neighborhood.circles.records.base[i].ordinal)]
          guard case .circle(let center, let exact) = region.shape else { continue }
          let truth = Geodesic.uncheckedDistance(coordinate, center) - exact
          #expect(abs(Double(flat) - truth) <= error, "seed \(seed), round \(round), circle \(i)")
        }
      }
    }
  }

  /// No boundary is met that a look leaves out, and none lies nearer to the end than it says.
  @Test(arguments: RegionFamily.allCases)
  func looksHold(_ family: RegionFamily) throws {
    let seed: UInt64 = 4500
    let regions = family.circles(600, seed: seed)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    var neighborhood = Neighborhood()
    for start in family.positions(30, among: regions, seed: seed) {
      var here = start
      var azimuth = random.uniform(0...360)
      let step = random.logUniform(0.5...400)
      neighborhood.gather(
        index.tree.view, around: here, ECEF(unchecked: here), limit: step * random.logUniform(4...60))
      for _ in 0..<12 {
        azimuth += random.uniform(-30...30)
        let next = Geodesic.uncheckedDirect(here, azimuth: azimuth, distance: step).coordinate
        var look = neighborhood.nearby.test(from: here, to: next)
        if look == nil, neighborhood.listNearby(from: here, to: next) == .listed {
          look = neighborhood.nearby.test(from: here, to: next)
          #expect(look != nil)
        }
        defer { here = next }
        guard let look else { continue }
        var touched: Set<UInt32> = []
        for lane in 0..<32 where look.candidates >> UInt32(lane) & 1 != 0 {
          if let circle = neighborhood.nearbyCircle(lane) { touched.insert(circle.ordinal) }
        }
        for (i, region) in regions.enumerated() {
          guard case .circle(let center, let radius) = region.shape else { continue }
          let d1 = Geodesic.uncheckedDistance(here, center) - radius
          let d2 = Geodesic.uncheckedDistance(next, center) - radius
          #expect(abs(d2) >= look.clearance, "\(family), seed \(seed), region \(i)")
          if touched.contains(UInt32(i)) { continue }
          #expect((d1 <= 0) == (d2 <= 0), "\(family), seed \(seed), region \(i)")
          guard abs(d1) + abs(d2) <= step + 1e-3 else { continue }
          for part in 1..<16 {
            let between = Geodesic.uncheckedDirect(
              here, azimuth: azimuth, distance: step * Double(part) / 16
            ).coordinate
            let d = Geodesic.uncheckedDistance(between, center) - radius
            #expect((d <= 0) == (d1 <= 0), "\(family), seed \(seed), region \(i)")
          }
        }
      }
    }
  }

  /// What a gathering says of the place's own regions is what a scan says.
  @Test(arguments: RegionFamily.allCases)
  func gatheringsTellWhatContains(_ family: RegionFamily) throws {
    let seed: UInt64 = 4600
    let regions = family.circles(600, seed: seed)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    var neighborhood = Neighborhood()
    var containing: [UInt32] = []
    var told = 0
    for place in family.positions(60, among: regions, seed: seed) {
      let limit = random.logUniform(10...20_000)
      let isTold = neighborhood.gather(
        index.tree.view, around: place, ECEF(unchecked: place), limit: limit, most: 256,
        containing: &containing
      ) { Geodesic.uncheckedDistance(place, $0.center) - $0.radius <= 0 }
      guard isTold else { continue }
      told += 1
      let truth = regions.indices.filter {
        guard case .circle(let center, let radius) = regions[$0].shape else { return false }
        return Geodesic.uncheckedDistance(place, center) - radius <= 0
      }
      #expect(containing.sorted() == truth.map(UInt32.init), "\(family), seed \(seed), \(place)")
    }
    if family == .dense || family == .clustered { #expect(told > 0, "\(family)") }
  }
}
