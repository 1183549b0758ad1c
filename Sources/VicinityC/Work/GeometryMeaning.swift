#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a column of geometries says of its coordinates and edges.
struct GeometryMeaning {
  /// Whether edges are straight in longitude and latitude; geodesics otherwise.
  var areEdgesPlanar = true

  /// - Throws: ``Failure`` for a column that is not binary, an encoding that is not WKB, and coordinates in
  ///   another system.
  init(_ field: ArrowField) throws(Failure) {
    guard field.type.isBinary else {
      throw .schema(field.name, "geometries as WKB in a binary column are expected, not \(field.type.words)")
    }
    guard let name = field.metadata["ARROW:extension:name"] else { return }
    guard ["geoarrow.wkb", "ogc.wkb"].contains(name) else {
      throw .schema(field.name, "geometries as WKB are expected, not \(name)")
    }
    guard let text = field.metadata["ARROW:extension:metadata"], !text.isEmpty else { return }
    guard let metadata = JSONMeaning(text) else {
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

  /// Whether a reference system is longitude and latitude on WGS84: by its code, its name, or as PROJJSON or
  /// WKT. What is not said is taken for it.
  static func isWGS84(_ crs: JSONMeaning) -> Bool {
    switch crs {
    case .null: return true
    case .string(let text):
      if let inner = JSONMeaning(text), case .object = inner { return isWGS84(inner) }
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
  private static func name(of crs: JSONMeaning) -> String {
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

/// JSON of which only a few members are wanted.
indirect enum JSONMeaning: Equatable, Decodable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONMeaning])
  case object([String: JSONMeaning])

  /// The value that text is; nil for text that is not JSON.
  init?(_ text: String) {
    guard let value = try? JSONDecoder().decode(JSONMeaning.self, from: Data(text.utf8)) else { return nil }
    self = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let values = try? container.decode([JSONMeaning].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode([String: JSONMeaning].self))
    }
  }

  subscript(_ key: String) -> JSONMeaning? {
    if case .object(let members) = self { members[key] } else { nil }
  }
}
