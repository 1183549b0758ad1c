internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// Makes an index of the regions in a stream.
enum RegionImport {
  /// The index, what was repaired in which row, and the rows that were left out.
  ///
  /// - Throws: ``Failure`` for the first row that is no region, or has an identifier that an earlier one has,
  ///   unless such rows are skipped or merged.
  static func index(
    _ input: ArrowInput, _ options: inout Options, _ control: Control, repair: PolygonRepair?
  ) throws(Failure) -> IndexHandle {
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
    let merges = try options.flag("merge-ids") ?? false
    let bad = try BadRows(&options)
    var notes =
      columns.identifierChoices(identifier, &options) + places.choices(columns, &options)
      + columns.choices([("radius-column", "radii", radius, Columns.radius)], &options)
    try options.finish()
    if case .degrees = places, radius == nil, allRadii == nil {
      throw .schema(
        Columns.radius[0],
        "there is no such column, and no option radius, in Python radius=metres, 0 for points; \(columns.found)"
      )
    }
    guard let identifier else {
      throw .schema(Columns.identifier[0], "there is no such column; \(columns.found)")
    }
    let names = input.fields.map(\.name)
    if let doubt = FieldNames.radiusDoubt(names, read: radius.map { names[$0] }, hasOther: allRadii != nil) {
      notes.append(Note(kind: .column, text: words(doubt)))
    }
    let rows = Rows(
      identifier: identifier, radius: radius, allRadii: allRadii, places: places, isStrict: isStrict,
      merges: merges, repair: repair, bad: bad)
    var regions = Gathered(keepsRows: merges || bad.areSkipped)
    while let batch = try input.next() {
      notes += try rows.append(batch, to: &regions, control)
      try control.report(input.rowCount)
    }
    try rows.merge(&regions, columns[identifier].name, control)
    try bad.checkAnyLeft(of: input.rowCount)
    notes += bad.notes(of: input.rowCount)
    if let warning = regions.lostWarning { notes.append(Note(kind: .rejects, text: warning)) }
    notes += regions.unusedRadii(radius.map { names[$0] }, isOptionGiven: allRadii != nil)
    let (set, threads) = (regions.set, control.threads)
    do {
      let index = try Background.run(control, of: set.count) { watch in
        try RegionIndex(set, threads: threads) { watch.isStopped }
      }
      return IndexHandle(index, notes: notes, bad: bad)
    } catch {
      guard case RegionError.duplicateIdentifier(let name, let first, let second) = error else {
        throw Failure(error)
      }
      throw .data(second, columns[identifier].name, repeated(name, first))
    }
  }

  private static func repeated(_ name: String, _ first: Int) -> String {
    "\(name.debugDescription) is the identifier of row \(first) already"
  }

  private static func words(_ doubt: FieldNames.RadiusDoubt) -> String {
    switch doubt {
    case .otherUnit(let name):
      return "column \(name.debugDescription) is read in metres, whatever its name says"
    case .unread(let names):
      let found = names.map(\.debugDescription).joined(separator: ", ")
      return
        "\(names.count == 1 ? "column" : "columns") \(found) \(names.count == 1 ? "is" : "are") not read, and all circles have "
        + "the option radius; \(Columns.cure("radius-column"))"
    }
  }

  /// The regions so far.
  private struct Gathered {
    var set = RegionSet()
    /// Those that may yet get more parts, in place of the set.
    var mergeable: [(region: Region, parts: [[[[PlanarPoint]]]], row: Int)] = []
    /// What bad rows have taken from those.
    var lost = LostParts()
    /// Of the mergeable, those that were made, and of how many rows.
    var made: [(identifier: String, rows: Int)] = []
    /// Whether regions of one identifier are looked for row by row; the index finds them otherwise.
    let keepsRows: Bool
    /// The identifiers, told apart by their bytes; of each its row, or its place among the mergeable.
    private var names = DeviceNames()
    private var places: [Int] = []

    /// Whether any is a circle, and whether any circle has the option's radius.
    var hasCircles = false
    var usesOption = false

    init(keepsRows: Bool) { self.keepsRows = keepsRows }

    /// What to tell people of regions that lack parts.
    var lostWarning: String? { lost.warning(made) }

    /// The place of an earlier region with this identifier; nil where there is none, and it gets this one.
    mutating func earlier(_ name: String, or place: Int) -> Int? {
      let number = names.insert(name)
      if number < places.count { return places[number] }
      places.append(place)
      return nil
    }

    /// What to tell people of radii that make no difference.
    ///
    /// - Parameter column: The column of radii, if there is one.
    func unusedRadii(_ column: String?, isOptionGiven: Bool) -> [Note] {
      guard set.count > 0 else { return [] }
      var words: [String] = []
      if !hasCircles {
        if let column {
          words.append("column \(column.debugDescription) is not used: all regions are polygons")
        }
        if isOptionGiven { words.append("the option radius is not used: all regions are polygons") }
      } else if let column, isOptionGiven, !usesOption {
        words.append(
          "the option radius is not used: column \(column.debugDescription) has a radius in each row")
      }
      return words.map { Note(kind: .column, text: $0) }
    }
  }

