internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// Makes an index of the regions in a stream.
enum RegionImport {
  /// The index, and what was repaired in which row.
  ///
  /// - Throws: ``Failure`` for the first row that is no region, or has an identifier that an earlier one has.
  static func index(
    _ input: ArrowInput, _ options: inout Options, _ control: Control, repair: PolygonRepair?
  ) throws(Failure) -> (index: RegionIndex, notes: [String]) {
    let columns = Columns(input.fields)
    let identifier = try columns.name(columns.needed("id-column", Columns.identifier, &options))
    let radius = try columns.number(columns.find("radius-column", Columns.radius, &options))
    let allRadii = try options.number("radius", in: 0...)
    var places = try PlaceColumns(columns, &options)
    if let edges = options.text("edges") {
      guard ["planar", "geodesic"].contains(edges) else {
        throw .argument("option edges: planar or geodesic is expected, not \(edges.debugDescription)")
      }
      if case .geometry(let i, var meaning) = places {
        meaning.areEdgesPlanar = edges == "planar"
        places = .geometry(i, meaning)
      }
    }
    let isStrict = try options.flag("strict") ?? false
    try options.finish()
    if case .degrees = places, radius == nil, allRadii == nil {
      throw .schema(Columns.radius[0], "there is no such column, and no option radius; \(columns.found)")
    }
    guard let identifier else {
      throw .schema(Columns.identifier[0], "there is no such column; \(columns.found)")
    }
    let rows = Rows(
      identifier: identifier, radius: radius, allRadii: allRadii, places: places, isStrict: isStrict,
      repair: repair)
    var set = RegionSet()
    var notes: [String] = []
    while let batch = try input.next() {
      notes += try rows.append(batch, to: &set, threads: control.threads)
      try control.report(input.rowCount)
    }
    do throws(RegionError) {
      return (try RegionIndex(set, threads: control.threads), notes)
    } catch {
      guard case .duplicateIdentifier(let name, let first, let second) = error else { throw Failure(error) }
      throw .data(
        second, columns[identifier].name, "\(name.debugDescription) is the identifier of row \(first) already"
      )
    }
  }

  /// Which columns describe regions.
  private struct Rows {
    let identifier: Int
    let radius: Int?
    let allRadii: Meters?
    let places: PlaceColumns
    let isStrict: Bool
    let repair: PolygonRepair?

    /// - Returns: What was repaired.
    func append(_ batch: ArrowBatch, to set: inout RegionSet, threads: Int) throws(Failure) -> [String] {
      var notes: [String] = []
      let names = NameColumn(try batch.column(identifier))
      try names.check(0..<batch.count)
      let radii = try radius.map { i throws(Failure) in try batch.column(i) }
      try radii?.check(0..<batch.count)
      set.reserveCapacity(set.count + batch.count)
      switch places {
      case .degrees:
        let centers = try places.coordinates(batch)
        for i in 0..<batch.count {
          let radius = try radius(radii, i)
          do throws(RegionError) {
            if names.isText {
              try unsafe set.appendCircle(
                identifier: names.column.text(i), center: centers[i], radius: radius)
            } else {
              try set.appendCircle(identifier: names.text(i).utf8, center: centers[i], radius: radius)
            }
          } catch { throw .data(batch.firstRow + i, radii?.name, "\(error)") }
        }
      case .geometry(let number, let meaning):
        let column = try batch.column(number)
        try column.check(0..<batch.count)
        try column.checkNotNull(0..<batch.count)
        let shapes = try Parallel.map(batch.count, threads: threads) {
          i throws(Failure) -> (shape: Region.Shape, fault: String?) in
          do throws(GeometryFault) {
            switch try unsafe WKBReader.read(column.text(i)) {
            case .polygon(let parts):
              let (polygon, fault) = try WKBReader.polygon(
                parts, areEdgesPlanar: meaning.areEdgesPlanar, isStrict: isStrict, by: repair)
              return (.polygon(polygon), fault)
            case .point(let center): return (.circle(center: center, radius: .nan), nil)
            }
          } catch { throw column.fault(i, error.message) }
        }
        for (i, found) in shapes.enumerated() {
          var region = Region(identifier: names.text(i), shape: found.shape)
          if let fault = found.fault { notes.append(column.fault(i, fault).message) }
          if case .circle(let center, _) = found.shape {
            region.shape = .circle(center: center, radius: try radius(radii, i))
          }
          do throws(RegionError) { try set.append(region) } catch {
            throw .data(batch.firstRow + i, column.name, "\(error)")
          }
        }
      }
      return notes
    }

    private func radius(_ radii: ArrowColumn?, _ i: Int) throws(Failure) -> Meters {
      guard let radii else {
        guard let allRadii else {
          throw .schema(Columns.radius[0], "a point needs a radius, and there is no such column")
        }
        return allRadii
      }
      if radii.isNull(i) {
        guard let allRadii else { throw radii.fault(i, "null") }
        return allRadii
      }
      let value = radii.number(i)
      guard value >= 0, value.isFinite else {
        throw radii.fault(i, "invalid radius: \(value) m (must be finite, 0 or more)")
      }
      return value
    }
  }
}

/// A column of names: strings, or whole numbers as their decimal text.
struct NameColumn: Sendable {
  let column: ArrowColumn

  init(_ column: ArrowColumn) { self.column = column }

  var isText: Bool { column.type.isText }

  /// Throws for a null and for bytes that are not UTF-8.
  func check(_ range: Range<Int>) throws(Failure) {
    try column.check(range)
    try column.checkNotNull(range)
    guard isText else { return }
    for i in range where unsafe !UTF8Check.isValid(column.text(i)) { throw column.fault(i, "not UTF-8") }
  }

  func text(_ i: Int) -> String {
    isText ? unsafe String(decoding: column.text(i), as: UTF8.self) : column.wholeText(i)
  }
}
