internal import VicinityGeodesy
internal import VicinityPolygon

/// The columns of a stream, found by their names.
struct Columns {
  private let fields: [ArrowField]

  init(_ fields: [ArrowField]) { self.fields = fields }

  // The names that are tried, in this order, whatever their case: those that the command line knows, to which a test holds them.
  static let identifier = ["id", "identifier", "region", "region_id", "name"]
  static let point = ["id", "identifier", "point", "point_id", "query", "region", "region_id", "name"]
  static let latitude = ["latitude", "lat", "latitude_deg"]
  static let longitude = ["longitude", "lon", "lng", "long", "longitude_deg"]
  static let radius = ["radius", "radius_m", "radius_meters", "radius_metres"]
  static let geometry = ["geometry", "geom", "wkb", "wkb_geometry", "geom_wkb", "geometry_wkb"]
  static let device = [
    "device", "device_id", "deviceid", "track_id", "trackid", "vehicle", "vehicle_id", "vehicleid", "taxi",
    "taxi_id", "bus", "bus_id", "truck_id", "vessel", "vessel_id", "ship", "ship_id", "driver", "driver_id",
    "user", "user_id", "userid", "person_id", "phone", "phone_id", "animal_id", "individual-local-identifier",
    "tag_id", "imei", "mmsi", "icao24", "trip", "trip_id", "tripid", "ride_id", "flight", "flight_id",
    "callsign", "identifier", "uuid", "id", "name",
  ]
  static let time = [
    "time", "timestamp", "datetime", "date_time", "time_utc", "utc", "unix_time", "unixtime", "epoch",
  ]
  /// Times in milliseconds since 1970, where they are numbers.
  static let timeInMilliseconds = [
    "time_ms", "timestamp_ms", "unix_time_ms", "unixtimemillis", "utctimemillis", "epoch_ms",
  ]
  static let accuracy = [
    "accuracy", "horizontal_accuracy", "horizontalaccuracy", "accuracy_m", "accuracymeters", "hacc",
  ]
  static let speed = ["speed", "speed_mps", "speedmps"]
  static let course = ["course", "bearing", "bearing_deg", "heading"]

  /// The position of the column that an option names, or else of the first of `names` that is there.
  ///
  /// - Throws: ``Failure`` where the option names none, and where two columns have the name.
  func find(_ option: String, _ names: [String], _ options: inout Options) throws(Failure) -> Int? {
    if let name = options.text(option) {
      if let i = try only(name, { $0 == name }) { return i }
      if let i = try only(name, { $0.lowercased() == name.lowercased() }) { return i }
      throw .schema(name, "there is no such column; \(found)")
    }
    for name in names {
      if let i = try only(name, { $0.lowercased() == name }) { return i }
    }
    return nil
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
      throw .schema(fields[i].name, "numbers are expected, not \(fields[i].type.words)")
    }
    return i
  }

  /// Throws unless a column holds names: strings or whole numbers.
  func name(_ i: Int?) throws(Failure) -> Int? {
    guard let i else { return nil }
    guard fields[i].type.isText || fields[i].type.isInteger else {
      throw .schema(fields[i].name, "strings or whole numbers are expected, not \(fields[i].type.words)")
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
    if let latitude, let longitude {
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

  /// The places of a batch's rows.
  ///
  /// - Throws: ``Failure`` for the first row that has none, or one that is not on the Earth.
  func coordinates(_ batch: ArrowBatch) throws(Failure) -> [Coordinate] {
    switch self {
    case .degrees(let latitude, let longitude):
      let (latitudes, longitudes) = (try batch.column(latitude), try batch.column(longitude))
      return try Self.coordinates(latitudes, longitudes, 0..<batch.count)
    case .geometry(let i, _):
      let column = try batch.column(i)
      try column.check(0..<batch.count)
      try column.checkNotNull(0..<batch.count)
      var result: [Coordinate] = []
      result.reserveCapacity(batch.count)
      for row in 0..<batch.count {
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

  static func coordinates(
    _ latitudes: ArrowColumn, _ longitudes: ArrowColumn, _ range: Range<Int>
  ) throws(Failure) -> [Coordinate] {
    for column in [latitudes, longitudes] {
      try column.check(range)
      try column.checkNotNull(range)
    }
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
      if !CoordinateLimits.contains(place) {
        throw Self.fault(place, latitudes, longitudes, range.lowerBound + i)
      }
      result.append(place)
    }
    return result
  }

  /// What is wrong with a place, in the column that is to blame.
  static func fault(
    _ place: Coordinate, _ latitudes: ArrowColumn, _ longitudes: ArrowColumn, _ row: Int
  ) -> Failure {
    let isLatitude = !(place.latitude >= -90 && place.latitude <= 90)
    return (isLatitude ? latitudes : longitudes).fault(
      row, CoordinateLimits.fault(place) ?? "not a place on the Earth")
  }
}
