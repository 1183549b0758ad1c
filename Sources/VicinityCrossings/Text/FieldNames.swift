/// The names by which columns and fields are recognised. The first one that is present wins; case is ignored.
package enum FieldNames {
  /// Identifiers of regions.
  package static let identifier = ["id", "identifier", "region", "region_id", "name"]
  /// Identifiers of points: those of regions, and what answers call the point that they are about.
  package static let point = [
    "id", "identifier", "point", "point_id", "query", "region", "region_id", "name",
  ]
  /// Latitudes, degrees.
  package static let latitude = ["latitude", "lat", "latitude_deg"]
  /// Longitudes, degrees.
  package static let longitude = ["longitude", "lon", "lng", "long", "longitude_deg"]
  /// Radii, metres.
  package static let radius = ["radius", "radius_m", "radius_meters", "radius_metres"]
  /// Well-known text.
  package static let wkt = ["wkt", "ewkt", "geom_wkt", "geometry_wkt"]
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
  /// Times: ISO 8601 with a zone, or Unix seconds.
  package static let time = [
    "time", "timestamp", "datetime", "date_time", "time_utc", "utc", "unix_time", "unixtime", "epoch",
  ]
  /// Times in milliseconds since 1970 (or ISO 8601).
  package static let timeInMilliseconds = [
    "time_ms", "timestamp_ms", "unix_time_ms", "unixtimemillis", "utctimemillis", "epoch_ms",
  ]
  /// Radii of uncertainty, metres.
  package static let accuracy = [
    "accuracy", "horizontal_accuracy", "horizontalaccuracy", "accuracy_m", "accuracymeters", "hacc",
  ]
  /// Speeds, metres a second.
  package static let speed = ["speed", "speed_mps", "speedmps"]
  /// Directions of travel, degrees from north.
  package static let course = ["course", "bearing", "bearing_deg", "heading"]
  /// What may stand beside a fix without telling devices apart: other measurements, numbers of rows, and remarks.
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

  /// `name` without surrounding blanks, in ASCII lower case.
  package static func normalized(_ name: String) -> String {
    var bytes = Array(name.utf8)
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    let start = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.count
    for i in bytes.indices where bytes[i] >= 0x41 && bytes[i] <= 0x5A { bytes[i] |= 0x20 }
    return String(decoding: bytes[start...], as: UTF8.self)
  }
}
