package import VicinityCrossings

/// Finds the columns of a header, or the fields of a layer, by their names.
package struct ColumnResolver {
  /// The names as the file spells them.
  package let names: [String]
  private let normalized: [String]
  private let place: Diagnostic.Place
  /// Whether these are fields of a layer. Of two that differ in case alone, the one in lower case is taken,
  /// or the first.
  private let isLayer: Bool

  package init(_ names: [String], at place: Diagnostic.Place, isLayer: Bool = false) {
    self.names = names
    self.place = place
    self.isLayer = isLayer
    normalized = names.map(FieldNames.normalized)
  }

  /// The index of the first of `wanted` that is present, which are normalised names; `nil` if none is.
  ///
  /// - Throws: ``FormatError/ambiguousColumn(_:names:)`` where two columns have that name.
  package func index(ofAny wanted: [String]) throws(FormatError) -> Int? {
    guard let found = FieldNames.find(wanted, in: normalized) else { return nil }
    if isLayer { return names.firstIndex(of: normalized[found.index]) ?? found.index }
    guard found.count == 1 else { throw .ambiguousColumn(place, names: [names[found.index]]) }
    return found.index
  }

  /// The index of `name` if one is given, else of the column of `quantity` whose name comes first in its
  /// order.
  ///
  /// - Throws: ``FormatError`` where `name` is missing, or two columns have the same name.
  package func index(of quantity: Quantity, named name: String? = nil) throws(FormatError) -> Int? {
    if let name { return try index(of: name) }
    var best: (rank: Int, index: Int)?
    for (index, name) in names.enumerated() {
      guard case .values(let rank) = quantity.meaning(of: name) else { continue }
      if let best, best.rank == rank, !isLayer {
        throw .ambiguousColumn(place, names: [names[best.index], name])
      }
      if rank < best?.rank ?? .max { best = (rank, index) }
    }
    return best?.index
  }

  /// The index of `name`, by its exact spelling if that is present, else whatever its case.
  ///
  /// - Throws: ``FormatError`` where the name is missing, or two columns have it.
  package func index(of name: String) throws(FormatError) -> Int {
    if let exact = names.firstIndex(of: name) { return exact }
    if let index = try index(ofAny: [FieldNames.normalized(name)]) { return index }
    throw isLayer
      ? .missingField(place, expected: name, found: names)
      : .missingColumn(place, expected: [name], found: names)
  }

  /// The index of `name` if one is given, else of the first of `others` that is present.
  ///
  /// - Parameter isOptional: Whether `others` count where nothing is called `name` too; nil then, if there
  ///   are none.
  package func index(
    of name: String?, orAny others: [String], isOptional: Bool = false
  ) throws(FormatError) -> Int? {
    guard let name else { return try index(ofAny: others) }
    if isOptional, !names.contains(name), !normalized.contains(FieldNames.normalized(name)) {
      return try index(ofAny: others)
    }
    return try index(of: name)
  }

  /// What to tell people about the column or field `index` that `things` are taken from: something where
  /// they named one, where its name is one of `vague`, or where another column has one of the names `others`;
  /// `nil` otherwise.
  package func notice(
    _ things: String, _ index: Int?, named name: String?, vague: Set<String> = [], others: [String] = []
  ) -> String? {
    guard let index else { return nil }
    let kind = isLayer ? "field" : "column"
    let found = FieldNames.taken(things, kind, names[index])
    if let name {
      return names[index] == name || normalized[index] == FieldNames.normalized(name)
        ? found : "no \(kind) \"\(name)\"; \(found)"
    }
    return FieldNames.choice(of: things, names, read: index, from: others, kind: kind)
      ?? (vague.contains(normalized[index]) ? found : nil)
  }

  /// What to warn people of where points may get other radii than their file says: the name of the column or
  /// field that is read speaks of another unit than metres, or none is read though some look like radii.
  package func radiusWarning(_ index: Int?, _ options: ReadingOptions) -> RowFault? {
    let read = index.map { names[$0] }
    switch FieldNames.radiusDoubt(names, read: read, hasOther: options.defaultRadius != nil) {
    case nil: return nil
    case .otherUnit(let name):
      return RowFault("\(FormatError.list([name])) is read in metres, whatever its name says")
    case .unread(let names):
      return RowFault(
        "\(FormatError.list(names)) \(names.count == 1 ? "is" : "are") not read, and points have the default radius",
        cure: .defaultRadius)
    }
  }

  /// What to tell people about the column or field that names the devices: something where they named one,
  /// where its name may mean other things, or where another might name them too.
  package func deviceNotice(_ index: Int?, _ options: ReadingOptions) -> String? {
    notice(
      "devices", index, named: options.identifierField, vague: FieldNames.vagueDevice,
      others: FieldNames.plainDevice)
  }

  /// What to tell people about a column or field of trips that devices are taken from, unless they or
  /// ``deviceNotice(_:_:)`` named it.
  package func tripNotice(_ index: Int?, _ options: ReadingOptions) -> String? {
    guard let index, options.identifierField == nil, deviceNotice(index, options) == nil else { return nil }
    return FieldNames.tripWords(isLayer ? "field" : "column", names[index])
  }

  /// What to tell people where nothing holds the identifiers of `things`: what is there, and what they are
  /// named by instead.
  ///
  /// - Parameter empty: The names of those that would hold them, but have no value.
  package func unnamed(
    _ things: String, by number: String, kind: String? = nil, empty: [String] = []
  ) -> RowFault {
    let kind = kind ?? (isLayer ? "field" : "column")
    let found =
      empty.isEmpty
      ? "no \(kind) for identifiers (found \(FormatError.list(names)))"
      : "no identifiers: the \(kind)\(empty.count == 1 ? "" : "s") \(FormatError.list(empty))"
        + " \(empty.count == 1 ? "has" : "have") no value in any of the \(things)"
    return RowFault("\(found); \(things) are named by \(number)", cure: .unnamed)
  }

  /// Refuses a track of which no column or field names the devices, although some may tell devices apart.
  ///
  /// One device is assumed where there is nothing but time, place and measurements. Any other column may be
  /// the name of a device, and fixes of several devices in one track would make crossings that never
  /// happened.
  ///
  /// - Parameter explained: The columns that have a meaning.
  /// - Throws: ``FormatError/missingDevice(_:candidates:found:)``
  package func checkIsOneDevice(explained: [Int?], _ options: ReadingOptions) throws(FormatError) {
    guard !options.isSingleDevice else { return }
    let known =
      FieldNames.time + FieldNames.timeInMilliseconds + FieldNames.latitude + FieldNames.longitude
      + FieldNames.radius + FieldNames.wkt + FieldNames.measurements
    let quantities = [FieldNames.accuracy, FieldNames.speed, FieldNames.course]
    let candidates = names.indices.filter { index in
      !explained.contains(index) && !known.contains(normalized[index])
        && !quantities.contains { $0.meaning(of: names[index]) != nil }
    }
    guard candidates.isEmpty else {
      throw .missingDevice(place, candidates: candidates.map { names[$0] }, found: names)
    }
  }

  /// The index of `name` if one is given, else of the first of `wanted` that is present.
  ///
  /// - Throws: ``FormatError`` where none is.
  package func required(_ name: String?, _ wanted: [String], isOptional: Bool) throws(FormatError) -> Int {
    guard let index = try index(of: name, orAny: wanted, isOptional: isOptional) else {
      throw .missingColumn(place, expected: name.map { [$0] } ?? wanted, found: names)
    }
    return index
  }

  /// The column or field of times, and what numbers in it count: what the options say, else what its name
  /// does.
  package func time(_ options: ReadingOptions) throws(FormatError) -> (index: Int, unit: TimeUnit)? {
    guard
      let index = try index(of: options.timeField, orAny: FieldNames.time + FieldNames.timeInMilliseconds)
    else { return nil }
    let named = FieldNames.timeInMilliseconds.contains(normalized[index]) ? TimeUnit.milliseconds : .seconds
    return (index, options.timeUnit ?? named)
  }

  /// The column or field of devices; `nil` where all fixes are to be taken for one device's.
  package func device(_ options: ReadingOptions) throws(FormatError) -> Int? {
    options.isSingleDevice ? nil : try index(of: options.identifierField, orAny: FieldNames.device)
  }
}

extension FieldNames {
  /// The index in `names` of the first of `wanted` that is present, and how often that one occurs.
  static func find(_ wanted: [String], in names: [String]) -> (index: Int, count: Int)? {
    for name in wanted {
      let matches = names.indices.filter { names[$0] == name }
      if let first = matches.first { return (first, matches.count) }
    }
    return nil
  }
}
