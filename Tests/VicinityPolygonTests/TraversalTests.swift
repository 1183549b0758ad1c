import CPortableKernels
import CVicinityKernels
import Foundation
import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

/// Traversals of polygons (`vk_traverse`), against all edges and by all widths of vectors.
@Suite("Traversals of polygons")
struct TraversalTests {
  @Test("The parts of a polygon lie where both languages look for them")
  func layout() {
    typealias Field = PolygonLayout.Field
    typealias Group = PolygonLayout.Group
    let pairs: [(Int, Int)] = [
      (Field.pointCount, VK_POLYGON_POINTS), (Field.flags, VK_POLYGON_FLAGS),
      (Field.originX, VK_POLYGON_ORIGIN), (Field.originY, VK_POLYGON_ORIGIN + 8),
      (Field.originZ, VK_POLYGON_ORIGIN + 16), (Field.box, VK_POLYGON_BOX),
      (PolygonLayout.rootOffset, VK_POLYGON_ROOT), (PolygonLayout.headerSize, VK_POLYGON_HEADER),
      (PolygonLayout.nodesOffset, VK_POLYGON_NODES), (PolygonLayout.nodeSize, VK_NODE_SIZE),
      (PolygonLayout.groupSize, VK_GROUP_BYTES), (Group.rowSize, VK_GROUP_ROW),
      (Group.absent, VK_GROUP_ABSENT), (Group.center, VK_GROUP_CENTER), (Group.step, VK_GROUP_STEP),
      (Group.size, VK_GROUP_SIZE), (Group.slack, VK_GROUP_SLACK), (Group.remainders, VK_GROUP_REMAINDERS),
      (Group.marks, VK_GROUP_MARKS), (Int(PolygonLayout.unboundedFlag), VK_POLYGON_UNBOUNDED),
    ]
    for (i, pair) in pairs.enumerated() { #expect(pair.0 == pair.1, "pair \(i)") }
  }

  @Test("No chord to the nearest point is longer than the polynomial has it")
  func longestChord() {
    for i in 0...8000 {
      let chord = VK_COMPARABLE_CHORD * Double(i) / 8000
      let longest = EdgeKernel.longestChord(of: EdgeKernel.longestGeodesic(overChord: chord))
      // What ties need stays.
      #expect(vk_longest_chord(chord) >= longest + 0.9e-4, "\(chord) m")
      #expect(vk_longest_chord(chord) <= longest + 1.1e-4 + chord * 1e-3, "\(chord) m")
    }
  }

  /// Polygons of one to three levels, not far from each other.
  private static func polygons(_ random: inout SplitMix64) throws -> [Polygon] {
    let middle = random.coordinate()
    func center() -> Coordinate {
      Geodesic.uncheckedDirect(
        middle, azimuth: random.uniform(0...360), distance: random.uniform(0...6e5)
      ).coordinate
    }
    return try [3, 15, 16, 17, 40, 255, 256, 257, 300, 900, 2500, 4000, 4200].map { count in
      let radius = random.uniform(2e3...4e5)
      let star = PolygonSample.star(
        center(), count: count, radii: (0.3 * radius)...radius, &random)
      return try Polygon(exterior: star)
    }
      // Every group is as near to the centre as the others.
      + [try Polygon(exterior: PolygonSample.star(middle, count: 700, radii: 9e4...9.0001e4, &random))]
  }

  @Test("A traversal finds the nearest edge, and all widths find the same")
  func nearest() throws {
    var random = SplitMix64(seed: 2026)
    var finished = 0
    var several = 0
    var apart = 0
    var far = 0
    var crowded = 0
    let rounds = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == nil ? 1 : 3
    for round in 0..<rounds {
      let polygons = try Self.polygons(&random)
      let copies = polygons.map { AlignedBytes($0.blob) }
      let views = try copies.map {
        unsafe PolygonView(base: UnsafeRawPointer(try #require($0.buffer.baseAddress)))
      }
      for (number, polygon) in polygons.enumerated() {
        var probes = PolygonSample.probes(polygon, count: 15, &random)
        probes.append(polygon.boundingCenter)
        probes.append(
          Geodesic.uncheckedDirect(
            polygon.boundingCenter, azimuth: random.uniform(0...360), distance: random.uniform(1e6...8e6)
          ).coordinate)
        for q in probes {
          let comment: Comment = "round \(round), polygon \(number), \(q)"
          let place = ECEF(unchecked: q)
          for (view, traversal) in zip(views, try traversalsByAllWidths(copies, place, comment)) {
            if traversal.pauses > 0 { crowded += 1 }
            finished += 1
            if traversal.found.count > 2 { several += 1 }
            if Set(traversal.found.map { $0.group / 16 }).count > 1 { apart += 1 }
            if let first = traversal.found.first, first.lower > VK_NEAR_EDGES { far += 1 }
            expectNearest(view, traversal, q, comment)
          }
        }
      }
    }
    #expect(
      finished > 2500 * rounds && several > 30 * rounds && apart > 6 * rounds && far > 300 * rounds
        && crowded > 6 * rounds,
      "\(finished) finished, \(several) with several, \(apart) apart, \(far) far, \(crowded) crowded")
  }

  @Test("Bounds of an estimate hold, are as wide as asked for, and are the same by all widths of vectors")
  func estimates() throws {
    var random = SplitMix64(seed: 2027)
    let polygons = try Self.polygons(&random)
    let copies = polygons.map { AlignedBytes($0.blob) }
    let kernel = UnsafeMutablePointer<vk_traversal>.allocate(capacity: 1)
    defer { unsafe kernel.deallocate() }
    var bounded = 0
    for (polygon, copy) in zip(polygons, copies) {
      let view = unsafe PolygonView(base: UnsafeRawPointer(try #require(copy.buffer.baseAddress)))
      for q in PolygonSample.probes(polygon, count: 80, &random) {
        let place = ECEF(unchecked: q)
        let truth = try polygon.signedBoundaryDistance(from: q)
        for (width, limit): (Float, Double) in [
          (0, VK_FARTHEST), (25, VK_FARTHEST), (500, VK_FARTHEST), (5000, VK_FARTHEST), (25, 20_000),
        ] {
          var results: [[UInt64]] = []
          for lanes in allWidths {
            unsafe PolygonTraversal.prepare(kernel, view, bound: -1, limit: limit)
            unsafe kernels(lanes).estimate(kernel, 1, width, place.x, place.y, place.z)
            let (lower, upper) = unsafe (kernel.pointee.lower, kernel.pointee.upper)
            results.append([lower.bitPattern, upper.bitPattern, unsafe UInt64(kernel.pointee.is_outside)])
          }
          #expect(Set(results).count == 1, "\(q)")
          guard unsafe kernel.pointee.is_outside != 0 else { continue }
          let (lower, upper) = unsafe (kernel.pointee.lower, kernel.pointee.upper)
          let comment: Comment = "\(lower)...\(upper) m where the truth is \(truth), \(width), \(limit), \(q)"
          #expect(upper >= truth - 1e-4, comment)
          #expect(lower <= truth + 1e-4 || truth > limit && lower >= limit, comment)
          guard upper < VK_FARTHEST, truth < limit, truth < 5e5 else { continue }
          bounded += 1
          #expect(upper - lower <= Double(width) + 60, comment)
        }
      }
    }
    #expect(bounded > 500)
  }

  @Test("Boxes that are no boxes lead to no group beyond the last")
  func damagedBoxes() throws {
    var random = SplitMix64(seed: 7)
    let star = PolygonSample.star(
      Coordinate(latitude: 47, longitude: 11), count: 32, radii: 2_000...3_000, &random)
    let blob = try Polygon(exterior: star).blob
    let layout = PolygonLayout(pointCount: 33)
    // Room for the sixteen groups that a node may have, and one of the two stands wherever there is none.
    let size = layout.groupsOffset + 16 * PolygonLayout.groupSize
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    defer { unsafe bytes.deallocate() }
    let base = unsafe try #require(bytes.baseAddress)
    unsafe blob.withUnsafeBytes { polygon in
      unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: polygon[..<min(size, polygon.count)]))
    }
    #expect(layout.groupCount == 2)
    for group in layout.groupCount..<16 {
      unsafe (base + layout.groupsOffset + group * PolygonLayout.groupSize).copyMemory(
        from: base + layout.groupsOffset + (group & 1) * PolygonLayout.groupSize,
        byteCount: PolygonLayout.groupSize)
    }
    // Each group's box is all of the polygon's, so that no gap is too large for any.
    for i in 0..<96 {
      let face: UInt16 = i < 48 ? 0 : .max
      unsafe base.storeBytes(of: face, toByteOffset: PolygonLayout.rootOffset + 2 * i, as: UInt16.self)
    }
    let place = ECEF(unchecked: star[3])
    for exponent in 70...100 {
      let half = Float(sign: .plus, exponent: exponent, significand: 1)
      for (i, face) in [-half, -half, -half, half, half, half].enumerated() {
        unsafe base.storeBytes(of: face, toByteOffset: PolygonLayout.Field.box + 4 * i, as: Float.self)
      }
      for width in allWidths {
        var kernel = unsafe vk_traversal()
        unsafe kernel.polygon = UnsafePointer(base.assumingMemoryBound(to: CChar.self))
        unsafe kernel.limit = VK_FARTHEST
        unsafe kernels(width).traverse(&kernel, 1, place.x, place.y, place.z)
        let traversal = unsafe withUnsafeMutablePointer(to: &kernel) { unsafe Traversal($0, kernels(width)) }
        #expect(
          traversal.found.count <= 2 && traversal.found.allSatisfy { $0.group < 2 }, "2^\(exponent) m")
      }
    }
  }

  /// What a traversal finds.
  private struct Traversal: Equatable {
    var isOutside: Bool
    var bound: Float
    var limit: Double
    var pauses = 0
    var found: [EdgeCandidates] = []

    /// Goes on with a traversal to its end.
    init(_ kernel: UnsafeMutablePointer<vk_traversal>, _ kernels: vk_kernels) {
      isOutside = unsafe kernel.pointee.is_outside != 0
      while true {
        let count = unsafe Int32(bitPattern: kernel.pointee.candidate_count)
        found += (0..<count).map { unsafe vk_edge_candidates_at(kernel, $0) }
        if unsafe kernel.pointee.is_finished != 0 { break }
        pauses += 1
        unsafe kernels.resume(kernel)
      }
      bound = unsafe kernel.pointee.bound
      limit = unsafe kernel.pointee.limit
    }

    static func == (a: Traversal, b: Traversal) -> Bool {
      a.isOutside == b.isOutside && a.bound == b.bound && a.limit == b.limit && a.pauses == b.pauses
        && a.found.count == b.found.count
        && zip(a.found, b.found).allSatisfy {
          $0.group == $1.group && $0.lower == $1.lower && $0.lanes == $1.lanes && $0.ends == $1.ends
        }
    }
  }

  /// The traversals of all polygons at once.
  private func traversalsByAllWidths(
    _ copies: [AlignedBytes], _ place: ECEF, _ comment: Comment
  ) throws -> [Traversal] {
    let traversals = UnsafeMutablePointer<vk_traversal>.allocate(capacity: copies.count)
    defer { unsafe traversals.deallocate() }
    func results(
      _ kernels: vk_kernels, _ traverse: (UnsafeMutablePointer<vk_traversal>) -> Void
    ) throws -> [Traversal] {
      for (i, copy) in copies.enumerated() {
        let base = unsafe UnsafeRawPointer(try #require(copy.buffer.baseAddress))
        unsafe PolygonTraversal.prepare(traversals + i, PolygonView(base: base), bound: -1)
      }
      unsafe traverse(traversals)
      return copies.indices.map { unsafe Traversal(traversals + $0, kernels) }
    }
    let count = UInt32(copies.count)
    let expected = try unsafe results(kernels(-1)) {
      unsafe kernels(-1).traverse($0, count, place.x, place.y, place.z)
    }
    for width in 0...vk_widest() {
      let others = try unsafe results(kernels(width)) {
        unsafe kernels(width).traverse($0, count, place.x, place.y, place.z)
      }
      #expect(others == expected, comment)
    }
    let widest = try unsafe results(kernels(vk_widest())) {
      unsafe vk_traverse($0, count, place.x, place.y, place.z)
    }
    #expect(widest == expected, comment)
    return expected
  }

  /// Of the edges found one is as near as any of the polygon's.
  private func expectNearest(
    _ view: PolygonView, _ traversal: Traversal, _ q: Coordinate, _ comment: Comment
  ) {
    let layout = view.layout
    let place = Vector3(unchecked: q)
    let points = (0..<layout.pointCount).map { view.place(of: $0, layout) }
    func distance(_ piece: Int) -> Double {
      let foot = EdgeKernel.foot(
        of: place, at: q, from: points[piece], to: points[piece + 1], limit: .infinity)
      return foot?.distance ?? .infinity
    }
    // Distances of far edges take long to find: only of those that chords do not exclude.
    let chords = points.map { ($0 - place).length }
    let reach = 1.001 * (chords.min() ?? 0)
    var nearest = Double.infinity
    for piece in 0..<layout.pointCount - 1
    where view.marks(of: piece, layout) & PolygonLayout.endsChainMark == 0 {
      let length = (points[piece + 1] - points[piece]).length
      if min(chords[piece], chords[piece + 1]) - length <= reach { nearest = min(nearest, distance(piece)) }
    }
    var best = Double.infinity
    for group in traversal.found {
      for lane in 0..<16 where group.lanes >> UInt32(lane) & 1 != 0 {
        let piece = 16 * Int(group.group) + lane
        if piece < layout.pointCount - 1 { best = min(best, distance(piece)) }
      }
    }
    #expect(best <= nearest + 1e-4, comment)
    if traversal.isOutside { #expect(Double(traversal.bound) <= nearest, comment) }
  }
}
