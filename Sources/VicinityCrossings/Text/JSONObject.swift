package import VicinityGeodesy

/// An object of JSON (RFC 8259), built member by member in one buffer; members keep their order.
package struct JSONObject {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  package init() {}

  /// The text of the whole object.
  package var finished: [UInt8] { bytes + [UInt8(ascii: "}")] }

  private mutating func begin(_ name: String) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    JSONText.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Adds text; `null` for nil.
  package mutating func string(_ name: String, _ value: String?) {
    begin(name)
    if let value { JSONText.append(value, to: &bytes) } else { bytes += "null".utf8 }
  }

  /// Adds a number with `decimals` digits after the point; `null` for nil and for what is not finite.
  package mutating func number(_ name: String, _ value: Double?, _ decimals: Int) {
    begin(name)
    JSONText.append(value, decimals: decimals, to: &bytes)
  }

  package mutating func integer(_ name: String, _ value: Int) {
    begin(name)
    DecimalText.append(value, to: &bytes)
  }

  package mutating func boolean(_ name: String, _ value: Bool) {
    begin(name)
    bytes += (value ? "true" : "false").utf8
  }

  /// Adds an instant as ISO 8601 in UTC, to the millisecond; `null` for nil.
  package mutating func time(_ name: String, _ value: Timestamp?) {
    string(name, value?.description)
  }

  /// Adds the members `latitude` and `longitude`, degrees with 8 decimals.
  package mutating func coordinate(_ coordinate: Coordinate) {
    number("latitude", coordinate.latitude, 8)
    number("longitude", coordinate.longitude, 8)
  }

  /// Adds an object that has been built.
  package mutating func object(_ name: String, _ value: JSONObject?) {
    begin(name)
    bytes += value?.finished ?? Array("null".utf8)
  }

  /// Adds an array of objects, one for each of `values`.
  package mutating func list<Value>(
    _ name: String, _ values: some Collection<Value>, _ add: (Value, inout JSONObject) -> Void
  ) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "{"))
      add(value, &self)
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "]"))
  }
}
