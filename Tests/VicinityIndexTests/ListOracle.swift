import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

/// A region as a test put it in; a polygon's with its rings as they were before the product saw them.
struct ListedRegion {
  let region: Region
  /// What measures a polygon.
  let boundary: RingOracle?

  /// A circle.
  init(_ region: Region) {
    guard case .circle = region.shape else { preconditionFailure("a polygon is listed with its rings") }
    self.region = region
    boundary = nil
  }

  /// A polygon.
  init(identifier: String, parts: [Polygon.Part]) throws {
    guard let boundary = RingOracle(parts) else {
      preconditionFailure("the ring is too large for the oracle")
    }
    region = Region(identifier: identifier, polygon: try Polygon(parts: parts))
    self.boundary = boundary
  }

  private init(region: Region, boundary: RingOracle?) {
    self.region = region
    self.boundary = boundary
  }

  /// The same shape under another name.
  func named(_ identifier: String) -> ListedRegion {
    ListedRegion(region: Region(identifier: identifier, shape: region.shape), boundary: boundary)
  }
}

extension ListedRegion {
  /// A star around a place, one in three with a hole; nil where it makes no polygon.
  static func star(_ identifier: String, _ center: Coordinate, _ random: inout SplitMix64) -> ListedRegion? {
    var shapes = SplitMix64(seed: random.next())
    let size = random.logUniform(10...200_000)
    let ring = PolygonSample.star(center, count: 3 + random.below(9), radii: size / 2...size, &shapes)
    let hole = PolygonSample.star(center, count: 5, radii: size / 20...size / 10, &shapes)
    let part = Polygon.Part(exterior: ring, holes: random.below(3) == 0 ? [hole] : [])
    // Rings of few vertices over a pole, and holes in slim triangles, may be invalid.
    return try? ListedRegion(identifier: identifier, parts: [part])
  }

  /// `count` regions of a family, about this share of them polygons.
  static func some(
    _ family: RegionFamily, _ count: Int, seed: UInt64, polygonShare: Double
  ) -> [ListedRegion] {
    var random = SplitMix64(seed: seed &+ 0x57A2)
    return family.circles(count, seed: seed).map { region in
      guard random.unit() < polygonShare, case .circle(let center, _) = region.shape else {
        return ListedRegion(region)
      }
      return star(region.identifier, center, &random) ?? ListedRegion(region)
    }
  }
}

/// The reference for every query: a scan of the list of regions that a test put in, with PROJ alone.
///
/// `QueryOptions(usesBruteForce: true)` walks the tree that it judges, so that it cannot see a region lost in
/// building or changing the index. This oracle knows nothing of the index.
struct ListOracle {
  let listed: [ListedRegion]
  /// The ordinal that each region should have.
  let ordinals: [Int]

  init(_ listed: [ListedRegion], ordinals: [Int]? = nil) {
    self.listed = listed
    self.ordinals = ordinals ?? Array(listed.indices)
    precondition(self.ordinals.count == listed.count)
  }

  /// A list of circles.
  init(_ circles: [Region]) { self.init(circles.map { ListedRegion($0) }) }

  var regions: [Region] { listed.map(\.region) }

  var polygonCount: Int { listed.count { $0.boundary != nil } }

  /// What a region is from a position.
  struct Answer {
    var ordinal: Int
    var distance: Double
    /// Nil for polygons.
    var distanceToCenter: Double?

    var isPolygon: Bool { distanceToCenter == nil }

    /// How far an index's distance may be from this one, metres: contract 1.
    var tolerance: Double { isPolygon ? 1e-3 : 1e-6 }
  }

  /// All regions, by their distance from `position`, then by ordinal.
  func scan(_ position: Coordinate) -> Scan {
    var answers: [Answer] = []
    answers.reserveCapacity(listed.count)
    for (listed, ordinal) in zip(listed, ordinals) {
      if let boundary = listed.boundary {
        answers.append(Answer(ordinal: ordinal, distance: boundary.signedDistance(from: position)))
      } else if case .circle(let center, let radius) = listed.region.shape {
        let s12 = PROJ.distance(position, center)
        answers.append(Answer(ordinal: ordinal, distance: s12 - radius, distanceToCenter: s12))
      }
    }
    return Scan(answers)
  }

  /// What the list says of one position.
  struct Scan {
    /// Nearest first.
    let answers: [Answer]
    private let byOrdinal: [Int: Answer]
    private let hasPolygons: Bool

    init(_ answers: [Answer]) {
      self.answers = answers.sorted { ($0.distance, $0.ordinal) < ($1.distance, $1.ordinal) }
      byOrdinal = Dictionary(uniqueKeysWithValues: answers.map { ($0.ordinal, $0) })
      hasPolygons = answers.contains(where: \.isPolygon)
      precondition(answers.allSatisfy { !$0.distance.isNaN }, "PROJ knows every distance")
    }

