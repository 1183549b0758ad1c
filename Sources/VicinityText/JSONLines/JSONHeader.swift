internal import VicinityCrossings

/// The members of a file's first object, which say what the file has.
package struct JSONHeader {
  package let names: [String]
  package let place: Diagnostic.Place
  package let resolver: ColumnResolver

  /// Looks at the first object behind `reader`, which stays there.
  ///
  /// - Throws: ``FormatError`` where there is none.
  package init(_ reader: inout BlockReader, _ options: ReadingOptions) throws(FormatError) {
    let path = reader.source.path
    if try reader.peek(3) == [0xEF, 0xBB, 0xBF] { reader.skip(3) }
    // Well-known text can make the first line long.
    var size = InputKind.headByteCount
    var head = try reader.peek(size)
    var names = JSONLines.firstNames(in: head)
    while names == nil, head.count == size, size < reader.maximumRecordByteCount {
      size *= 2
      head = try reader.peek(size)
      names = JSONLines.firstNames(in: head)
    }
    guard let names else {
      throw .unrecognizedFormat(path: path, reason: "no line of it is an object of JSON")
    }
    self.names = names
    place = Diagnostic.Place(path: path)
    resolver = ColumnResolver(names, at: place)
  }

  /// The names of latitudes and longitudes, and what to tell people about them.
  ///
  /// - Throws: ``FormatError`` where the first object has none of them.
  package func coordinates(
    _ options: ReadingOptions, areRequired: Bool = true
  ) throws(FormatError) -> (names: JSONNames, notices: [String]) {
    var names = JSONNames()
    var notices: [String] = []
    for (role, things, chosen, known) in [
      (JSONRole.latitude, "latitudes", options.latitudeField, FieldNames.latitude),
      (.longitude, "longitudes", options.longitudeField, FieldNames.longitude),
    ] {
      let index = try resolver.index(of: chosen, orAny: known, isOptional: options.fieldsAreOptional)
      if index == nil, areRequired {
        throw .missingColumn(place, expected: chosen.map { [$0] } ?? known, found: self.names)
      }
      let isChosen =
        chosen.map { FieldNames.normalized($0) } == index.map { FieldNames.normalized(self.names[$0]) }
      names.add(role, isChosen && chosen != nil ? [chosen ?? ""] : known)
      if let notice = resolver.notice(things, index, named: chosen, others: known) { notices.append(notice) }
    }
    return (names, notices)
  }
}
