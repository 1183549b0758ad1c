internal import VicinityText

/// What the text of a GeoJSON or TopoJSON file holds, found past GDAL, which substitutes, cuts or leaves out
/// what it does not take.
struct GeoJSONContents {
  /// How a file states its coordinate reference system.
  enum System: Equatable {
    /// No `crs`: WGS84 (RFC 7946, section 4).
    case none
    /// `null`: none can be assumed, by the older specification of GeoJSON (2008, section 3).
    case null
    /// By a name or a number of EPSG's.
    case named(String)
    /// By something else, which is not followed.
    case other(String)
    /// Some feature or geometry states another than the file does.
    case several
  }

  /// An object within a topology's `objects`.
  struct TopologyObject: Equatable {
    var name: String
    var isCollection: Bool
    /// How many geometries it has, and of these how many are collections or without a type.
    var count = 0
    var collections = 0
    var empty = 0
  }

  var system = System.none
  /// How many features there are; of a file that is a geometry, 1.
  var featureCount = 0
  /// How many entries of `features` are not even objects.
  var strayCount = 0
  var topology: [TopologyObject] = []

  /// Whether the first feature has an `id` that is a number.
  var beginsWithNumber = false
  /// How many features have an `id` at all.
  var identifierCount = 0
  /// How many of those are numbers.
  var numberCount = 0
  /// How many of those are integers of any size.
  var integerCount = 0
  /// Whether each feature has one that can be a feature's number of GDAL's as it is, and no two have the
  /// same.
  var areFeatureNumbers = false
  /// The sum of those, modulo 2^64.
  var numberSum: Int64 = 0

  /// The features' own ids, where they are asked for; `nil` for a feature that has neither text nor a number.
  var identifiers: [String?] = []
  /// Where the names of all members called `id` end, of features and around them, bytes.
  var identifierPositions: [Int] = []
  /// The values of the property that is asked for which OGR may not give back as they are written: numbers
  /// beyond the limit, fractions, true and false, text with U+0000, where OGR's text would end; by the
  /// feature's place in the file.
  var words: [Int: String] = [:]

  /// What to look for.
  enum Aim: Equatable {
    case summary
    case identifiers
    /// - Parameter limit: Integers of less than this magnitude are not kept.
    case words(ofProperty: String, limit: Int64)
  }

  /// Reads the file behind `source` once more, from its beginning.
  init(_ source: ByteSource, _ aim: Aim = .summary) throws(FormatError) {
    let again = try ByteSource(source.path)
    if let compression = source.compression { try again.unpack(compression, after: []) }
    var walker = JSONWalker()
    var visitor = Visitor(aim: aim)
    while true {
      let bytes = try again.read(1 << 16)
      if bytes.isEmpty { break }
      walker.take(bytes, &visitor)
    }
    walker.finish(&visitor)
    self = visitor.finished()
  }

  init() {}
}

extension GeoJSONContents {
  /// Follows the path into the file.
  private struct Visitor: JSONVisitor {
    enum Level {
      /// The outermost object: a feature, a collection, a geometry, a topology.
      case root
      case features
      case feature
      case properties
      case system
      case systemProperties
      /// A geometry, or an array of geometries.
      case geometry
      case objects
      case object
      case objectGeometries
      case objectGeometry
      case other
    }

    let aim: Aim
    var contents = GeoJSONContents()
    private var levels: [Level] = []
    private var key: [UInt8] = []

    // The current feature's.
    private var identifier: String?
    private var isNumber = false
    private var word: String?
    /// Whether the properties have the one that is asked for, which wins over an `id` beside them.
    private var isProperty = false
    /// The ids that GDAL can take for numbers of features.
    private var numbers: [Int64] = []
    /// Whether the outermost object is more than one feature.
    private var isContainer = false
    // The current `crs`.
    private var systemType = ""
    private var systemName: String?
    /// What the current document states itself, and what something within it states first.
    private var ownSystem = System.none
    private var innerSystem: System?
    private var hasSeveralSystems = false
    private var documentCount = 0
    private var objectType = ""

    init(aim: Aim) { self.aim = aim }

    private func isKey(_ name: String) -> Bool { key.elementsEqual(name.utf8) }

    mutating func key(_ name: [UInt8], position: Int) {
      key = name
      if aim == .identifiers, isKey("id"), levels.last == .feature || levels.last == .root {
        contents.identifierPositions.append(position)
      }
    }

    /// The level of the object or array that begins; `nil` where nothing within matters.
    private func next(isArray: Bool) -> Level? {
      switch levels.last {
      case nil: return isArray ? nil : .root
      case .root:
        if isArray { return isKey("features") ? .features : isKey("geometries") ? .geometry : nil }
        if isKey("objects") { return .objects }
        return insideFeature
      case .features: return isArray ? nil : .feature
      case .feature: return isArray ? nil : insideFeature
      case .geometry:
        if isKey("crs"), !isArray { return .system }
        return isArray ? (isKey("geometries") ? .geometry : nil) : .geometry
      case .system: return isKey("properties") && !isArray ? .systemProperties : .other
      case .objects: return isArray ? nil : .object
      case .object:
        if isArray { return isKey("geometries") ? .objectGeometries : nil }
        return isKey("crs") ? .system : nil
      case .objectGeometries: return isArray ? nil : .objectGeometry
      case .properties, .systemProperties, .objectGeometry, .other: return nil
      }
    }

