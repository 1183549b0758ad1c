internal import CVicinity
internal import VicinityCrossings
internal import VicinityEvaluation
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinityPolygon

/// Why a function of the interface could not do its work: a code of the header, and a sentence that names row
/// and column.
struct Failure: Error {
  enum Kind: Int32 {
    case argument = 1
    case schema, data, file, cancelled, stream, memory
  }

  var kind: Kind
  /// Counted from 0 over the whole stream.
  var row: Int?
  var column: String?
  var reason: String

  static func argument(_ reason: String) -> Failure { Failure(kind: .argument, reason: reason) }

  static func option(_ fault: OptionFault) -> Failure {
    switch fault {
    case .value(let option, let expected, let found):
      .argument("option \(option): \(expected) is expected, not \(found.debugDescription)")
    case .needs(let option, let other, let value): .argument("option \(option) needs \(other)=\(value)")
    }
  }

  /// A column that is missing or cannot be read.
  static func schema(_ column: String?, _ reason: String) -> Failure {
    Failure(kind: .schema, column: column, reason: reason)
  }

  /// A value that cannot be.
  static func data(_ row: Int?, _ column: String?, _ reason: String) -> Failure {
    Failure(kind: .data, row: row, column: column, reason: reason)
  }

  static let cancelled = Failure(kind: .cancelled, reason: "stopped by the caller")

  /// `row 17, column "latitude": latitude 91.0 is not within -90...90`
  var message: String {
    var place: [String] = []
    if let row { place.append("row \(row)") }
    if let column { place.append("column \"\(column)\"") }
    return place.isEmpty ? reason : place.joined(separator: ", ") + ": " + reason
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as IndexFormatError: self.init(kind: .file, reason: error.description)
    case let error as FleetSnapshotError: self.init(kind: .data, reason: error.description)
    case RegionError.outOfMemory(let byteCount):
      self.init(kind: .memory, reason: "no memory for an index of \(byteCount) bytes")
    case let error as RegionError: self.init(kind: .data, reason: error.description)
    case StudyError.cancelled: self = .cancelled
    case StudyError.device(let name, let reason): self.init(kind: .data, reason: "device \(name): \(reason)")
    default: self.init(kind: .argument, reason: "\(error)")
    }
  }

  private init(kind: Kind, row: Int? = nil, column: String? = nil, reason: String) {
    (self.kind, self.row, self.column, self.reason) = (kind, row, column, reason)
  }

  /// Writes the failure to where the caller wants it.
  func write(to error: UnsafeMutablePointer<vicinity_error>?) {
    guard let error = unsafe error else { return }
    unsafe error.pointee = vicinity_error()
    unsafe error.pointee.code = kind.rawValue
    unsafe error.pointee.row = Int64(row ?? -1)
    unsafe withUnsafeMutableBytes(of: &error.pointee.column) { unsafe Self.fill($0, column ?? "") }
    unsafe withUnsafeMutableBytes(of: &error.pointee.message) { unsafe Self.fill($0, message) }
  }

  /// Writes text with its zero, cut between two characters where it is too long.
  private static func fill(_ field: UnsafeMutableRawBufferPointer, _ text: String) {
    let bytes = Array(text.utf8)
    var count = bytes.count
    if count >= field.count {
      count = field.count - 1
      // A byte of the form 10xxxxxx goes on with the character before it.
      while count > 0, bytes[count] & 0xc0 == 0x80 { count -= 1 }
    }
    for i in 0..<count { unsafe field[i] = bytes[i] }
    unsafe field[count] = 0
  }
}

/// What a function of the interface returns: 0, or the code of what `body` throws.
func answer(_ place: UnsafeMutablePointer<vicinity_error>?, _ body: () throws -> Void) -> Int32 {
  do {
    try body()
    if let place = unsafe place {
      unsafe place.pointee = vicinity_error()
      unsafe place.pointee.row = -1
    }
    return 0
  } catch {
    let failure = Failure(error)
    unsafe failure.write(to: place)
    return failure.kind.rawValue
  }
}

/// A pointer that the header says must not be NULL.
func given<T>(_ pointer: UnsafeMutablePointer<T>?, _ name: String) throws(Failure) -> UnsafeMutablePointer<T>
{
  guard let pointer = unsafe pointer else { throw .argument("\(name) must not be NULL") }
  return unsafe pointer
}
