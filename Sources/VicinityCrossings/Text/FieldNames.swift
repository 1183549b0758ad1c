/// The names by which columns and fields are recognised. The first one that is present wins; case is ignored.
package enum FieldNames {
  /// Identifiers of regions.
  package static let identifier = ["id", "identifier", "region", "region_id", "name"]
  /// Identifiers of points: those of regions, and what answers call the point that they are about.
  package static let point = [
    "id", "identifier", "point", "point_id", "query", "region", "region_id", "name",
  ]
  /// Latitudes, degrees.
  package static let latitude = ["latitude", "lat", "latitude_deg", "location-lat"]
  /// Longitudes, degrees.
  package static let longitude = ["longitude", "lon", "lng", "long", "longitude_deg", "location-long"]
  /// Radii, metres.
  package static let radius = ["radius", "radius_m", "radius_meters", "radius_metres"]
  /// Well-known text.
  package static let wkt = ["wkt", "ewkt", "geom_wkt", "geometry_wkt"]
  /// Well-known text in CSV that has no latitudes and none of ``wkt``: beside latitudes these may hold
  /// anything.
  package static let geometryText = ["geometry", "geom", "the_geom"]
  /// The devices of tracks. Those of ``vagueDevice`` come last: they may number rows.
  package static let device = [
    "device", "device_id", "deviceid", "track_id", "trackid", "vehicle", "vehicle_id", "vehicleid", "taxi",
    "taxi_id", "bus", "bus_id", "truck_id", "vessel", "vessel_id", "ship", "ship_id", "driver", "driver_id",
    "user", "user_id", "userid", "person_id", "phone", "phone_id", "animal_id", "individual-local-identifier",
    "tag_id", "imei", "mmsi", "icao24", "trip", "trip_id", "tripid", "ride_id", "flight", "flight_id",
    "callsign", "identifier", "uuid", "id", "name",
  ]
  /// Names of devices that may also mean other things, so that it is said when they are taken.
  package static let vagueDevice: Set = ["identifier", "uuid", "id", "name"]
  /// The same for identifiers of regions and points.
  package static let vagueIdentifier: Set = ["name"]
  /// Of identifiers, those names that many tables have at once, for different things: a customer's name, and
  /// the region where the customer lives.
  private static let rivalIdentifiers = ["region", "region_id", "name"]
  /// Times: ISO 8601 with a zone, or Unix seconds.
  package static let time = [
    "time", "timestamp", "datetime", "date_time", "time_utc", "utc", "unix_time", "unixtime", "epoch",
  ]
  /// Times in milliseconds since 1970 (or ISO 8601).
  package static let timeInMilliseconds = [
    "time_ms", "timestamp_ms", "unix_time_ms", "unixtimemillis", "utctimemillis", "epoch_ms",
  ]
  /// Radii of uncertainty, metres.
  package static let accuracy = Quantity(
    names: [
      "accuracy", "horizontal_accuracy", "haccuracy", "hacc", "acc", "horizontal_acc", "hor_acc",
      "hor_accuracy",
      "accuracy_horizontal", "accuracy_radius", "gps_accuracy", "gps_acc", "gnss_accuracy",
      "location_accuracy",
      "loc_accuracy", "loc_acc", "position_accuracy", "positional_accuracy", "pos_accuracy", "pos_acc",
      "fix_accuracy",
      "maccuracy", "estimated_accuracy", "estimated_horizontal_accuracy", "horizontal_accuracy_estimate",
      "eobs:horizontal-accuracy-estimate", "location-error-numerical", "location_error", "position_error",
      "horizontal_error", "horizontal_position_error", "estimated_position_error",
      "estimated_horizontal_position_error", "estimated_horizontal_error", "ehpe", "epe", "hpe", "eph",
      "radius_of_uncertainty", "uncertainty_radius", "uncertainty", "coordinate_uncertainty",
      "position_uncertainty",
      "positional_uncertainty", "location_uncertainty", "horizontal_uncertainty", "precision",
      "horizontal_precision",
      "gps_precision", "location_precision", "position_precision",
    ],
    units: [
      "m", "meter", "meters", "metre", "metres", "in_m", "in_meter", "in_meters", "in_metre", "in_metres",
    ],
    otherUnits: [
      "ft", "feet", "foot", "in_ft", "in_feet", "km", "kilometer", "kilometers", "kilometre", "kilometres",
      "in_km", "mi",
      "mile", "miles", "nm", "nmi", "yd", "yard", "yards", "cm", "centimeters", "centimetres", "mm", "dm",
      "deg",
      "degree", "degrees",
    ])
  /// Speeds, metres a second.
  package static let speed = Quantity(
    names: ["speed"], namesWithUnit: ["ground_speed", "speed_over_ground", "gps_speed", "velocity", "sog"],
    units: [
      "mps", "m/s", "m/sec", "m_s-1", "meters_per_second", "metres_per_second", "meters/second",
      "metres/second",
    ],
    otherUnits: [
      "kmh", "km/h", "kph", "kmph", "km_per_hour", "mph", "mi/h", "kn", "kt", "kts", "knot", "knots", "ft/s",
      "fps",
    ])
  /// Directions of travel, degrees from north.
  package static let course = Quantity(
    names: ["course", "bearing", "cog", "course_over_ground", "heading"],
    units: ["deg", "degree", "degrees", "°"], otherUnits: ["rad", "radian", "radians"])
  /// What may hold radii of regions. Only ``radius`` is read, as the same letters may mean other things.
  package static let radii = Quantity(
    names: [
      "radius", "radii", "rad", "r", "buffer", "buffer_radius", "region_radius", "geofence_radius",
      "fence_radius", "coverage_radius", "catchment_radius", "range",
    ],
    unitsOf: accuracy)
  /// What may stand beside a fix without telling devices apart: other measurements, numbers of rows, and
  /// remarks.
  package static let measurements = [
    "", "index", "row", "seq", "sequence", "fid", "ogc_fid", "objectid",
    "altitude", "altitude_m", "alt", "ele", "elevation", "elevation_m", "height", "depth", "geoidheight",
    "magvar",
    "vertical_accuracy", "verticalaccuracy", "vacc", "altitude_accuracy", "speed_accuracy", "course_accuracy",
    "bearing_accuracy", "heading_accuracy", "hdop", "vdop", "pdop", "gdop", "satellites", "satellite_count",
    "sats",
    "sat", "fix", "fix_type", "quality", "snr", "provider", "source", "activity", "temperature", "temp",
    "pressure",
    "humidity", "heart_rate", "heartrate", "hr", "cadence", "power", "distance", "odometer", "steps",
    "battery",
    "battery_level", "note", "comment", "remarks", "description",
  ]
  /// The value of an identifier option that asks for the number of the row or feature.
  package static let number = "FID"

  /// Whether an identifier option asks for the number, and not for one of the columns or fields `names`.
  package static func isNumber(_ name: String?, among names: [String]) -> Bool {
    guard let name, normalized(name) == normalized(number) else { return false }
    return !names.contains { normalized($0) == normalized(name) }
  }

  /// `name` without surrounding blanks, in ASCII lower case.
  package static func normalized(_ name: String) -> String {
    var bytes = Array(name.utf8)
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    let start = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.count
    for i in bytes.indices where bytes[i] >= 0x41 && bytes[i] <= 0x5A { bytes[i] |= 0x20 }
    return String(decoding: bytes[start...], as: UTF8.self)
  }

  /// `name` for comparison with the names of quantities: in ASCII lower case, without what separates words
  /// and units: `Accuracy (m)`, `accuracy[m]` and `accuracy_m` are one.
  static func letters(_ name: String) -> String {
    let separators = " \t_-.:/()[]{}".utf8
    return String(decoding: normalized(name).utf8.filter { !separators.contains($0) }, as: UTF8.self)
  }
}

