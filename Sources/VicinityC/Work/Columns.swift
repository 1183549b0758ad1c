internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPolygon

/// The columns of a stream, found by their names.
struct Columns {
  private let fields: [ArrowField]

  init(_ fields: [ArrowField]) { self.fields = fields }

  // The names that are tried, in this order, whatever their case: those that files' readers try.
  static let identifier = FieldNames.identifier
  static let point = FieldNames.point
  static let latitude = FieldNames.latitude
  static let longitude = FieldNames.longitude
  static let radius = FieldNames.radius
  /// Well-known binary, which files of text do not hold.
  static let geometry = ["geometry", "geom", "wkb", "wkb_geometry", "geom_wkb", "geometry_wkb"]
  static let device = FieldNames.device
  static let time = FieldNames.time
  /// Times in milliseconds since 1970, where they are numbers.
  static let timeInMilliseconds = FieldNames.timeInMilliseconds
  static let accuracy = FieldNames.accuracy
  static let speed = FieldNames.speed
  static let course = FieldNames.course

  /// All of them, by what such a column holds.
  static let byMeaning: [(meaning: String, names: [String])] = [
    ("id", identifier), ("point", point), ("latitude", latitude), ("longitude", longitude),
    ("radius", radius), ("geometry", geometry), ("device", device), ("time", time + timeInMilliseconds),
    ("accuracy", accuracy.allSpellings), ("speed", speed.allSpellings), ("course", course.allSpellings),
  ]

  /// The position of the column that an option names, or else of the first of `names` that is there.
  ///
  /// - Throws: ``Failure`` where the option names none, and where two columns have the name.
  func find(_ option: String, _ names: [String], _ options: inout Options) throws(Failure) -> Int? {
    if let name = options.text(option) {
      if let i = try only(name, { $0 == name }) { return i }
      let wanted = FieldNames.normalized(name)
      if let i = try only(name, { FieldNames.normalized($0) == wanted }) { return i }
      throw .schema(name, "there is no such column; \(found)")
    }
    for name in names {
      if let i = try only(name, { FieldNames.normalized($0) == name }) { return i }
    }
    return nil
  }

  /// The position of the column that an option names, or else of the one of `quantity` whose name comes first
  /// in its order.
  ///
  /// - Throws: ``Failure`` where the option names none, and where two columns have the name.
  func find(_ option: String, _ quantity: Quantity, _ options: inout Options) throws(Failure) -> Int? {
    if let named = try find(option, [], &options) { return named }
    var best: (rank: Int, index: Int)?
    for (index, field) in fields.enumerated() {
      guard case .values(let rank) = quantity.meaning(of: field.name) else { continue }
      if best?.rank == rank { throw .schema(field.name, "two columns have this name") }
      if rank < best?.rank ?? .max { best = (rank, index) }
    }
    return best?.index
  }

  /// What to tell people of columns that are read, where others have a name by which they could be read too.
  ///
  /// - Parameters:
  ///   - read: What is read from each, by the option that would name it, and the names that such a column has.
  func choices(
    _ read: [(option: String, things: String, column: Int?, names: [String])], _ options: inout Options
  ) -> [Note] {
    var notes: [Note] = []
    for (option, things, column, names) in read {
      guard let column, options.text(option) == nil,
        let words = FieldNames.choice(of: things, fields.map(\.name), read: column, from: names)
      else { continue }
      notes.append(Note(kind: .column, text: "\(words); \(Self.cure(option))"))
    }
    return notes
  }

  /// The same of identifiers.
  func identifierChoices(_ read: Int?, _ options: inout Options) -> [Note] {
    guard let read else { return [] }
    let rivals = FieldNames.rivals(ofIdentifier: fields[read].name)
    return choices([("id-column", "identifiers", read, rivals)], &options)
  }