    private var insideFeature: Level? {
      if isKey("geometry") { return .geometry }
      if isKey("crs") { return .system }
      if isKey("properties"), case .words = aim { return .properties }
      return nil
    }

    mutating func begin(isArray: Bool) -> Bool {
      if isArray, isKey("crs"), [.root, .feature, .geometry, .object].contains(levels.last) {
        state(.other("an array"))
      }
      guard let level = next(isArray: isArray) else { return false }
      switch level {
      case .root:
        startFeature()
        isContainer = false
        (ownSystem, innerSystem, hasSeveralSystems) = (.none, nil, false)
      case .features: isContainer = true
      case .feature: startFeature()
      case .system: (systemType, systemName) = ("", nil)
      case .object:
        contents.topology.append(.init(name: String(decoding: key, as: UTF8.self), isCollection: false))
      case .objectGeometries: contents.topology[contents.topology.count - 1].isCollection = true
      case .objectGeometry:
        contents.topology[contents.topology.count - 1].count += 1
        objectType = ""
      default: break
      }
      levels.append(level)
      // An array's elements have no key of their own.
      if isArray { key = [] }
      return true
    }

    mutating func end() {
      switch levels.popLast() {
      case .root:
        if !isContainer { endFeature() }
        endDocument()
      case .feature: endFeature()
      case .system: endSystem()
      case .objectGeometry:
        if objectType == "GeometryCollection" {
          contents.topology[contents.topology.count - 1].collections += 1
        }
        if objectType == "" { contents.topology[contents.topology.count - 1].empty += 1 }
      default: break
      }
    }

    mutating func value(_ text: [UInt8], isText: Bool) {
      switch levels.last {
      case .features: contents.strayCount += 1
      case .root, .feature, .geometry, .object:
        if isKey("id"), levels.last == .root || levels.last == .feature {
          takeIdentifier(text, isText: isText)
        }
        if isKey("crs") {
          // The word for none, or a name without what should be around it.
          let word = String(decoding: text, as: UTF8.self)
          state(!isText && word == "null" ? .null : isText ? .named(word) : .other(word))
        }
      case .properties:
        if case .words(let name, _) = aim, key.elementsEqual(name.utf8) {
          isProperty = true
          word = !isText || text.contains(0) ? String(decoding: text, as: UTF8.self) : nil
        }
      case .system: if isKey("type") { systemType = String(decoding: text, as: UTF8.self) }
      case .systemProperties:
        if isKey("name") || isKey("urn") || isKey("code") {
          let value = String(decoding: text, as: UTF8.self)
          systemName = isKey("code") && !isText ? "EPSG:\(value)" : value
        }
      case .objectGeometry:
        if isKey("type"), isText { objectType = String(decoding: text, as: UTF8.self) }
      default: break
      }
    }

    private mutating func startFeature() {
      identifier = nil
      isNumber = false
      word = nil
      isProperty = false
    }

    private mutating func takeIdentifier(_ text: [UInt8], isText: Bool) {
      let value = String(decoding: text, as: UTF8.self)
      isNumber = !isText && text.first.map { $0 == UInt8(ascii: "-") || (48...57).contains($0) } ?? false
      identifier = isText || isNumber ? value : nil
    }

    private mutating func endFeature() {
      if contents.featureCount == 0 { contents.beginsWithNumber = isNumber }
      if let identifier {
        contents.identifierCount += 1
        if isNumber {
          contents.numberCount += 1
          if identifier.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (48...57).contains($0) }) {
            contents.integerCount += 1
          }
          if aim == .summary, let number = Self.integer(identifier), number >= 0, number < .max {
            contents.numberSum &+= number
            numbers.append(number)
          }
        }
      }
      switch aim {
      case .summary: break
      case .identifiers: contents.identifiers.append(identifier)
      case .words(let name, let limit):
        if !isProperty, name == "id", isNumber || identifier?.utf8.contains(0) == true { word = identifier }
        guard let word, word != "null" else { break }
        if let number = Self.integer(word), number.magnitude < limit { break }
        contents.words[contents.featureCount] = word
      }
      contents.featureCount += 1
      startFeature()
    }

    /// The integer that `text` is, written as we write it.
    private static func integer(_ text: String) -> Int64? {
      guard let number = Int64(text), "\(number)" == text else { return nil }
      return number
    }

    /// What was found, to be asked for at the end.
    mutating func finished() -> GeoJSONContents {
      numbers.sort()
      let repeats = zip(numbers, numbers.dropFirst()).contains { $0 == $1 }
      contents.areFeatureNumbers = !repeats && numbers.count == contents.featureCount
      return contents
    }

    private mutating func endSystem() {
      if let systemName, systemType != "link", systemType != "url" {
        state(.named(systemName))
      } else {
        state(.other(systemType.isEmpty ? "an object without a type" : systemType))
      }
    }

    private mutating func state(_ system: System) {
      if levels == [.root] {
        ownSystem = system
      } else if system != .null {
        hasSeveralSystems = hasSeveralSystems || (innerSystem ?? system) != system
        innerSystem = system
      }
    }

    private mutating func endDocument() {
      var system = ownSystem
      // A lone feature's geometry may state what the feature does not.
      if !isContainer, ownSystem == .none, let innerSystem { system = innerSystem }
      if hasSeveralSystems || (innerSystem ?? system) != system { system = .several }
      if documentCount == 0 {
        contents.system = system
      } else if contents.system != system {
        contents.system = .several
      }
      documentCount += 1
    }
  }
}