    /// What is wrong with a set of ordinals for that of the `count` nearest: what lies 2 mm on either side of
    /// the last may be in or out where there are polygons. Nil when it is right.
    func fault(inSet ordinals: [Int], count: Int) -> String? {
      let wanted = min(count, answers.count)
      let set = Set(ordinals)
      guard ordinals.count == wanted, set.count == wanted else {
        return "\(ordinals.count) ordinals, \(set.count) of them distinct, where the list has \(wanted)"
      }
      let slack = hasPolygons ? 2e-3 : 0
      for (rank, answer) in answers.enumerated() {
        let isIn = rank < wanted
        guard set.contains(answer.ordinal) != isIn else { continue }
        guard slack > 0, wanted > 0, abs(answer.distance - answers[wanted - 1].distance) <= slack else {
          return "region \(answer.ordinal) of rank \(rank) is \(isIn ? "not in the set" : "in the set")"
        }
      }
      return set.isSubset(of: byOrdinal.keys) ? nil : "the set has regions that the list has not"
    }

    /// What is wrong with the answer to a query for the `count` nearest, or all, within `limit` metres; nil
    /// when it is right. Circles must be exact in their order; polygons may change places with whatever is
    /// within 2 mm.
    func fault(in found: [Neighbor], count: Int? = nil, within limit: Double = .infinity) -> String? {
      let wanted = min(count ?? answers.count, answers.count)
      let possible = answers.count { $0.distance <= limit + ($0.isPolygon ? 1e-3 : 0) }
      let certain = answers.count { $0.distance <= limit - ($0.isPolygon ? 1e-3 : 0) }
      guard found.count >= min(wanted, certain), found.count <= min(wanted, possible) else {
        return "\(found.count) regions where the list has \(min(wanted, certain))"
      }
      if let fault = distanceFault(in: found) { return fault }
      // Circles among themselves: those that the list has first, in its order.
      let circles = found.filter { $0.distanceToCenter != nil }.map(\.ordinal)
      let expected = answers.lazy.filter { !$0.isPolygon }.prefix(circles.count).map(\.ordinal)
      guard circles.elementsEqual(expected) else {
        let rank = zip(circles, expected).prefix { $0 == $1 }.count
        return "circle \(circles[rank]) at rank \(rank) where the list has \(Array(expected)[rank])"
      }
      guard hasPolygons else { return nil }
      let distances = found.map { byOrdinal[$0.ordinal]?.distance ?? .nan }
      for rank in distances.indices.dropFirst() where !(distances[rank - 1] <= distances[rank] + 2e-3) {
        return "\(found[rank - 1]) before \(found[rank])"
      }
      // Nothing may be left out that belongs before the last, or within the limit.
      let isFull = found.count == wanted
      let end = isFull ? (distances.max() ?? -.infinity) - 2e-3 : limit
      let ordinals = Set(found.map(\.ordinal))
      for answer in answers where !ordinals.contains(answer.ordinal) {
        guard answer.distance > end - (isFull || !answer.isPolygon ? 0 : 1e-3) else {
          return "region \(answer.ordinal) at \(answer.distance) m is left out"
        }
      }
      return nil
    }

    /// What is wrong with the answer to a query for the `count` nearest with a tolerance: the i-th region is
    /// at most the tolerance farther away than the list's i-th, and each distance is as near the truth as the
    /// answer says, which is within the tolerance.
    func fault(in found: [Neighbor], error: Double, count: Int, tolerance: Double) -> String? {
      guard found.count == min(count, answers.count) else {
        return "\(found.count) regions where the list has \(min(count, answers.count))"
      }
      guard error >= 0, error <= tolerance else { return "an error of \(error) m" }
      if let fault = distanceFault(in: found, error: error) { return fault }
      for (rank, neighbor) in found.enumerated() {
        let (answer, distance) = (answers[rank], byOrdinal[neighbor.ordinal]?.distance ?? .nan)
        guard distance <= answer.distance + tolerance + answer.tolerance else {
          return "\(neighbor) at rank \(rank) where the list has \(answer.distance) m"
        }
        guard rank == 0 || found[rank - 1].distance <= neighbor.distance else {
          return "\(neighbor) after a farther one"
        }
      }
      // What is not told is not much nearer than the last.
      let told = Set(found.map(\.ordinal))
      let least = (found.last?.distance ?? -.infinity) - tolerance - error - 1e-3
      for answer in answers.prefix(2 * count) where !told.contains(answer.ordinal) {
        guard answer.distance >= least else {
          return "region \(answer.ordinal) at \(answer.distance) m is left out"
        }
      }
      return nil
    }