  /// What to tell people where the column of devices has trips, or may number rows, and nobody named it.
  func oddDevices(_ device: Int?, _ options: inout Options) -> [Note] {
    guard let device, options.text("device-column") == nil,
      let words = FieldNames.tripWords("column", fields[device].name)
        ?? FieldNames.vagueWords("devices", "column", fields[device].name)
    else { return [] }
    return [Note(kind: .column, text: "\(words); \(Self.cure("device-column"))")]
  }

  /// What to tell people of accuracies that are in another unit than metres.
  var unreadAccuracies: [Note] {
    FieldNames.unread(FieldNames.accuracy, "accuracies", in: "metres", among: fields.map(\.name))
      .map { [Note(kind: .column, text: $0)] } ?? []
  }

  private func only(_ name: String, _ isWanted: (String) -> Bool) throws(Failure) -> Int? {
    let found = fields.indices.filter { isWanted(fields[$0].name) }
    guard found.count < 2 else { throw .schema(fields[found[0]].name, "two columns have this name") }
    return found.first
  }

  /// The position of a column that must be there.
  func needed(_ option: String, _ names: [String], _ options: inout Options) throws(Failure) -> Int {
    guard let i = try find(option, names, &options) else {
      throw .schema(names[0], "there is no such column; \(found); \(Self.cure(option))")
    }
    return i
  }

  /// What there is.
  var found: String { "there are: \(fields.map(\.name).joined(separator: ", "))" }

  /// How to name a column, by an option such as `time-column`.
  static func cure(_ option: String) -> String {
    let meaning = option.dropLast("-column".count)
    return "another is named by \(option), in Python by columns={\"\(meaning)\": ...}"
  }

  subscript(i: Int) -> ArrowField { fields[i] }

  func number(_ i: Int?) throws(Failure) -> Int? {
    guard let i else { return nil }
    guard fields[i].type.isNumber else {
      let type = fields[i].type
      let cure =
        type.isText
        ? "; text is made numbers by pd.to_numeric(column) in pandas, and by .cast(pl.Float64) in polars, which say what is none"
        : ""
      throw .schema(fields[i].name, "numbers are expected, not \(type.words)" + cure)
    }
    return i
  }

  /// The same for a column that need not be there; one of Arrow's type null counts as if it were not.
  func optionalNumber(_ i: Int?) throws(Failure) -> Int? {
    if let i, case .other("n") = fields[i].type { return nil }
    return try number(i)
  }

  /// Throws unless a column holds names: strings or whole numbers.
  func name(_ i: Int?) throws(Failure) -> Int? {
    guard let i else { return nil }
    let type = fields[i].type
    guard type.isText || type.isWhole else {
      let cure =
        type.isNumber
        ? "; make them whole numbers or text first, as a fraction cannot name anything (in Arrow and SQL by a cast, in pandas by "
          + ".astype(\"Int64\"), which keeps nulls)" : ""
      throw .schema(fields[i].name, "strings or whole numbers are expected, not \(type.words)" + cure)
    }
    return i
  }
}

/// Where the rows of a stream lie: in two columns of numbers, or in one of WKB.
enum PlaceColumns {
  case degrees(latitude: Int, longitude: Int)
  case geometry(Int, GeometryMeaning)

  /// - Throws: ``Failure`` where there are neither.
  init(_ columns: Columns, _ options: inout Options) throws(Failure) {
    let latitude = try columns.number(columns.find("latitude-column", Columns.latitude, &options))
    let longitude = try columns.number(columns.find("longitude-column", Columns.longitude, &options))
    let geometry = try columns.find("geometry-column", Columns.geometry, &options)
    let isGeometryNamed =
      options.text("geometry-column") != nil && options.text("latitude-column") == nil
      && options.text("longitude-column") == nil
    if let latitude, let longitude, !isGeometryNamed {
      self = .degrees(latitude: latitude, longitude: longitude)
      return
    }
    guard let geometry else {
      throw .schema(
        latitude == nil ? Columns.latitude[0] : Columns.longitude[0],
        "there is no such column, and none of geometries (WKB); \(columns.found); "
          + Columns.cure(latitude == nil ? "latitude-column" : "longitude-column"))
    }
    self = .geometry(geometry, try GeometryMeaning(columns[geometry]))
  }

