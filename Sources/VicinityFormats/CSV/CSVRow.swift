internal import VicinityGeodesy

extension CSVTable {
  /// Latitude and longitude of the current record, or what is wrong with them.
  @inline(__always)
  mutating func coordinate(_ latitude: Int, _ longitude: Int) -> RowValue<Coordinate> {
    let lat = unsafe DecimalParser.parse(TextCheck.trimmed(records.field(latitude)))
    let lon = unsafe DecimalParser.parse(TextCheck.trimmed(records.field(longitude)))
    let coordinate = Coordinate(latitude: lat, longitude: lon)
    if let fault = CoordinateLimits.fault(coordinate) {
      if lat.isNaN { return .fault(notANumber(latitude)) }
      if lon.isNaN { return .fault(notANumber(longitude)) }
      return .fault(fault)
    }
    return .value(coordinate)
  }

  /// The radius of the current record in metres, or what is wrong with it.
  ///
  /// An empty field, like a column that is not there, means `fallback`.
  @inline(__always)
  mutating func radius(_ column: Int?, fallback: Meters?) -> RowValue<Meters> {
    guard let column else { return missingRadius(fallback) }
    let text = unsafe TextCheck.trimmed(records.field(column))
    if text.isEmpty { return missingRadius(fallback) }
    let radius = unsafe DecimalParser.parse(text)
    guard radius >= 0, radius.isFinite else {
      return .fault(radius.isNaN ? notANumber(column) : RadiusCheck.fault(radius))
    }
    return .value(radius)
  }

  private func missingRadius(_ fallback: Meters?) -> RowValue<Meters> {
    if let fallback { return .value(fallback) }
    return .fault(RadiusCheck.missing)
  }

  @inline(never)
  private mutating func notANumber(_ column: Int) -> String {
    let text = unsafe TextCheck.shown(records.field(column))
    return "\(names[column]) \(text) is not a number"
  }
}

/// A value read from a row, or what is wrong with it.
enum RowValue<Value> {
  case value(Value)
  case fault(String)
}

/// What is said about radii.
enum RadiusCheck {
  static let missing = "the radius is missing"

  static func fault(_ radius: Meters) -> String {
    "radius \(radius) m is not a finite number of 0 or more"
  }
}
