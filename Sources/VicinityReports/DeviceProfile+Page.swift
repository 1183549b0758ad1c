internal import VicinitySimulation

extension DeviceProfile {
  /// How well the profile's figures are known, in words.
  var basisText: String {
    let figures = listedFigures
    let assumed = figures.count { $0.figure.basis == .assumed }
    return
      "\(assumed) of the \(figures.count) figures of this profile are assumptions; the table has the range of each. "
      + (missingTiersText.map { "Note that \($0). " } ?? "") + notes.joined(separator: " ")
  }

  /// The figures as rows of a page's table: path, value, range, basis, source.
  var figureRows: [JSONValue] {
    listedFigures.map { path, figure in
      .array([
        .string(path), .rounded(figure.value, 4), .rounded(figure.low, 4), .rounded(figure.high, 4),
        .string(figure.basis.rawValue), .string(sources[figure.source] ?? figure.source),
      ])
    }
  }
}
