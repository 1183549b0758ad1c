internal import VicinityPolygon
internal import VicinityText

extension RowFault {
  /// What is wrong with a row's geometry.
  init(_ fault: GeometryFault) {
    let cure: Cure? =
      switch fault.decision {
      case .wideEdges: .wideEdges
      case .ballpark: .ballpark
      case nil: nil
      }
    self.init(fault.message, cure: cure)
  }

  /// What `body` returns, or its fault as one of the row.
  static func rethrowing<Result>(_ body: () throws(GeometryFault) -> Result) throws(RowFault) -> Result {
    do { return try body() } catch { throw RowFault(error) }
  }
}
