internal import VicinityCrossings
internal import VicinityText

/// The source of features' identifiers, the first of these that is present: the field the caller names (`FID` names the feature's number); in GeoJSON the feature's own id
/// (RFC 7946, section 3.2); the first field called `id`, `identifier`, `region`, `region_id` or `name`, in any
/// case, for which the first feature has a value; the feature's number.
///
/// OGR presents a GeoJSON feature's id as the feature's number where it is an integer, and otherwise as a
/// field `id`, unless the properties have one too, which then wins.
enum IdentifierRule {
  case field(OGRLayer.Field)
  case number(isStated: Bool)

  /// - Throws: `FormatError/missingField(_:expected:found:)`.
  init(_ layer: OGRLayer, named name: String?, orAny others: [String] = FieldNames.identifier) throws {
    let resolver = layer.resolver
    if let name {
      if name == FieldNames.number, try resolver.index(ofAny: [FieldNames.normalized(name)]) == nil {
        self = .number(isStated: true)
      } else {
        self = .field(layer.fields[try resolver.index(of: name)])
      }
      return
    }
    if layer.dataset.driver.hasPrefix("GeoJSON"),
      try GeoJSONProbe.hasIntegerIdentifiers(layer.dataset.source)
    {
      self = .number(isStated: true)
      return
    }
    let candidates = try others.compactMap { name in
      try resolver.index(ofAny: [name]).map { layer.fields[$0] }
    }
    self = .number(isStated: false)
    guard !candidates.isEmpty, let chosen = try layer.firstField(of: candidates) else { return }
    self = .field(chosen)
  }

  /// Calls `body` with the bytes of `feature`'s identifier.
  func withIdentifier<R>(
    of feature: borrowing OGRFeature, _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R {
    switch self {
    case .field(let field): try unsafe feature.withText(of: field, body)
    case .number:
      try unsafe Array(String(feature.number).utf8).withUnsafeBufferPointer { try unsafe body($0) }
    }
  }
}
