/// The names by which columns and fields are recognised. The first one that is present wins; case is ignored.
enum FieldNames {
  /// Identifiers of regions and points.
  static let identifier = ["id", "identifier", "region", "region_id", "name"]
  /// Latitudes, degrees.
  static let latitude = ["latitude", "lat", "latitude_deg"]
  /// Longitudes, degrees.
  static let longitude = ["longitude", "lon", "lng", "long", "longitude_deg"]
  /// Radii, metres.
  static let radius = ["radius", "radius_m", "radius_meters", "radius_metres"]
  /// Well-known text.
  static let wkt = ["wkt", "geom_wkt", "geometry_wkt"]
  /// The devices of tracks.
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
  /// The value of an identifier option that asks for the number of the row or feature.
  static let number = "FID"

  /// `name` without surrounding blanks, in ASCII lower case.
  static func normalized(_ name: String) -> String {
    var bytes = Array(name.utf8)
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    let start = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.count
    for i in bytes.indices where bytes[i] >= 0x41 && bytes[i] <= 0x5A { bytes[i] |= 0x20 }
    return String(decoding: bytes[start...], as: UTF8.self)
  }

  /// The index in `names` of the first of `wanted` that is present, and how often that one occurs.
  static func find(_ wanted: [String], in names: [String]) -> (index: Int, count: Int)? {
    for name in wanted {
      let matches = names.indices.filter { names[$0] == name }
      if let first = matches.first { return (first, matches.count) }
    }
    return nil
  }
}

/// Finds the columns of a header, or the fields of a layer, by their names.
struct ColumnResolver {
  /// The names as the file spells them.
  let names: [String]
  private let normalized: [String]
  private let place: Diagnostic.Place
  /// Whether these are fields of a layer. Of two that differ in case alone, the one in lower case is taken, or the first.
  private let isLayer: Bool

  init(_ names: [String], at place: Diagnostic.Place, isLayer: Bool = false) {
    self.names = names
    self.place = place
    self.isLayer = isLayer
    normalized = names.map(FieldNames.normalized)
  }

  /// The index of the first of `wanted` that is present, which are normalised names; `nil` if none is.
  ///
  /// - Throws: ``FormatError/ambiguousColumn(_:names:)`` where two columns have that name.
  func index(ofAny wanted: [String]) throws(FormatError) -> Int? {
    guard let found = FieldNames.find(wanted, in: normalized) else { return nil }
    if isLayer { return names.firstIndex(of: normalized[found.index]) ?? found.index }
    guard found.count == 1 else { throw .ambiguousColumn(place, names: [names[found.index]]) }
    return found.index
  }

  /// The index of `name`, by its exact spelling if that is present, else whatever its case.
  ///
  /// - Throws: ``FormatError`` where the name is missing, or two columns have it.
  func index(of name: String) throws(FormatError) -> Int {
    if let exact = names.firstIndex(of: name) { return exact }
    if let index = try index(ofAny: [FieldNames.normalized(name)]) { return index }
    throw isLayer
      ? .missingField(place, expected: name, found: names)
      : .missingColumn(place, expected: [name], found: names)
  }

  /// The index of `name` if one is given, else of the first of `others` that is present.
  func index(of name: String?, orAny others: [String]) throws(FormatError) -> Int? {
    if let name { return try index(of: name) }
    return try index(ofAny: others)
  }

  /// The index of the first of `wanted` that is present.
  ///
  /// - Throws: ``FormatError`` where none is.
  func required(_ wanted: [String]) throws(FormatError) -> Int {
    guard let index = try index(ofAny: wanted) else {
      throw .missingColumn(place, expected: wanted, found: names)
    }
    return index
  }

  /// The column or field of times, and what numbers in it count.
  func time(named name: String?) throws(FormatError) -> (index: Int, unit: TimeParser.Unit)? {
    guard let index = try index(of: name, orAny: FieldNames.time + FieldNames.timeInMilliseconds) else {
      return nil
    }
    return (index, FieldNames.timeInMilliseconds.contains(normalized[index]) ? .milliseconds : .seconds)
  }
}
