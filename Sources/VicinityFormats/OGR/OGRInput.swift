internal import VicinityText

/// The layers of a vector file that are read, and where their features' identifiers come from.
struct OGRInput {
  /// One or more.
  var layers: [(layer: OGRLayer, rule: IdentifierRule)]
  /// What to say of the choice of layers, if anything.
  var notice: String?

  /// Opens the file behind `source`; to be used between the begin and the end of `messages`.
  ///
  /// - Parameter identifiers: The names of fields that hold identifiers where the caller names none.
  init(
    _ source: ByteSource, messages: GDALMessages, options: ReadingOptions, identifiers: [String]
  ) throws {
    let dataset = try OGRDataset(source, messages: messages)
    func open(_ dataset: OGRDataset) throws -> OGRInput {
      let choice = try dataset.layers(options.layer)
      let layers = try choice.layers.map {
        ($0, try IdentifierRule($0, named: options.identifierField, orAny: identifiers))
      }
      return OGRInput(layers: layers, notice: choice.notice)
    }
    self = try open(dataset)
    // OGR sorts features by their ids where all are integers.
    if dataset.driver == "GeoJSON", let contents = dataset.contents,
      contents.integerCount == contents.featureCount,
      layers.contains(where: { $0.rule.needsFileOrder })
    {
      let positions = try GeoJSONContents(source, .identifiers).identifierPositions
      self = try open(OGRDataset(hidingIdentifiersOf: dataset, at: positions))
    }
  }

  private init(layers: [(layer: OGRLayer, rule: IdentifierRule)], notice: String?) {
    self.layers = layers
    self.notice = notice
  }
}