extension FieldNames {
  /// What to tell people of a column that is read, where others have a name by which it could be read too;
  /// nil where there is none.
  ///
  /// - Parameters:
  ///   - things: What is read, such as `latitudes`.
  ///   - names: What there is.
  ///   - read: Which of these is read.
  ///   - wanted: The names by which such a column is known.
  ///   - kind: What `names` are names of.
  package static func choice(
    of things: String, _ names: [String], read: Int, from wanted: [String], kind: String = "column"
  ) -> String? {
    let wanted = Set(wanted.map(letters))
    let others = names.indices.filter { $0 != read && wanted.contains(letters(names[$0])) }
    guard !others.isEmpty else { return nil }
    let found = others.map { names[$0].debugDescription }.joined(separator: ", ")
    return "\(taken(things, kind, names[read])); \(found) could hold them too"
  }

  /// What to say of columns of a quantity that are not read since they are in another unit, where no other
  /// column has it; `nil` where there are none.
  package static func unread(
    _ quantity: Quantity, _ things: String, in unit: String, among names: [String]
  ) -> String? {
    let meanings = names.map { quantity.meaning(of: $0) }
    let columns = names.indices.filter { meanings[$0] == .otherUnit }
    guard !columns.isEmpty,
      !meanings.contains(where: { if case .values = $0 { true } else { false } })
    else { return nil }
    let found = columns.map { names[$0].debugDescription }.joined(separator: ", ")
    return "\(found) \(columns.count == 1 ? "is" : "are") not read: \(things) are read in \(unit) only"
  }

