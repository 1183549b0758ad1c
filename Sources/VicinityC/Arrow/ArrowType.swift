/// The type of a column, as the formats of the C Data Interface name it.
enum ArrowType: Equatable, Sendable {
  case int(bits: Int, isSigned: Bool)
  case float(bits: Int)
  /// Whole numbers, each divided by 10 to the power of `scale`.
  case decimal(bits: Int, precision: Int, scale: Int)
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
      if let decimal = Self.decimal(format) {
        self = decimal
        return
      }
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

  /// The type of `d:precision,scale` and `d:precision,scale,bits`; nil for other formats, and for widths that
  /// are not read.
  private static func decimal(_ format: String) -> ArrowType? {
    guard format.hasPrefix("d:") else { return nil }
    let numbers = format.dropFirst(2).split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2 || numbers.count == 3, let precision = numbers[0], let scale = numbers[1],
      let bits = numbers.count == 3 ? numbers[2] : 128, [32, 64, 128].contains(bits),
      (1...38).contains(precision), (-38...38).contains(scale)
    else { return nil }
    return .decimal(bits: bits, precision: precision, scale: scale)
  }

  /// The format of whole numbers: of integers, and of decimals.
  var format: String? {
    switch self {
    case .int(let bits, let isSigned):
      (isSigned ? [8: "c", 16: "s", 32: "i"] : [8: "C", 16: "S", 32: "I"])[bits] ?? (isSigned ? "l" : "L")
    case .decimal(let bits, let precision, let scale):
      "d:\(precision),\(scale)" + (bits == 128 ? "" : ",\(bits)")
    case .dictionary(_, let values): values.format
    default: nil
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
    case .int, .timestamp, .decimal(64, _, _): .int64
    case .decimal(32, _, _): .int32
    case .decimal: .int128
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
    case .int, .float, .decimal, .timestamp: 2
    case .dictionary: 2
    case .text, .views: 3
    case .other: 0
    }
  }

  /// Bytes of a value; 0 for those without a fixed size.
  var width: Int {
    switch self {
    case .int(let bits, _), .float(let bits), .decimal(let bits, _, _): bits / 8
    case .timestamp: 8
    case .dictionary(let index, _): index.width
    case .views: 16
    case .text, .structure, .other: 0
    }
  }

  /// Bytes of a value itself, also of one in a dictionary.
  var valueWidth: Int { if case .dictionary(_, let values) = self { values.valueWidth } else { width } }

  var isNumber: Bool {
    switch self {
    case .int, .float, .decimal: true
    case .dictionary(_, let values): values.isNumber
    default: false
    }
  }

  var isInteger: Bool { if case .int = self { true } else { false } }

  /// Whole numbers: integers, and decimals without a fraction, also by dictionary.
  var isWhole: Bool {
    switch self {
    case .int, .decimal(_, _, 0): true
    case .dictionary(_, let values): values.isWhole
    default: false
    }
  }

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
    case .decimal(let bits, let precision, let scale): "decimal\(bits)(\(precision), \(scale))"
    case .text(let isLarge, let isBinary): (isLarge ? "large " : "") + (isBinary ? "binary" : "string")
    case .views(let isBinary): isBinary ? "binary view" : "string view"
    case .timestamp(_, let zone): zone.isEmpty ? "timestamp without a zone" : "timestamp"
    case .dictionary(_, let values): "dictionary of \(values.words)"
    case .structure: "struct"
    case .other(let format): Self.otherWords[format] ?? "of Arrow's format \(format.debugDescription)"
    }
  }
}

extension ArrowType {
  /// The names of types that are not read.
  private static let otherWords = [
    "b": "bool", "n": "null", "e": "float16", "tdD": "date32", "tdm": "date64", "+l": "list",
    "+L": "large list",
    "+m": "map",
    "tDs": "durations", "tDm": "durations", "tDu": "durations", "tDn": "durations",
    "tts": "times of day", "ttm": "times of day", "ttu": "times of day", "ttn": "times of day",
  ]
}

/// How values lie in memory, in a form that costs nothing to look at.
enum ArrowLayout: UInt8 {
  case int8, uint8, int16, uint16, int32, uint32, int64, uint64, int128, float32, float64, offsets32,
    offsets64,
    views, none
}

/// A column's name, type and what is said about it.
struct ArrowField {
  var name: String
  var type: ArrowType
  var metadata: [String: String]
}
