internal import VicinityCrossings
package import VicinityGeodesy

/// Lines of JSON (NDJSON): an object a line.
///
/// A line may also begin with `[` or a comma, and end with a comma or `]`, so that an array with an object a
/// line is read too.
package enum JSONLines {
  /// The object's part of a line: without blanks, and without the brackets and commas of an array around it.
  package static func object(in line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var start = 0
    var end = line.count
    func isBlank(_ i: Int) -> Bool { unsafe line[i] <= 0x20 }
    while start < end,
      unsafe isBlank(start) || line[start] == UInt8(ascii: "[") || line[start] == UInt8(ascii: ",")
    {
      start += 1
    }
    while end > start,
      unsafe isBlank(end - 1) || line[end - 1] == UInt8(ascii: "]") || line[end - 1] == UInt8(ascii: ",")
    {
      end -= 1
    }
    return unsafe UnsafeBufferPointer(rebasing: line[start..<end])
  }

  /// The names of the members of the first line of `head` that holds an object; `nil` if none does.
  static func firstNames(in head: [UInt8]) -> [String]? {
    var names: [String]?
    unsafe head.withUnsafeBufferPointer { bytes in
      unsafe CSVScanner.forEachLine(bytes) { line in
        if names != nil { return }
        names = unsafe Self.names(of: object(in: line))
      }
    }
    return names
  }

  private static func names(of object: UnsafeBufferPointer<UInt8>) -> [String]? {
    guard unsafe object.first == UInt8(ascii: "{") else { return nil }
    do throws(JSONMembers.Fault) {
      var members = try unsafe JSONMembers(object)
      var names: [String] = []
      while let member = try members.member() {
        names.append(unsafe String(decoding: object[member.name], as: UTF8.self))
      }
      return names
    } catch {
      return nil
    }
  }

  /// Whether `head`, the start of a file, is of objects in lines of their own that are no features of
  /// GeoJSON.
  ///
  /// - Parameter isNamedSo: Whether the file's name says so, which counts where the first object is damaged.
  static func areRecognized(in head: [UInt8], isNamedSo: Bool) -> Bool {
    var answer: Bool?
    unsafe head.withUnsafeBufferPointer { bytes in
      unsafe CSVScanner.forEachLine(bytes) { line in
        if answer != nil { return }
        let object = unsafe Self.object(in: line)
        if object.isEmpty { return }
        answer = unsafe isRecord(object) ?? isNamedSo
      }
    }
    return answer ?? false
  }

  private static let geoJSONTypes = [
    "Feature", "FeatureCollection", "Topology", "Point", "MultiPoint", "LineString", "MultiLineString",
    "Polygon",
    "MultiPolygon", "GeometryCollection",
  ]

  /// Whether `text` is an object that is not GeoJSON's; `nil` for damaged text that may be one.
  private static func isRecord(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard unsafe text.first == UInt8(ascii: "{") else { return false }
    do throws(JSONMembers.Fault) {
      var members = try unsafe JSONMembers(text)
      var count = 0
      while let member = try members.member() {
        count += 1
        guard unsafe text[member.name].elementsEqual("type".utf8), case .text(let value, _) = member.value
        else { continue }
        let type = unsafe String(decoding: text[value], as: UTF8.self)
        if geoJSONTypes.contains(type) { return false }
      }
      return count > 0
    } catch {
      return nil
    }
  }
}

/// What a member of an object means.
package enum JSONRole: Int, CaseIterable {
  case identifier
  case time
  case latitude
  case longitude
  case radius
  case wkt
  case accuracy
  case speed
  case course
}

/// Which members of an object mean what: names of columns, of which the first in a list wins.
package struct JSONNames: Sendable {
  private struct Entry: Sendable {
    var name: [UInt8]
    var role: JSONRole
    var rank: Int16
    var isMilliseconds: Bool
  }

  /// The entries by the length of their names.
  private var entries: [[Entry]] = []

  /// Lets the members called one of `names` mean `role`; the first that is present wins.
  package mutating func add(
    _ role: JSONRole, _ names: [String], milliseconds: Bool = false, after rank: Int = 0
  ) {
    for (i, name) in names.enumerated() {
      let bytes = Array(FieldNames.normalized(name).utf8)
      while entries.count <= bytes.count { entries.append([]) }
      entries[bytes.count].append(
        Entry(name: bytes, role: role, rank: Int16(clamping: rank + i + 1), isMilliseconds: milliseconds))
    }
  }

  /// What a member called `name` means, how early in its list that name comes, and whether numbers in it are
  /// milliseconds.
  @inline(__always)
  func meaning(of name: UnsafeBufferPointer<UInt8>) -> (role: JSONRole, rank: Int16, isMilliseconds: Bool)? {
    guard name.count < entries.count else { return nil }
    for entry in entries[name.count] {
      var isSame = true
      for i in 0..<name.count {
        var byte = unsafe name[i]
        if byte >= 0x41, byte <= 0x5A { byte |= 0x20 }
        if byte != entry.name[i] {
          isSame = false
          break
        }
      }
      if isSame { return (entry.role, entry.rank, entry.isMilliseconds) }
    }
    return nil
  }
}

