package import VicinityGeodesy

extension Polygon {
  /// A polygon from the ``chains`` of another one: the same to the last bit, on the same system.
  ///
  /// - Parameter isBounded: Whether that one lies in a circle smaller than a hemisphere.
  /// - Throws: ``PolygonError`` for chains that no polygon has. Whether chains cross is not checked.
  /// - Complexity: O(n)
  package init(chains: [[Coordinate]], isBounded: Bool) throws(PolygonError) {
    for (i, chain) in chains.enumerated() {
      guard chain.count > 1 else {
        throw .tooFewVertices(distinct: chain.count, PolygonError.Place(part: i, ring: 0))
      }
      for (k, vertex) in chain.enumerated() where !vertex.isValid || abs(vertex.longitude) > 180 {
        throw .invalidCoordinate(vertex, PolygonError.Place(part: i, ring: 0, vertex: k))
      }
    }
    let blob = try PolygonBlob(chains: chains, mayBeOutside: { _ in !isBounded })
    // Searches rely on valid contents: a chain whose edges have no length, for example, would not be found.
    let fault = blob.withView { view -> PolygonBlobError? in
      do throws(PolygonBlobError) {
        try view.checkContents()
        return nil
      } catch {
        return error
      }
    }
    if let fault { throw .damaged(reason: fault.description) }
    self.init(blob: blob)
  }
}