  /// What to tell people where other columns could hold the places too.
  func choices(_ columns: Columns, _ options: inout Options) -> [Note] {
    guard case .degrees(let latitude, let longitude) = self else { return [] }
    var notes = columns.choices(
      [
        ("latitude-column", "latitudes", latitude, Columns.latitude),
        ("longitude-column", "longitudes", longitude, Columns.longitude),
      ], &options)
    let isNamed = ["latitude-column", "longitude-column", "geometry-column"].contains {
      options.text($0) != nil
    }
    if !isNamed, let geometry = try? columns.find("geometry-column", Columns.geometry, &options),
      columns[geometry].type.isBinary
    {
      let read = [latitude, longitude].map { columns[$0].name.debugDescription }.joined(separator: " and ")
      notes.append(
        Note(
          kind: .column,
          text:
            "places are taken from the columns \(read); \(columns[geometry].name.debugDescription) could hold them too; "
            + Columns.cure("geometry-column")))
    }
    return notes
  }

  /// The columns of a batch that hold its places.
  func columns(of batch: ArrowBatch) throws(Failure) -> PlaceBatch {
    switch self {
    case .degrees(let latitude, let longitude):
      .degrees(latitude: try batch.column(latitude), longitude: try batch.column(longitude))
    case .geometry(let column, _): .geometry(try batch.column(column))
    }
  }
}

/// The columns of a batch that hold its places.
enum PlaceBatch: Sendable {
  case degrees(latitude: ArrowColumn, longitude: ArrowColumn)
  case geometry(ArrowColumn)

  /// The column that is to blame for a place of which nothing more is known.
  var first: ArrowColumn {
    switch self {
    case .degrees(let latitude, _): latitude
    case .geometry(let column): column
    }
  }

  /// Throws for the first row of a range without a place.
  func check(_ range: Range<Int>) throws(Failure) {
    switch self {
    case .degrees(let latitude, let longitude):
      for column in [latitude, longitude] {
        try column.check(range)
        try column.checkNotNull(range)
      }
    case .geometry(let column):
      try column.check(range)
      try column.checkNotNull(range)
    }
  }

  /// The places of a range's rows.
  ///
  /// - Throws: ``Failure`` for the first row that has none, or one that is not on the Earth.
  func coordinates(_ range: Range<Int>) throws(Failure) -> [Coordinate] {
    try check(range)
    switch self {
    case .degrees(let latitudes, let longitudes):
      let count = range.count
      var numbers = [Double](repeating: 0, count: 2 * count)
      unsafe numbers.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        unsafe latitudes.copy(range, to: base)
        unsafe longitudes.copy(range, to: base + count)
      }
      var result: [Coordinate] = []
      result.reserveCapacity(count)
      for i in 0..<count {
        let place = Coordinate(latitude: numbers[i], longitude: numbers[count + i])
        if !CoordinateLimits.contains(place) { throw fault(place, range.lowerBound + i) }
        result.append(place)
      }
      return result
    case .geometry(let column):
      var result: [Coordinate] = []
      result.reserveCapacity(range.count)
      for row in range {
        if let place = unsafe WKBReader.plainPoint(column.text(row)) {
          result.append(place)
          continue
        }
        do throws(GeometryFault) {
          guard case .point(let place) = try unsafe WKBReader.read(column.text(row)) else {
            throw GeometryFault("a point is expected, not a polygon")
          }
          result.append(place)
        } catch { throw column.fault(row, error.message) }
      }
      return result
    }
  }

  /// What is wrong with a place, in the column that is to blame.
  func fault(_ place: Coordinate, _ row: Int) -> Failure {
    let column: ArrowColumn
    switch self {
    case .degrees(let latitudes, let longitudes):
      column = place.latitude >= -90 && place.latitude <= 90 ? longitudes : latitudes
    case .geometry(let geometries): column = geometries
    }
    return column.fault(row, CoordinateLimits.fault(place) ?? "not a place on the Earth")
  }
}
