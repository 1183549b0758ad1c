/// Which column of a track's CSV means what.
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
  /// The columns' roles, in order.
  var roles: [Role] = []
  /// The column of each role, by the role's number; -1 where there is none.
  var columns: [Int] = []
  /// What numbers in the time's column count.
  var unit = TimeParser.Unit.seconds
  /// The device of all rows, where no column names it.
  var device: String?

  func column(_ role: Role) -> Int? {
    let column = columns[Int(role.rawValue)]
    return column < 0 ? nil : column
  }

  /// The roles of columns with these names.
  ///
  /// - Throws: ``FormatError`` for a header that lacks what is needed or says it twice.
  init(
    names: [String], delimiter: UInt8, place: Diagnostic.Place, options: TrackReader.Options,
    fallbackDevice: String
  ) throws(FormatError) {
    self.names = names
    self.delimiter = delimiter
    roles = Array(repeating: .other, count: names.count)
    columns = Array(repeating: -1, count: 8)
    let lowered = names.map(FieldNames.normalized)

    func column(_ wanted: [String]) throws(FormatError) -> Int? {
      guard let found = FieldNames.find(wanted, in: lowered) else { return nil }
      guard found.count == 1 else { throw .ambiguousColumn(place, names: [names[found.index]]) }
      return found.index
    }
    func named(_ name: String) throws(FormatError) -> Int {
      if let exact = names.firstIndex(of: name) { return exact }
      guard let index = try column([FieldNames.normalized(name)]) else {
        throw .missingColumn(place, expected: [name], found: names)
      }
      return index
    }
    var taken: [Int: Role] = [:]
    func take(_ column: Int, _ role: Role) throws(FormatError) {
      guard taken.updateValue(role, forKey: column) == nil else {
        throw .ambiguousColumn(place, names: [names[column]])
      }
      roles[column] = role
      columns[Int(role.rawValue)] = column
    }

    guard let latitude = try column(FieldNames.latitude) else {
      throw .missingColumn(place, expected: FieldNames.latitude, found: names)
    }
    guard let longitude = try column(FieldNames.longitude) else {
      throw .missingColumn(place, expected: FieldNames.longitude, found: names)
    }
    try take(latitude, .latitude)
    try take(longitude, .longitude)
    let seconds = try column(FieldNames.time)
    let milliseconds = try column(FieldNames.timeInMilliseconds)
    if let name = options.timeField {
      let index = try named(name)
      unit = FieldNames.timeInMilliseconds.contains(lowered[index]) ? .milliseconds : .seconds
      try take(index, .time)
    } else if let seconds {
      try take(seconds, .time)
    } else if let milliseconds {
      unit = .milliseconds
      try take(milliseconds, .time)
    } else {
      throw .missingColumn(place, expected: FieldNames.time + FieldNames.timeInMilliseconds, found: names)
    }
    if let name = options.deviceField {
      try take(named(name), .device)
    } else if let index = try column(FieldNames.device) {
      try take(index, .device)
    } else {
      device = fallbackDevice
    }
    for (role, wanted) in [
      (Role.accuracy, FieldNames.accuracy), (.speed, FieldNames.speed), (.course, FieldNames.course),
    ] {
      if let index = try column(wanted), taken[index] == nil { try take(index, role) }
    }
  }
}

extension FieldNames {
  /// Devices: whose fix it is.
  static let device = [
    "device", "device_id", "deviceid", "track_id", "trackid", "vehicle", "vehicle_id", "vehicleid", "user",
    "user_id", "userid", "mmsi", "icao24", "identifier", "id", "name",
  ]
  /// Times: ISO 8601 with a zone, or Unix seconds.
  static let time = [
    "time", "timestamp", "datetime", "date_time", "time_utc", "utc", "unix_time", "unixtime", "epoch",
  ]
  /// Times in milliseconds since 1970 (or ISO 8601).
  static let timeInMilliseconds = [
    "time_ms", "timestamp_ms", "unix_time_ms", "unixtimemillis", "utctimemillis", "epoch_ms",
  ]
  /// Radii of uncertainty, metres.
  static let accuracy = [
    "accuracy", "horizontal_accuracy", "horizontalaccuracy", "accuracy_m", "accuracymeters", "hacc",
  ]
  /// Speeds, metres a second.
  static let speed = ["speed", "speed_mps", "speedmps"]
  /// Directions of travel, degrees from north.
  static let course = ["course", "bearing", "bearing_deg", "heading"]
}
