internal import CGDAL
internal import VicinityCrossings
internal import VicinityText

/// The source of features' identifiers, the first of these that is present: the field the caller names (`FID`
/// names the feature's number); in GeoJSON the feature's own id (RFC 7946, section 3.2), if the first feature
/// has one that is a number; the first field called `id`, `identifier`, `region`, `region_id` or `name`, in
/// any case, for which any feature has a value; GeoJSON's own ids, if any feature has one; the feature's
/// number.
///
/// A field or an id that some features lack is the source all the same: those features are bad rows, as in
/// CSV. Only a field that is empty in all of them is passed over, as drawing programs write it.
///
/// OGR presents a GeoJSON feature's id as the feature's number where all are integers, and otherwise as a
/// field `id`, unless the properties have one too, which then wins. It cuts integers to 64 bits, and real
/// numbers to 15 digits: identifiers of GeoJSON that are numbers are taken from the file's text, and what
/// other formats do not hold exactly is a bad feature.
struct IdentifierRule {
  private enum Source {
    case field(OGRLayer.Field)
    case number
    /// The ids that the file states, in the order of its features.
    case listed([String?])
  }

  private var source: Source
  /// Whether the file has identifiers at all.
  let isStated: Bool
  /// The names of fields that would hold the identifiers, but are empty in every feature.
  private(set) var emptyFields: [String] = []
  /// Values of the field that OGR would not give back as they are written, by the feature's place in the
  /// file.
  private var words: [Int: String] = [:]

  /// The field that holds the identifiers, if one does.
  var field: OGRLayer.Field? { if case .field(let field) = source { field } else { nil } }

  /// - Throws: `FormatError/missingField(_:expected:found:)`.
  init(_ layer: OGRLayer, named name: String?, orAny others: [String] = FieldNames.identifier) throws {
    let resolver = layer.resolver
    let dataset = layer.dataset
    // GeoJSON's own ids are no properties, unless GDAL makes a field of them.
    let contents = dataset.driver.hasPrefix("GeoJSON") ? dataset.contents : nil
    let isOwn = try name.map(FieldNames.normalized) == "id" && resolver.index(ofAny: ["id"]) == nil
    let statesNumbers = isOwn ? contents?.numberCount ?? 0 > 0 : contents?.beginsWithNumber == true
    if let name, !(statesNumbers && isOwn) {
      if FieldNames.isNumber(name, among: resolver.names) {
        source = .number
      } else {
        source = .field(layer.fields[try resolver.index(of: name)])
      }
      isStated = true
      try readWords(layer)
      return
    }
    if statesNumbers, let contents {
      isStated = true
      if dataset.driver == "GeoJSON", contents.areFeatureNumbers {
        source = .number
      } else {
        source = try Self.listed(dataset)
      }
      return
    }
    let candidates = try others.compactMap { name in
      try resolver.index(ofAny: [name]).map { layer.fields[$0] }
    }
    if !candidates.isEmpty, let chosen = try layer.firstField(of: candidates) {
      source = .field(chosen)
      isStated = true
      try readWords(layer)
      return
    }
    // Ids that are text would have been a field.
    isStated = contents?.numberCount ?? 0 > 0
    source = isStated ? try Self.listed(dataset) : .number
    emptyFields = isStated ? [] : candidates.map(\.name)
  }

  private static func listed(_ dataset: OGRDataset) throws -> Source {
    .listed(try GeoJSONContents(dataset.source, .identifiers).identifiers)
  }

  /// Whether features must come in the order of the file, which is not so where OGR takes their ids for their
  /// numbers.
  var needsFileOrder: Bool { if case .listed = source { true } else { !words.isEmpty } }

  /// Looks for values of the field that OGR does not give back as they are written.
  private mutating func readWords(_ layer: OGRLayer) throws {
    guard case .field(let field) = source else { return }
    let dataset = layer.dataset
    if dataset.driver.hasPrefix("GeoJSON") {
      // OGR gives integers back as they are where all are integers, and 15 digits of them where some are not.
      let limit = field.isInteger ? Int64.max : 1_000_000_000_000_000
      words = try GeoJSONContents(dataset.source, .words(ofProperty: field.name, limit: limit)).words
    } else if dataset.driver == "GPKG", field.isInteger {
      func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
      let count = dataset.value(
        "SELECT COUNT(*) FROM \(quoted(layer.name)) WHERE typeof(\(quoted(field.name))) = 'real'")
      if let count, count > 0 {
        throw FormatError.library(
          layer.place,
          message:
            "\(DecimalText.count(count, "value", "values")) of \"\(field.name)\", a field of integers, "
            + "\(count == 1 ? "is a real number" : "are real numbers"), whose digits cannot all be read; identifiers are text or integers of 64 bits"
        )
      }
    }
  }

  /// Why `feature` has no identifier that is certain; `nil` where it has one, or none at all.
  func fault(of feature: borrowing OGRFeature) -> String? {
    guard case .field(let field) = source, field.isReal, words[feature.ordinal] == nil,
      let value = feature.number(in: field)
    else { return nil }
    guard value.isFinite else { return "the identifier in \"\(field.name)\" is no number: \(value)" }
    guard abs(value) < 0x1p53 || value != value.rounded() else {
      return "the identifier in \"\(field.name)\", \(value), has more digits than a real number keeps;"
        + " identifiers are text or integers of 64 bits"
    }
    return nil
  }

  /// Whether OGR has numbered features otherwise than by their ids, to be asked for when all have been read.
  func fault(of layer: OGRLayer) -> String? {
    guard case .number = source, let contents = layer.dataset.contents, contents.beginsWithNumber,
      layer.dataset.driver == "GeoJSON", contents.areFeatureNumbers, contents.numberSum != layer.numberSum
    else { return nil }
    return "GDAL does not give back the features' ids as the file has them"
  }

  /// Calls `body` with the bytes of `feature`'s identifier.
  func withIdentifier<R>(
    of feature: borrowing OGRFeature, _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R {
    func give(_ text: String) throws -> R {
      try unsafe Array(text.utf8).withUnsafeBufferPointer { try unsafe body($0) }
    }
    switch source {
    case .field(let field):
      if let word = words[feature.ordinal] { return try give(word) }
      if field.isReal, let value = feature.number(in: field) {
        return try give(value == value.rounded() && abs(value) < 0x1p53 ? "\(Int64(value))" : "\(value)")
      }
      return try unsafe feature.withText(of: field, body)
    case .number: return try give(String(feature.number))
    case .listed(let identifiers):
      return try give(feature.ordinal < identifiers.count ? identifiers[feature.ordinal] ?? "" : "")
    }
  }
}