  /// Which columns describe regions.
  private struct Rows {
    let identifier: Int
    let radius: Int?
    let allRadii: Meters?
    let places: PlaceColumns
    let isStrict: Bool
    let merges: Bool
    let repair: PolygonRepair?
    let bad: BadRows

    /// - Returns: What was repaired, and how edges were read that could be read in two ways.
    func append(
      _ batch: ArrowBatch, to regions: inout Gathered, _ control: Control
    ) throws(Failure) -> [Note] {
      let names = NameColumn(try batch.column(identifier))
      let radii = try radius.map { i throws(Failure) in try batch.column(i) }
      regions.set.reserveCapacity(regions.set.count + batch.count)
      switch places {
      case .degrees:
        let good = try bad.goodRanges(of: 0..<batch.count, firstRow: batch.firstRow) { part throws(Failure) in
          _ = try circles(batch, part, names, radii)
        }
        if merges { note(0..<batch.count, but: good, names, in: &regions) }
        for part in good {
          for (i, circle) in zip(part, try circles(batch, part, names, radii)) {
            regions.hasCircles = true
            if radii?.isNull(i) ?? true { regions.usesOption = true }
            if regions.keepsRows {
              let region = Region(identifier: names.text(i), center: circle.center, radius: circle.radius)
              try add(region, [], batch.firstRow + i, names.column.name, to: &regions)
              continue
            }
            do throws(RegionError) {
              if names.isText {
                try unsafe regions.set.appendCircle(
                  identifier: names.column.text(i), center: circle.center, radius: circle.radius)
              } else {
                try regions.set.appendCircle(
                  identifier: names.text(i).utf8, center: circle.center, radius: circle.radius)
              }
            } catch { throw .data(batch.firstRow + i, names.column.name, "\(error)") }
          }
        }
        return []
      case .geometry(let number, let meaning):
        let column = try batch.column(number)
        let found = try Self.each(batch.count, after: batch.firstRow, control) { i throws(Failure) in
          try shape(i, column, meaning, names, radii)
        }
        var notes: [Note] = []
        for (i, found) in found.enumerated() {
          switch found {
          case .failure(let failure):
            try bad.add(failure)
            if merges { regions.lost.add(name(names, i)) }
          case .success(let found):
            notes += found.assumptions.map { Note(kind: .edge, text: column.fault(i, $0).message) }
            if let fault = found.fault {
              notes.append(Note(kind: .repair, text: column.fault(i, fault).message))
            }
            if case .circle = found.shape {
              regions.hasCircles = true
              if radii?.isNull(i) ?? true { regions.usesOption = true }
            }
            let region = Region(identifier: names.text(i), shape: found.shape)
            try add(region, found.parts, batch.firstRow + i, names.column.name, to: &regions)
          }
        }
        return notes
      }
    }

    /// What `work` makes of each number below a count, on other threads, while this one tells of progress.
    ///
    /// - Parameters:
    ///   - done: How much is done already.
    ///   - total: How much there is to do; nil where that is not known.
    /// - Throws: ``Failure/cancelled``
    private static func each<T: Sendable>(
      _ count: Int, after done: Int, of total: Int? = nil, _ control: Control,
      _ work: @escaping @Sendable (Int) throws(Failure) -> T
    ) throws(Failure) -> [Result<T, Failure>] {
      let threads = control.threads
      do {
        return try Background.run(control, of: total) { watch in
          watch.note(done: done)
          return Parallel.map(count, threads: threads) { i -> Result<T, Failure> in
            if watch.isStopped { return .failure(.cancelled) }
            defer { watch.add(1) }
            return Result { () throws(Failure) in try work(i) }
          }
        }
      } catch { throw Failure(error) }
    }

    private func circles(
      _ batch: ArrowBatch, _ range: Range<Int>, _ names: NameColumn, _ radii: ArrowColumn?
    ) throws(Failure) -> [(center: Coordinate, radius: Meters)] {
      try names.check(range)
      try radii?.check(range)
      let centers = try places.columns(of: batch).coordinates(range)
      var circles: [(center: Coordinate, radius: Meters)] = []
      circles.reserveCapacity(range.count)
      for (i, center) in zip(range, centers) { circles.append((center, try radius(radii, i))) }
      return circles
    }

    private struct Shape {
      var shape: Region.Shape
      /// The rings of a polygon that may yet be merged with others.
      var parts: [[[PlanarPoint]]] = []
      var fault: String?
      /// How edges were read that could be read in two ways.
      var assumptions: [String] = []
    }