    /// Whether each region is one of the list's, named once, with the distances that the list has.
    ///
    /// - Parameter error: How far off distances may be.
    private func distanceFault(in found: [Neighbor], error: Double = 0) -> String? {
      var seen: Set<Int> = []
      for neighbor in found {
        guard let answer = byOrdinal[neighbor.ordinal] else { return "\(neighbor) is not in the list" }
        guard seen.insert(neighbor.ordinal).inserted else { return "\(neighbor) is found twice" }
        guard abs(neighbor.distance - answer.distance) <= error + answer.tolerance else {
          return "\(neighbor) is \(answer.distance) m away"
        }
        switch (neighbor.distanceToCenter, answer.distanceToCenter) {
        case (nil, nil): break
        case (let center?, let exact?)
        where abs(center - exact) <= error + 1e-6 + (error > 0 ? 2e-7 * (exact - answer.distance) : 0):
          break
        default: return "\(neighbor) has no right distance to its centre"
        }
      }
      return nil
    }
  }
}

/// Expects that nothing is wrong, and shows what is.
func expectNoFault(
  _ fault: String?, _ context: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(fault == nil, "\(context())", sourceLocation: sourceLocation)
}

extension Neighbors {
  /// What a query found, to be compared and changed.
  var found: [Neighbor] { Array(withoutIdentifiers) }
}

extension ListOracle {
  /// What is wrong with the contents of an index over this list; nil when it holds each region once, under
  /// its ordinal and its identifier, and nothing else.
  func contentsFault(of index: some SearchableRegions) throws -> String? {
    guard index.count == listed.count else { return "\(index.count) regions of \(listed.count)" }
    guard index.polygonCount == polygonCount else {
      return "\(index.polygonCount) polygons of \(polygonCount)"
    }
    for (listed, ordinal) in zip(listed, ordinals) {
      let identifier = listed.region.identifier
      guard index.ordinal(of: identifier) == ordinal else {
        return
          "\(identifier) has ordinal \(String(describing: index.ordinal(of: identifier))), not \(ordinal)"
      }
      guard index.knownIdentifier(of: ordinal) == identifier else { return "\(ordinal) is not \(identifier)" }
      guard index.knownRegion(at: ordinal) == listed.region else { return "\(identifier) is another region" }
    }
    for stranger in [-1, (ordinals.max() ?? -1) + 1] where index.knownIdentifier(of: stranger) != nil {
      return "there is a region \(stranger)"
    }
    // What searching and scanning the tree reach.
    let here = Coordinate(latitude: 12, longitude: 34)
    for scans in [false, true] {
      let reached = try index.within(
        .infinity, of: here, options: QueryOptions(usesBruteForce: scans))
      guard reached.map(\.ordinal).sorted() == ordinals.sorted() else {
        return
          "\(reached.count) regions of \(listed.count) are reached by \(scans ? "scanning" : "searching")"
      }
    }
    return nil
  }

  /// What is wrong with an index's answers from `position`, every kind of query asked; nil when all are
  /// right.
  ///
  /// - Parameters:
  ///   - scan: The list's answer from there, where it is known already.
  ///   - judgesBruteForce: Whether the product's own brute force, which walks the index, is held to the list
  ///     as well: slow where there are polygons.
  func fault(
    of index: some SearchableRegions, at position: Coordinate, scan: Scan? = nil, counts: [Int]? = nil,
    distances: [Double] = [-1000, 0, 1000, 250_000, 2.1e7], judgesBruteForce: Bool = true
  ) throws -> String? {
    let scan = scan ?? self.scan(position)
    func named(_ query: String, _ fault: String?) -> String? { fault.map { "\(query) \(position): \($0)" } }
    for k in counts ?? [1, 20, listed.count] {
      let fault = scan.fault(in: try index.nearest(k, to: position).found, count: k)
      if let fault = named("nearest \(k) to", fault) { return fault }
    }
    for distance in distances {
      let found = try index.within(distance, of: position).found
      if let fault = named("within \(distance) m of", scan.fault(in: found, within: distance)) {
        return fault
      }
      let limited = try index.nearest(7, to: position, options: QueryOptions(maximumDistance: distance)).found
      let fault = scan.fault(in: limited, count: 7, within: distance)
      if let fault = named("nearest 7 within \(distance) m of", fault) { return fault }
    }
    for tier in Tier.allCases {
      let answer = try index.nearest(20, to: position, options: QueryOptions(tier: tier))
      let fault = scan.fault(
        in: answer.found, error: answer.distanceError, count: 20, tolerance: tier.tolerance)
      if let fault = named("nearest 20, \(tier), to", fault) { return fault }
    }
    guard judgesBruteForce else { return nil }
    let brute = QueryOptions(usesBruteForce: true)
    let all = try index.nearest(listed.count + 1, to: position, options: brute).found
    if let fault = named("nearest by brute force to", scan.fault(in: all)) { return fault }
    guard polygonCount == 0 else { return nil }
    let containing = try index.within(0, of: position, options: brute).found
    return named("containing by brute force", scan.fault(in: containing, within: 0))
  }
}
