#if Store
  internal import Foundation
  internal import GRDB
  internal import VicinityGeodesy
  internal import VicinityCrossings
  internal import VicinityMonitor

  /// A row's values, one after the other, each checked.
  struct RowReader {
    private let row: Row
    private let place: String
    private var column: Int

    init(_ row: Row, column: Int = 0, place: String) {
      self.row = row
      self.column = column
      self.place = place
    }

    /// Continues after another reader's values.
    init(_ row: Row, after other: RowReader, place: String) {
      self.init(row, column: other.column, place: place)
    }

    func fault(_ reason: String) -> RecordStoreError { .corrupted(place: place, reason: reason) }

    private mutating func next() -> DatabaseValue.Storage {
      defer { column += 1 }
      return (row[column] as DatabaseValue).storage
    }

    mutating func integer() throws(RecordStoreError) -> Int64 {
      guard case .int64(let value) = next() else { throw fault("column \(column) is no integer") }
      return value
    }

    mutating func unsigned() throws(RecordStoreError) -> UInt64 { UInt64(bitPattern: try integer()) }

    mutating func number<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(RecordStoreError) -> T {
      let value = try integer()
      guard let number = T(exactly: value) else { throw fault("column \(column) is \(value)") }
      return number
    }

    mutating func optionalInteger() throws(RecordStoreError) -> Int64? {
      switch next() {
      case .int64(let value): return value
      case .null: return nil
      default: throw fault("column \(column) is no integer")
      }
    }

    mutating func optionalReal() throws(RecordStoreError) -> Double? {
      switch next() {
      case .double(let value): return value
      case .null: return nil
      default: throw fault("column \(column) is no real number")
      }
    }

    mutating func optionalBytes() throws(RecordStoreError) -> [UInt8]? {
      switch next() {
      case .blob(let data): return [UInt8](data)
      case .null: return nil
      default: throw fault("column \(column) has no bytes")
      }
    }

    mutating func identity() throws(RecordStoreError) -> BeaconIdentity? {
      let high = try optionalInteger()
      let low = try optionalInteger()
      let major = try optionalInteger()
      let minor = try optionalInteger()
      guard let high, let low else {
        guard high == nil, low == nil, major == nil, minor == nil else {
          throw fault("half a beacon identity")
        }
        return nil
      }
      let uuid = ProximityUUID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
      guard let major else {
        guard minor == nil else { throw fault("a minor number without a major one") }
        return BeaconIdentity(uuid: uuid)
      }
      guard let first = UInt16(exactly: major) else { throw fault("a major number of \(major)") }
      guard let minor else { return BeaconIdentity(uuid: uuid, major: first) }
      guard let second = UInt16(exactly: minor) else { throw fault("a minor number of \(minor)") }
      return BeaconIdentity(uuid: uuid, major: first, minor: second)
    }

    /// Sequence number, state, date, diagnostics and refinement.
    mutating func event(identifier: String) throws(RecordStoreError) -> MonitoringEvent {
      let sequence = try unsigned()
      let state = try integer()
      let date = Timestamp(microseconds: try integer())
      let diagnostics = Diagnostics(rawValue: try number())
      guard let known = UInt8(exactly: state).flatMap(MonitoringState.init(rawValue:)) else {
        throw fault("state \(state)")
      }
      return MonitoringEvent(
        identifier: identifier, state: known, date: date, refinement: try identity(),
        diagnostics: diagnostics, sequenceNumber: sequence)
    }

    /// Kind, shape and beacon; the polygon's bytes are not among the columns.
    mutating func condition(polygon: [UInt8]?) throws(RecordStoreError) -> Condition {
      let kind = try integer()
      let latitude = try optionalReal()
      let longitude = try optionalReal()
      let radius = try optionalReal()
      let beacon = try identity()
      switch (kind, latitude, longitude, radius, beacon, polygon) {
      case (Condition.circleCode, let latitude?, let longitude?, let radius?, nil, nil):
        return .circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
      case (Condition.beaconCode, nil, nil, nil, let beacon?, nil):
        return .beacon(beacon)
      case (Condition.polygonCode, nil, nil, nil, nil, let bytes?):
        do throws(PolygonRecordError) {
          return .polygon(try PolygonRecord.polygon(bytes))
        } catch {
          throw fault(error.description)
        }
      default: throw fault("a condition of kind \(kind) with the columns of another")
      }
    }
  }
#endif
