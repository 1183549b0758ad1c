/// The names by which columns and fields are recognised, the first one found wins; case is ignored.
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
  /// What an identifier option says to ask for the feature's or row's number.
  static let number = "FID"

  /// `name` without surrounding blanks, in ASCII lower case.
  static func normalized(_ name: String) -> String {
    var bytes = Array(name.utf8)
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    let start = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.count
    for i in bytes.indices where bytes[i] >= 0x41 && bytes[i] <= 0x5A { bytes[i] |= 0x20 }
    return String(decoding: bytes[start...], as: UTF8.self)
  }

  /// The index in `names` of the first of `wanted` that is there, and how often it is there.
  static func find(_ wanted: [String], in names: [String]) -> (index: Int, count: Int)? {
    for name in wanted {
      let matches = names.indices.filter { names[$0] == name }
      if let first = matches.first { return (first, matches.count) }
    }
    return nil
  }
}