    private func shape(
      _ i: Int, _ column: ArrowColumn, _ meaning: GeometryMeaning, _ names: NameColumn, _ radii: ArrowColumn?
    ) throws(Failure) -> Shape {
      try names.check(i..<i + 1)
      try radii?.check(i..<i + 1)
      try column.check(i..<i + 1)
      try column.checkNotNull(i..<i + 1)
      let found: WKBReader.Shape
      do throws(GeometryFault) {
        found = try unsafe WKBReader.read(column.text(i))
        if case .polygon(let parts) = found {
          let made = try WKBReader.polygon(
            parts, areEdgesPlanar: meaning.areEdgesPlanar, isStrict: isStrict, by: repair)
          return Shape(
            shape: .polygon(made.polygon), parts: merges ? parts : [], fault: made.repair,
            assumptions: made.assumptions)
        }
      } catch { throw column.fault(i, error.message) }
      guard case .point(let center) = found else { throw column.fault(i, "no region") }
      if radii == nil, allRadii == nil {
        throw column.fault(i, "a point needs a radius, and there is neither such a column nor the option")
      }
      return Shape(shape: .circle(center: center, radius: try radius(radii, i)))
    }

    /// Adds a region, or its parts to an earlier one.
    private func add(
      _ region: Region, _ parts: [[[PlanarPoint]]], _ row: Int, _ column: String, to regions: inout Gathered
    ) throws(Failure) {
      guard regions.keepsRows else {
        do throws(RegionError) { try regions.set.append(region) } catch {
          throw .data(row, column, "\(error)")
        }
        return
      }
      let (name, place) = (region.identifier, merges ? regions.mergeable.count : row)
      if let earlier = regions.earlier(name, or: place) {
        guard merges else { return try bad.add(.data(row, column, repeated(name, earlier))) }
        let isPolygon = !regions.mergeable[earlier].parts.isEmpty
        guard isPolygon, !parts.isEmpty else {
          let what = repeated(name, regions.mergeable[earlier].row) + ", and circles cannot be merged"
          try bad.add(.data(row, column, what))
          return regions.lost.add(name)
        }
        regions.mergeable[earlier].parts.append(parts)
        return
      }
      if merges {
        regions.mergeable.append((region, parts.isEmpty ? [] : [parts], row))
      } else {
        do throws(RegionError) { try regions.set.append(region) } catch {
          throw .data(row, column, "\(error)")
        }
      }
    }

    /// Appends the regions that are complete by now, each with all its parts.
    func merge(_ regions: inout Gathered, _ column: String, _ control: Control) throws(Failure) {
      if regions.mergeable.isEmpty { return }
      let all = regions.mergeable
      let merged = try Self.each(all.count, after: 0, of: all.count, control) { i throws(Failure) in
        try whole(all[i].region, all[i].parts, all[i].row, column)
      }
      for (result, (_, parts, row)) in zip(merged, all) {
        switch result {
        case .failure(let failure): try bad.add(failure)
        case .success(let region):
          do throws(RegionError) { try regions.set.append(region) } catch {
            throw .data(row, column, "\(error)")
          }
          regions.made.append((region.identifier, max(parts.count, 1)))
        }
      }
    }

    /// The identifier of a bad row; nil where that is what is bad.
    private func name(_ names: NameColumn, _ i: Int) -> String? {
      (try? names.check(i..<i + 1)) == nil ? nil : names.text(i)
    }

    /// Notes what all but the good rows of a range take from regions.
    private func note(
      _ range: Range<Int>, but good: [Range<Int>], _ names: NameColumn, in regions: inout Gathered
    ) {
      var start = range.lowerBound
      for part in good + [range.upperBound..<range.upperBound] {
        for i in start..<part.lowerBound { regions.lost.add(name(names, i)) }
        start = part.upperBound
      }
    }

    /// A region with all its parts.
    private func whole(
      _ region: Region, _ parts: [[[[PlanarPoint]]]], _ row: Int, _ column: String
    ) throws(Failure) -> Region {
      guard parts.count > 1 else { return region }
      var isPlanar = true
      if case .geometry(_, let meaning) = places { isPlanar = meaning.areEdgesPlanar }
      var region = region
      do throws(GeometryFault) {
        // Neighbours share an edge, which the repair takes away.
        let whole = try WKBReader.polygon(
          Array(parts.joined()), areEdgesPlanar: isPlanar, isStrict: isStrict, by: repair)
        region.shape = .polygon(whole.polygon)
      } catch {
        throw .data(
          row, column,
          "the parts of \(region.identifier.debugDescription) cannot be merged: \(error.message)")
      }
      return region
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

  /// Throws for a null, an empty text and bytes that are not UTF-8.
  func check(_ range: Range<Int>) throws(Failure) {
    try column.check(range)
    try column.checkNotNull(range)
    guard isText else { return }
    for i in range {
      let bytes = unsafe column.text(i)
      if unsafe bytes.isEmpty { throw column.fault(i, "empty") }
      if unsafe !UTF8Check.isValid(bytes) { throw column.fault(i, "not UTF-8") }
    }
  }

  func text(_ i: Int) -> String {
    isText ? unsafe String(decoding: column.text(i), as: UTF8.self) : column.wholeText(i)
  }
}
