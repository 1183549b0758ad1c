internal import VicinityCrossings
package import VicinityGeodesy

/// A value read from a row, or what is wrong with it.
package enum RowValue<Value> {
  case value(Value)
  // Apart, so that the value, of which there are millions, takes no room for it.
  indirect case fault(RowFault)

  /// What `body` returns, or the fault that it throws.
  package init(catching body: () throws(RowFault) -> Value) {
    do throws(RowFault) { self = .value(try body()) } catch { self = .fault(error) }
  }

  package func get() throws(RowFault) -> Value {
    switch self {
    case .value(let value): return value
    case .fault(let fault): throw fault
    }
  }
}

/// What is wrong with a row, in words, and what a caller can do about it.
package struct RowFault: Error, Hashable, Sendable {
  package var message: String
  package var cure: Cure?

  package init(_ message: String, cure: Cure? = nil) {
    self.message = message
    self.cure = cure
  }
}

extension RowFault: ExpressibleByStringInterpolation {
  package init(stringLiteral message: String) { self.init(message) }
}

extension RowValue<Coordinate> {
  /// What two fields spell, whatever it is; NaN for what is no number.
  @inline(__always)
  fileprivate static func stated(
    _ latitude: UnsafeBufferPointer<UInt8>, _ longitude: UnsafeBufferPointer<UInt8>
  ) -> Coordinate {
    Coordinate(
      latitude: unsafe NumberScanner.number(TextCheck.trimmed(latitude)),
      longitude: unsafe NumberScanner.number(TextCheck.trimmed(longitude)))
  }

  /// The coordinate that two fields spell; `names` are the fields' names, for messages.
  @inline(__always)
  package static func coordinate(
    _ latitude: UnsafeBufferPointer<UInt8>, _ longitude: UnsafeBufferPointer<UInt8>,
    names: @autoclosure () -> (latitude: String, longitude: String)
  ) -> RowValue {
    let coordinate = unsafe stated(latitude, longitude)
    guard let fault = CoordinateLimits.fault(coordinate) else { return .value(coordinate) }
    if coordinate.latitude.isNaN { return .fault(unsafe notANumber(latitude, names().latitude)) }
    if coordinate.longitude.isNaN { return .fault(unsafe notANumber(longitude, names().longitude)) }
    return .fault(RowFault(fault))
  }
}

extension RowValue<Coordinate?> {
  /// The coordinate that two fields spell; `nil` where they say that there is no position.
  @inline(__always)
  package static func position(
    _ latitude: UnsafeBufferPointer<UInt8>, _ longitude: UnsafeBufferPointer<UInt8>,
    names: @autoclosure () -> (latitude: String, longitude: String)
  ) -> RowValue {
    switch unsafe RowValue<Coordinate>.coordinate(latitude, longitude, names: names()) {
    case .value(let coordinate): return .value(coordinate)
    case .fault(let fault):
      let isNowhere = unsafe OptionalMeasurement.isNoPosition(
        RowValue<Coordinate>.stated(latitude, longitude))
      return isNowhere ? .value(nil) : .fault(fault)
    }
  }
}

extension RowValue<Double?> {
  /// The accuracy that `field` spells; `nil` where it says that there is none.
  package static func accuracy(
    _ field: UnsafeBufferPointer<UInt8>, _ name: @autoclosure () -> String
  ) -> RowValue {
    let text = unsafe TextCheck.trimmed(field)
    let value = unsafe NumberScanner.number(text)
    if value.isFinite { return .value(value) }
    if unsafe OptionalMeasurement.isAbsent(text) { return .value(nil) }
    return value.isNaN ? .fault(unsafe notANumber(field, name())) : .fault("\(name()) \(value) is not finite")
  }
}

extension RowValue {
  /// The message for a field that does not spell a number.
  @inline(never)
  package static func notANumber(_ field: UnsafeBufferPointer<UInt8>, _ name: String) -> RowFault {
    let text = unsafe TextCheck.trimmed(field).map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
    // With more than one comma this is no number either.
    let isDecimal = unsafe !text.withUnsafeBufferPointer { unsafe NumberScanner.number($0) }.isNaN
    return RowFault(
      "\(name) \(unsafe TextCheck.shown(field)) is not a number"
        + (isDecimal ? ": a decimal point is expected, not a comma" : ""))
  }
}

extension RowValue<Meters> {
  /// `stated` if it can be a radius, `fallback` if nothing is stated.
  package static func radius(_ stated: Meters?, fallback: Meters?) -> RowValue {
    guard let radius = stated ?? fallback else {
      return .fault(RowFault("the radius is missing", cure: .defaultRadius))
    }
    guard radius >= 0, radius.isFinite else {
      return .fault("radius \(radius) m is not a finite number of 0 or more")
    }
    return .value(radius)
  }
}
