internal import VicinityCrossings

/// What the columns of a track's CSV mean.
struct CSVTrackColumns: Sendable {
  /// The meaning of a column.
  enum Role: UInt8, Sendable {
    case other
    case device
    case time
    case latitude
    case longitude
    case accuracy
    case speed
    case course
  }

  /// What separates fields.
  var delimiter = UInt8(ascii: ",")
  /// The columns' names as the file spells them.
  var names: [String] = []
  var roles: [Role] = []
  /// The column of each role, by the role's number; -1 where there is none.
  var columns: [Int] = []
  /// What numbers in the column of times count.
  var unit = TimeUnit.seconds
  /// The device of all rows, if no column names it.
  var device: String?
  /// What to tell people about columns that were chosen.
  var notices: [Role: String] = [:]
  /// What to tell people about columns that are not read since they are in another unit.
  var otherUnits: String?
  /// What to tell people about a column of trips that devices are taken from.
  var trips: String?
  /// What records have to be like.
  var shape: CSVScanner.Shape {
    CSVScanner.Shape(
      delimiter: delimiter, columnCount: names.count,
      maximumByteCount: BlockReader.maximumTrackRowByteCount)
  }

  func column(_ role: Role) -> Int? {
    let column = columns[Int(role.rawValue)]
    return column < 0 ? nil : column
  }

  /// The roles of columns with these names.
  ///
  /// - Throws: ``FormatError`` for a header that lacks what is needed or has it twice.
  init(
    names: [String], delimiter: UInt8, place: Diagnostic.Place, options: ReadingOptions,
    fallbackDevice: String
  ) throws(FormatError) {
    self.names = names
    self.delimiter = delimiter
    roles = Array(repeating: .other, count: names.count)
    columns = Array(repeating: -1, count: 8)
    let resolver = ColumnResolver(names, at: place)
    var taken: Set<Int> = []
    func take(_ column: Int, _ role: Role) throws(FormatError) {
      guard taken.insert(column).inserted else { throw .ambiguousColumn(place, names: [names[column]]) }
      roles[column] = role
      columns[Int(role.rawValue)] = column
    }
    let isOptional = options.fieldsAreOptional
    try take(resolver.required(options.latitudeField, FieldNames.latitude, isOptional: isOptional), .latitude)
    try take(
      resolver.required(options.longitudeField, FieldNames.longitude, isOptional: isOptional), .longitude)
    guard let time = try resolver.time(options) else {
      throw .missingColumn(place, expected: FieldNames.time + FieldNames.timeInMilliseconds, found: names)
    }
    unit = time.unit
    try take(time.index, .time)
    let device = try resolver.device(options)
    if let device { try take(device, .device) }
    for (role, quantity, chosen) in [
      (Role.accuracy, FieldNames.accuracy, options.accuracyField), (.speed, FieldNames.speed, nil),
      (.course, FieldNames.course, nil),
    ] {
      guard let index = try resolver.index(of: quantity, named: chosen) else { continue }
      if chosen != nil || !taken.contains(index) { try take(index, role) }
    }
    if options.accuracyField == nil {
      otherUnits = FieldNames.unread(
        FieldNames.accuracy, "accuracies", in: "metres", among: resolver.names)
    }
    if device == nil {
      try resolver.checkIsOneDevice(explained: taken.map { $0 }, options)
      self.device = fallbackDevice
    }
    notices[.device] = resolver.deviceNotice(column(.device), options)
    trips = resolver.tripNotice(column(.device), options)
    for (role, things, chosen, others) in [
      (Role.time, "times", options.timeField, FieldNames.time + FieldNames.timeInMilliseconds),
      (.latitude, "latitudes", options.latitudeField, FieldNames.latitude),
      (.longitude, "longitudes", options.longitudeField, FieldNames.longitude),
      (.accuracy, "accuracies", options.accuracyField, []),
    ] {
      notices[role] = resolver.notice(things, column(role), named: chosen, others: others)
    }
  }
}
