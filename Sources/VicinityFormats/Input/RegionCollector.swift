internal import VicinityGeodesy
internal import VicinityIndex

/// Gathers regions from one file or layer: refuses repeated identifiers, keeps diagnostics, and settles at the
/// end whether bad rows are an error.
struct RegionCollector {
  private var set = RegionSet()
  private var table = IdentifierTable()
  /// The line or feature number of each region, to name the first of two with one identifier.
  private var numbers: [Int64] = []
  private(set) var warnings: DiagnosticLog
  private var rejected: DiagnosticLog
  private let skipInvalid: Bool
  private let path: String
  private let layer: String?
  private let numbersAreLines: Bool
  /// The field that identifiers come from, where the caller did not choose it.
  var assumedField: String?

  /// A collector for the file at `path`; its places are lines when `layer` is nil, features otherwise.
  init(path: String, layer: String?, options: RegionReader.Options) {
    self.path = path
    self.layer = layer
    numbersAreLines = layer == nil
    skipInvalid = options.skipInvalid
    warnings = DiagnosticLog(maximum: options.maximumDiagnostics)
    rejected = DiagnosticLog(maximum: options.maximumDiagnostics)
  }

  /// The place of line or feature `number`.
  func place(_ number: Int64) -> Diagnostic.Place {
    numbersAreLines
      ? Diagnostic.Place(path: path, line: Int(number))
      : Diagnostic.Place(path: path, layer: layer, feature: number)
  }

  /// Notes that the line or feature `number` is bad.
  mutating func reject(_ number: Int64, _ message: @autoclosure () -> String) {
    rejected.add(place(number), message())
  }

  /// Notes something about the line or feature `number` that does not keep it from being read.
  mutating func warn(_ number: Int64, _ message: @autoclosure () -> String) {
    warnings.add(place(number), message())
  }

  /// Notes something about the whole file or layer.
  mutating func warn(_ message: @autoclosure () -> String) {
    warnings.add(Diagnostic.Place(path: path, layer: layer), message())
  }

  /// Adds a circle whose centre and radius have been found valid.
  @inline(__always)
  mutating func addCircle(
    _ identifier: UnsafeBufferPointer<UInt8>, center: Coordinate, radius: Meters, number: Int64
  ) throws {
    guard unsafe admit(identifier, number) else { return }
    do {
      try unsafe set.appendCircle(identifier: identifier, center: center, radius: radius)
    } catch {
      throw FormatError.library(place(number), message: "\(error)")
    }
    numbers.append(number)
  }

  /// Adds a polygon.
  mutating func addPolygon(
    _ identifier: UnsafeBufferPointer<UInt8>, _ polygon: Polygon, number: Int64
  ) throws {
    guard unsafe admit(identifier, number) else { return }
    do {
      try set.append(
        Region(identifier: unsafe String(decoding: identifier, as: UTF8.self), polygon: polygon))
    } catch {
      throw FormatError.library(place(number), message: "\(error)")
    }
    numbers.append(number)
  }

  /// Whether `identifier` is fit to be one and new; the row is rejected otherwise.
  @inline(__always)
  private mutating func admit(_ identifier: UnsafeBufferPointer<UInt8>, _ number: Int64) -> Bool {
    guard identifier.count > 0 else {
      reject(number, "the identifier is empty")
      return false
    }
    guard unsafe TextCheck.isUTF8(identifier) else {
      reject(number, "the identifier is not valid UTF-8: \(unsafe TextCheck.shown(identifier))")
      return false
    }
    let earlier = unsafe table.insert(identifier) { ordinal in
      unsafe Self.isSame(identifier, set.identifierBytes, set.identifierEnds, ordinal)
    }
    if let first = earlier {
      let earlierNumber = numbers[first]
      let kind = numbersAreLines ? "line" : "feature"
      let origin = assumedField.map { " (taken from \"\($0)\"; another field can be named)" } ?? ""
      reject(
        number,
        "the identifier \(unsafe TextCheck.shown(identifier)) is already that of \(kind) \(earlierNumber)"
          + origin)
      return false
    }
    return true
  }

  @inline(never)
  private static func isSame(
    _ identifier: UnsafeBufferPointer<UInt8>, _ bytes: [UInt8], _ ends: [UInt32], _ ordinal: Int
  ) -> Bool {
    let start = ordinal == 0 ? 0 : Int(ends[ordinal - 1])
    return unsafe bytes[start..<Int(ends[ordinal])].elementsEqual(identifier)
  }

  /// What was read.
  ///
  /// - Throws: ``FormatError/invalidRows(path:first:count:)`` when there were bad rows and they were not to be
  ///   skipped.
  consuming func finish() throws -> RegionReading {
    if rejected.count > 0, !skipInvalid {
      throw FormatError.invalidRows(path: path, first: rejected.first, count: rejected.count)
    }
    var reading = RegionReading()
    reading.set = set
    reading.warnings = warnings.first
    reading.warningCount = warnings.count
    reading.skipped = rejected.first
    reading.skippedCount = rejected.count
    return reading
  }
}