/// The members of one object that mean something.
@safe package struct JSONRow {
  private struct Slot {
    var name: Range<Int> = 0..<0
    var value: Range<Int> = 0..<0
    var rank: Int16 = .max
    var hasEscapes = false
    var isNull = true
    var isOther = false
  }

  private var slots = [Slot](repeating: Slot(), count: 9)
  private var object = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// Whether the time's name says that numbers are milliseconds.
  private(set) var isInMilliseconds = false

  package init() {}

  /// Reads the object in `text`, whose bytes must stay where they are; what is wrong with it, if anything is.
  package mutating func read(_ text: UnsafeBufferPointer<UInt8>, _ names: JSONNames) -> String? {
    for i in slots.indices { slots[i] = Slot() }
    unsafe object = text
    isInMilliseconds = false
    do throws(JSONMembers.Fault) {
      var members = try unsafe JSONMembers(text)
      while let member = try members.member() {
        let name = unsafe UnsafeBufferPointer(rebasing: text[member.name])
        guard !member.nameHasEscapes, let meaning = unsafe names.meaning(of: name) else { continue }
        let index = meaning.role.rawValue
        if meaning.rank > slots[index].rank { continue }
        if meaning.rank == slots[index].rank {
          return "the member \(unsafe TextCheck.shown(name)) is there twice"
        }
        var slot = Slot(name: member.name, rank: meaning.rank)
        switch member.value {
        case .null: break
        case .other: slot.isOther = true
        case .text(let range, let hasEscapes):
          slot.isNull = false
          slot.value = range
          slot.hasEscapes = hasEscapes
        }
        slots[index] = slot
        if meaning.role == .time { isInMilliseconds = meaning.isMilliseconds }
      }
      return nil
    } catch {
      return error.message
    }
  }

  /// Whether the object has a member of this meaning.
  package func has(_ role: JSONRole) -> Bool { slots[role.rawValue].rank != .max }

  /// The name of the member of this meaning, for messages.
  package func name(_ role: JSONRole) -> String {
    let name = slots[role.rawValue].name
    return name.isEmpty ? "\(role)" : unsafe String(decoding: object[name], as: UTF8.self)
  }

  /// The text or number of the member of this meaning, without blanks around it; empty where there is none,
  /// and for `null`.
  package mutating func text(_ role: JSONRole) -> RowValue<UnsafeBufferPointer<UInt8>> {
    let slot = slots[role.rawValue]
    if slot.isOther { return unsafe .fault("\(name(role)) is neither text nor a number") }
    let text = unsafe UnsafeBufferPointer(rebasing: object[slot.value])
    guard slot.hasEscapes else { return unsafe .value(text) }
    // SAFETY: the bytes are the block's, which belongs to its one parser; nothing else refers to this string.
    let bytes = unsafe UnsafeMutableBufferPointer(mutating: text)
    guard let count = unsafe JSONMembers.unescape(bytes) else {
      return unsafe .fault("\(name(role)) has an escape that is none")
    }
    slots[role.rawValue].hasEscapes = false
    slots[role.rawValue].value = slot.value.prefix(count)
    return unsafe .value(UnsafeBufferPointer(rebasing: text.prefix(count)))
  }

  /// The same without blanks around it; for numbers and times.
  package mutating func trimmed(_ role: JSONRole) -> RowValue<UnsafeBufferPointer<UInt8>> {
    unsafe RowValue { () throws(RowFault) in unsafe TextCheck.trimmed(try text(role).get()) }
  }

  /// The coordinate; `nil` where the object says that there is no position.
  mutating func position() -> RowValue<Coordinate?> {
    RowValue { () throws(RowFault) in
      let (latitude, longitude) = try unsafe (trimmed(.latitude).get(), trimmed(.longitude).get())
      return try unsafe RowValue<Coordinate?>.position(
        latitude, longitude, names: (name(.latitude), name(.longitude))
      ).get()
    }
  }

  /// The number of an optional member; `nil` where there is none, infinite where something else is there.
  mutating func optional(_ role: JSONRole) -> Double? {
    guard has(role) else { return nil }
    guard case .value(let text) = unsafe trimmed(role) else { return .infinity }
    return unsafe NumberScanner.optional(text)
  }

  /// The accuracy; `nil` where there is none.
  mutating func accuracy() -> RowValue<Double?> {
    RowValue { () throws(RowFault) in
      guard has(.accuracy) else { return nil }
      return try unsafe RowValue<Double?>.accuracy(text(.accuracy).get(), name(.accuracy)).get()
    }
  }

  package mutating func coordinate() -> RowValue<Coordinate> {
    RowValue { () throws(RowFault) in
      let (latitude, longitude) = try unsafe (trimmed(.latitude).get(), trimmed(.longitude).get())
      return try unsafe RowValue.coordinate(
        latitude, longitude, names: (name(.latitude), name(.longitude))
      ).get()
    }
  }

  /// The number of the member of this meaning; `nil` where there is none.
  package mutating func number(_ role: JSONRole) -> RowValue<Double?> {
    RowValue { () throws(RowFault) in
      let text = try unsafe trimmed(role).get()
      if text.isEmpty { return nil }
      let number = unsafe NumberScanner.number(text)
      guard !number.isNaN else {
        throw unsafe RowValue<Double>.notANumber(text, name(role))
      }
      return number
    }
  }
}