  /// The names of what could hold identifiers as well as the column that they are read from; none where that
  /// column's name says that it holds them.
  package static func rivals(ofIdentifier name: String) -> [String] {
    rivalIdentifiers.contains(normalized(name)) ? rivalIdentifiers : []
  }

  /// Where something is read from.
  package static func taken(_ things: String, _ kind: String, _ name: String) -> String {
    "\(things) are taken from the \(kind) \(name.debugDescription)"
  }

  /// Names of devices that are of one trip of a device, as ``normalized(_:)`` has them.
  private static let tripDevice: Set = ["trip", "trip_id", "tripid", "ride_id", "flight", "flight_id"]

  /// What people are told where trips are taken for devices; `nil` where another name says what devices are.
  package static func tripWords(_ kind: String, _ name: String) -> String? {
    tripDevice.contains(normalized(name))
      ? "each trip of the \(kind) \(name.debugDescription) is taken for a device of its own, which begins and ends with it"
      : nil
  }

  /// What people are told where devices are taken from something that may as well number rows; `nil` where
  /// its name says that it names devices.
  package static func vagueWords(_ things: String, _ kind: String, _ name: String) -> String? {
    vagueDevice.contains(normalized(name)) ? taken(things, kind, name) : nil
  }

  /// Names of devices that mean nothing else.
  package static let plainDevice = device.filter { !vagueDevice.contains($0) }

  /// Why circles may get other radii than their input says.
  package enum RadiusDoubt: Equatable, Sendable {
    /// The name of what is read speaks of another unit than metres.
    case otherUnit(String)
    /// Radii come from elsewhere, though these look like some.
    case unread([String])
  }

  /// - Parameters:
  ///   - names: What there is.
  ///   - read: What radii are read from, if anything.
  ///   - hasOther: Whether there is a radius for those that state none.
  package static func radiusDoubt(_ names: [String], read: String?, hasOther: Bool) -> RadiusDoubt? {
    if let read { return radii.meaning(of: read) == .otherUnit ? .otherUnit(read) : nil }
    let unread = names.filter { radii.meaning(of: $0) != nil }
    return hasOther && !unread.isEmpty ? .unread(unread) : nil
  }
}
