/// What a column of geometries says of its coordinates and edges.
struct GeometryMeaning {
  /// Whether edges are straight in longitude and latitude; geodesics otherwise.
  var areEdgesPlanar = true

  /// - Throws: ``Failure`` for a column that is not binary, an encoding that is not WKB, and coordinates in another system.
  init(_ field: ArrowField) throws(Failure) {
    guard field.type.isBinary else {
      throw .schema(field.name, "geometries as WKB in a binary column are expected, not \(field.type.words)")
    }
    guard let name = field.metadata["ARROW:extension:name"] else { return }
    guard ["geoarrow.wkb", "ogc.wkb"].contains(name) else {
      throw .schema(field.name, "geometries as WKB are expected, not \(name)")
    }
    guard let text = field.metadata["ARROW:extension:metadata"], !text.isEmpty else { return }
    guard let metadata = JSONReader.read(text) else {
      throw .schema(field.name, "its GeoArrow metadata are not JSON")
    }
    if let crs = metadata["crs"], !Self.isWGS84(crs) {
      throw .schema(
        field.name,
        "its coordinate reference system is \(Self.name(of: crs)); longitude and latitude on WGS84 (EPSG:4326, OGC:CRS84) "
          + "are expected: reproject it first")
    }
    if case .string(let edges)? = metadata["edges"] { areEdgesPlanar = edges == "planar" }
  }

  /// Whether a reference system is longitude and latitude on WGS84: by its code, its name, or as PROJJSON or WKT. What is not said
  /// is taken for it.
  static func isWGS84(_ crs: JSONReader.Value) -> Bool {
    switch crs {
    case .null: return true
    case .string(let text):
      if let inner = JSONReader.read(text), case .object = inner { return isWGS84(inner) }
      let name = text.uppercased()
      if ["OGC:CRS84", "EPSG:4326", "EPSG:4979", "CRS84", "WGS84", "WGS 84"].contains(name) { return true }
      if name.hasPrefix("URN:OGC:DEF:CRS:"), name.hasSuffix(":CRS84") || name.hasSuffix(":4326") {
        return true
      }
      return ["GEOGCRS[\"WGS 84", "GEOGCS[\"WGS 84", "GEOGCS[\"GCS_WGS_1984"].contains { name.hasPrefix($0) }
    case .object:
      guard let id = crs["id"] else {
        if case .string(let name)? = crs["name"] {
          return isWGS84(.string(name)) || name.hasPrefix("WGS 84 (CRS84)")
        }
        return false
      }
      guard case .string(let authority)? = id["authority"] else { return false }
      let code = id["code"].map(name) ?? ""
      return isWGS84(.string("\(authority):\(code)"))
    default: return false
    }
  }

  /// A reference system in a few words.
  private static func name(of crs: JSONReader.Value) -> String {
    switch crs {
    case .string(let text): return text.count > 80 ? String(text.prefix(80)) + "..." : text
    case .number(let value): return value == value.rounded() ? "\(Int64(exactly: value) ?? 0)" : "\(value)"
    case .object:
      if case .string(let authority)? = crs["id"]?["authority"], let code = crs["id"]?["code"] {
        return "\(authority):\(name(of: code))"
      }
      if case .string(let name)? = crs["name"] { return name }
      return "one without a name"
    default: return "\(crs)"
    }
  }
}

/// Reads JSON (RFC 8259) of which only a few members are wanted.
struct JSONReader {
  indirect enum Value: Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([Value])
    case object([String: Value])

    subscript(_ key: String) -> Value? { if case .object(let members) = self { members[key] } else { nil } }
  }

  private struct Fault: Error {}

  private let bytes: [UInt8]
  private var position = 0

  private static let deepest = 64

  /// The value that text is; nil for text that is not JSON, or nested deeper than 64.
  static func read(_ text: String) -> Value? {
    var reader = JSONReader(bytes: Array(text.utf8))
    guard let value = try? reader.value(depth: 0) else { return nil }
    reader.skipBlanks()
    return reader.position == reader.bytes.count ? value : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
  }

  private mutating func take(_ text: String) throws(Fault) {
    guard bytes[position...].starts(with: text.utf8) else { throw Fault() }
    position += text.utf8.count
  }

  private mutating func value(depth: Int) throws(Fault) -> Value {
    guard depth < Self.deepest else { throw Fault() }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"):
      var members: [String: Value] = [:]
      try list(UInt8(ascii: "}")) { reader throws(Fault) in
        reader.skipBlanks()
        let key = try reader.string()
        reader.skipBlanks()
        try reader.take(":")
        members[key] = try reader.value(depth: depth + 1)
      }
      return .object(members)
    case UInt8(ascii: "["):
      var items: [Value] = []
      try list(UInt8(ascii: "]")) { reader throws(Fault) in items.append(try reader.value(depth: depth + 1)) }
      return .array(items)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try take("true")
      return .boolean(true)
    case UInt8(ascii: "f"):
      try take("false")
      return .boolean(false)
    case UInt8(ascii: "n"):
      try take("null")
      return .null
    default:
      let start = position
      while let byte = next, "+-.0123456789eE".utf8.contains(byte) { position += 1 }
      guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
        throw Fault()
      }
      return .number(number)
    }
  }

  private mutating func list(
    _ end: UInt8, _ item: (inout JSONReader) throws(Fault) -> Void
  ) throws(Fault) {
    position += 1
    skipBlanks()
    if next == end {
      position += 1
      return
    }
    while true {
      try item(&self)
      skipBlanks()
      guard let byte = next else { throw Fault() }
      position += 1
      if byte == end { return }
      guard byte == UInt8(ascii: ",") else { throw Fault() }
    }
  }

  private mutating func string() throws(Fault) -> String {
    try take("\"")
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = next else { throw Fault() }
        position += 1
        switch escaped {
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "u"):
          guard bytes.count - position >= 4,
            let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
          else { throw Fault() }
          position += 4
          // Halves of surrogate pairs show as replacement characters: nothing that is looked for has any.
          text += Array(String(Character(Unicode.Scalar(unit) ?? "\u{fffd}")).utf8)
        default: text.append(escaped)
        }
      default: text.append(byte)
      }
    }
    throw Fault()
  }
}
