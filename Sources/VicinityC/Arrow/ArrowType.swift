/// The type of a column, as the formats of the C Data Interface name it.
enum ArrowType: Equatable, Sendable {
  case int(bits: Int, isSigned: Bool)
  case float(bits: Int)
  /// Strings or binary, with offsets of 32 or 64 bits.
  case text(isLarge: Bool, isBinary: Bool)
  /// Strings or binary as views.
  case views(isBinary: Bool)
  /// Counted since 1970. `zone` is empty for times that state none.
  case timestamp(perSecond: Int64, zone: String)
  /// Indices into other values.
  indirect case dictionary(index: ArrowType, values: ArrowType)
  case structure
  /// One that cannot be read; its format.
  case other(String)

  /// The type of a format, dictionaries left aside.
  init(format: String) {
    switch format {
    case "c": self = .int(bits: 8, isSigned: true)
    case "C": self = .int(bits: 8, isSigned: false)
    case "s": self = .int(bits: 16, isSigned: true)
    case "S": self = .int(bits: 16, isSigned: false)
    case "i": self = .int(bits: 32, isSigned: true)
    case "I": self = .int(bits: 32, isSigned: false)
    case "l": self = .int(bits: 64, isSigned: true)
    case "L": self = .int(bits: 64, isSigned: false)
    case "f": self = .float(bits: 32)
    case "g": self = .float(bits: 64)
    case "u": self = .text(isLarge: false, isBinary: false)
    case "U": self = .text(isLarge: true, isBinary: false)
    case "z": self = .text(isLarge: false, isBinary: true)
    case "Z": self = .text(isLarge: true, isBinary: true)
    case "vu": self = .views(isBinary: false)
    case "vz": self = .views(isBinary: true)
    case "+s": self = .structure
    default:
      let units: [(String, Int64)] = [
        ("tss:", 1), ("tsm:", 1000), ("tsu:", 1_000_000), ("tsn:", 1_000_000_000),
      ]
      for (prefix, perSecond) in units where format.hasPrefix(prefix) {
        self = .timestamp(perSecond: perSecond, zone: String(format.dropFirst(prefix.count)))
        return
      }
      self = .other(format)
    }
  }

  /// How values of this type lie in memory; of a dictionary, its indices.
  var layout: ArrowLayout {
    switch self {
    case .int(8, true): .int8
    case .int(8, false): .uint8
    case .int(16, true): .int16
    case .int(16, false): .uint16
    case .int(32, true): .int32
    case .int(32, false): .uint32
    case .int(64, false): .uint64
    case .int, .timestamp: .int64
    case .float(32): .float32
    case .float: .float64
    case .text(let isLarge, _): isLarge ? .offsets64 : .offsets32
    case .views: .views
    case .dictionary(let index, _): index.layout
    case .structure, .other: .none
    }
  }

  /// How many buffers an array of this type has at least; views have more.
  var bufferCount: Int {
    switch self {
    case .structure: 1
    case .int, .float, .timestamp: 2
    case .dictionary: 2
    case .text, .views: 3
    case .other: 0
    }
  }

  /// Bytes of a value; 0 for those without a fixed size.
  var width: Int {
    switch self {
    case .int(let bits, _), .float(let bits): bits / 8
    case .timestamp: 8
    case .dictionary(let index, _): index.width
    case .views: 16
    case .text, .structure, .other: 0
    }
  }

  var isNumber: Bool {
    switch self {
    case .int, .float: true
    case .dictionary(_, let values): values.isNumber
    default: false
    }
  }

  var isInteger: Bool { if case .int = self { true } else { false } }

  /// Strings, also by dictionary.
  var isText: Bool {
    switch self {
    case .text(_, let isBinary), .views(let isBinary): !isBinary
    case .dictionary(_, let values): values.isText
    default: false
    }
  }

  var isBinary: Bool {
    switch self {
    case .text(_, let isBinary), .views(let isBinary): isBinary
    default: false
    }
  }

  /// The type in words, for messages.
  var words: String {
    switch self {
    case .int(let bits, let isSigned): (isSigned ? "int" : "uint") + "\(bits)"
    case .float(let bits): "float\(bits)"
    case .text(let isLarge, let isBinary): (isLarge ? "large " : "") + (isBinary ? "binary" : "string")
    case .views(let isBinary): isBinary ? "binary view" : "string view"
    case .timestamp(_, let zone): zone.isEmpty ? "timestamp without a zone" : "timestamp"
    case .dictionary(_, let values): "dictionary of \(values.words)"
    case .structure: "struct"
    case .other(let format): "of Arrow's format \(format.debugDescription)"
    }
  }
}

/// How values lie in memory, in a form that costs nothing to look at.
enum ArrowLayout: UInt8 {
  case int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64, offsets32, offsets64,
    views, none
}

/// A column's name, type and what is said about it.
struct ArrowField {
  var name: String
  var type: ArrowType
  var metadata: [String: String]
}
