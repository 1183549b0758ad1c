/// Where features' identifiers come from.
///
/// In this order: the field the caller names (`FID` names the feature's number); in GeoJSON the feature's own id
/// (RFC 7946, section 3.2); the first field called `id`, `identifier`, `region`, `region_id` or `name`, in any
/// case, for which the first feature has a value; the feature's number.
///
/// OGR presents a GeoJSON feature's id as the feature's number where it is an integer, and otherwise as a
/// field `id`, unless the properties have one too, which then wins.
enum IdentifierRule {
  case field(OGRLayer.Field)
  case number(isStated: Bool)

  /// The rule for `layer`.
  ///
  /// - Throws: ``FormatError/missingField(_:expected:found:)``.
  init(_ layer: OGRLayer, named name: String?) throws {
    if let name {
      if let field = layer.field(name) {
        self = .field(field)
      } else if name == FieldNames.number {
        self = .number(isStated: true)
      } else {
        throw FormatError.missingField(
          layer.place, expected: name, found: layer.fields.map(\.name))
      }
      return
    }
    if layer.dataset.driver.hasPrefix("GeoJSON"),
      try GeoJSONProbe.hasIntegerIdentifiers(layer.dataset.source)
    {
      self = .number(isStated: true)
      return
    }
    let candidates = FieldNames.identifier.compactMap { name in
      layer.fields.first { FieldNames.normalized($0.name) == name }
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
