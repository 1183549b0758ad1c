package import VicinityGeodesy

extension Polygon {
  /// A polygon, repaired where its rings cross themselves or each other.
  ///
  /// - Parameter repair: Makes planar parts valid; nil where they cannot be repaired.
  /// - Returns: the polygon, and the first fault that was repaired; `nil` when there was none.
  /// - Throws: ``PolygonError``; the fault where it was not repaired, or nothing with an inside remains.
  /// - Complexity: O(n log n), and that of `repair`.
  package static func repairing(
    parts: [Part], meaning: RingMeaning,
    by repair: (_ parts: [PlanarPart]) throws(PolygonError) -> [PlanarPart]?
  ) throws(PolygonError) -> (polygon: Polygon, fault: PolygonError?) {
    let (sound, dropped) = try droppingCollapsedRings(parts, meaning: meaning)
    guard let (judged, fault) = try frameIfFaulty(sound, meaning: meaning) else {
      return (try Polygon(uncheckedParts: sound, meaning: meaning), dropped)
    }
    // A repair takes edges for straight.
    let frame =
      judged.edges == .straight ? judged : PlanarFrame(sound, meaning: meaning, isProjected: true)
    guard let valid = try repair(frame.parts) else { throw fault }
    let repaired = frame.coordinates(of: valid)
    guard !repaired.isEmpty else { throw fault }
    // Slivers may collapse on the way back.
    let (remaining, _) = try droppingCollapsedRings(repaired, meaning: meaning, includingEmpty: true)
    return (try Polygon(uncheckedParts: remaining, meaning: meaning), dropped ?? fault)
  }

  /// A polygon from rings that are known not to cross, each with the inside to its left. Rings that are no
  /// more than points are left out.
  ///
  /// - Parameter holds: Whether a place that is not near the boundary lies in the region, told otherwise than
  ///   by the edges' directions, which say nothing of a needle; `nil` where that is not known.
  /// - Throws: ``PolygonError``, for example where nothing remains.
  package init(
    wound parts: [Part], holds: (Coordinate) -> Bool?
  ) throws(PolygonError) {
    let (remaining, _) = try Self.droppingCollapsedRings(parts, meaning: .wound, includingEmpty: true)
    try self.init(uncheckedParts: remaining, meaning: .wound, holds: holds)
  }

  /// The plane in which the parts are judged, and their first fault there; `nil` for valid parts.
  ///
  /// - Precondition: every ring passes ``CleanRing``.
  /// - Throws: ``PolygonError/tooManyEdges(count:maximum:)``.
  /// - Complexity: O(n log n)
  static func frameIfFaulty(
    _ parts: [Part], meaning: RingMeaning
  ) throws(PolygonError) -> (frame: PlanarFrame, fault: PolygonError)? {
    let frame = PlanarFrame(parts, meaning: meaning)
    let count = frame.parts.joined().reduce(0) { $0 + $1.count }
    guard count <= PlanarSweep.maximumCount else {
      throw .tooManyEdges(count: count, maximum: PlanarSweep.maximumCount)
    }
    guard let fault = PlanarSweep.fault(of: frame.parts, edges: frame.edges) else { return nil }
    let place = PolygonError.Place(part: fault.part, ring: fault.ring)
    return (frame, .invalid(fault.reason, place, near: frame.coordinate(of: fault.point)))
  }

  /// The parts less the rings of fewer than three vertices, and the first reason for leaving one out.
  ///
  /// - Parameter includingEmpty: leave out the rings that enclose nothing, too. (A bow tie's two halves may
  ///   add up to nothing before its repair.)
  private static func droppingCollapsedRings(
    _ parts: [Part], meaning: RingMeaning, includingEmpty: Bool = false
  ) throws(PolygonError) -> (parts: [Part], fault: PolygonError?) {
    guard !parts.isEmpty else { throw .empty }
    var fault: PolygonError?
    func isSound(
      _ ring: [Coordinate], _ place: PolygonError.Place
    ) throws(PolygonError) -> Bool {
      do throws(PolygonError) {
        let clean = try CleanRing(ring, meaning: meaning, place: place)
        if !includingEmpty || clean.side != 0 { return true }
        fault = fault ?? .zeroArea(place)
      } catch .tooFewVertices(let distinct, let place) {
        fault = fault ?? .tooFewVertices(distinct: distinct, place)
      }
      return false
    }
    var result: [Part] = []
    for (i, part) in parts.enumerated() {
      guard try isSound(part.exterior, .init(part: i, ring: 0)) else { continue }
      var holes: [[Coordinate]] = []
      for (k, hole) in part.holes.enumerated()
      where try isSound(hole, .init(part: i, ring: k + 1)) {
        holes.append(hole)
      }
      result.append(Part(exterior: part.exterior, holes: holes))
    }
    if result.isEmpty, let fault { throw fault }
    return (result, fault)
  }
}
