internal import VicinityGeodesy

/// Gathers points from one file or layer, as ``RegionCollector`` gathers regions; identifiers may repeat.
struct PointCollector {
  private var reading = PointReading()
  private var warnings: DiagnosticLog
  private var rejected: DiagnosticLog
  private let skipInvalid: Bool
  private let path: String
  private let layer: String?

  /// A collector for the file at `path`; its places are lines when `layer` is nil, features otherwise.
  init(path: String, layer: String?, options: PointReader.Options) {
    self.path = path
    self.layer = layer
    skipInvalid = options.skipInvalid
    warnings = DiagnosticLog(maximum: options.maximumDiagnostics)
    rejected = DiagnosticLog(maximum: options.maximumDiagnostics)
  }

  /// The place of line or feature `number`.
  func place(_ number: Int64) -> Diagnostic.Place {
    layer == nil
      ? Diagnostic.Place(path: path, line: Int(number))
      : Diagnostic.Place(path: path, layer: layer, feature: number)
  }

  /// Notes that the line or feature `number` is bad.
  mutating func reject(_ number: Int64, _ message: @autoclosure () -> String) {
    rejected.add(place(number), message())
  }

  /// Notes something about the whole file or layer.
  mutating func warn(_ message: @autoclosure () -> String) {
    warnings.add(Diagnostic.Place(path: path, layer: layer), message())
  }

  /// Adds a point that has been found valid, if `identifier` is fit to be one.
  mutating func add(
    _ identifier: UnsafeBufferPointer<UInt8>, _ coordinate: Coordinate, number: Int64
  ) {
    guard identifier.count > 0 else { return reject(number, "the identifier is empty") }
    guard let text = unsafe String(validating: identifier, as: UTF8.self) else {
      return reject(
        number, "the identifier is not valid UTF-8: \(unsafe TextCheck.shown(identifier))")
    }
    add(text, coordinate)
  }

  /// Adds a point that has been found valid.
  mutating func add(_ identifier: String, _ coordinate: Coordinate) {
    reading.identifiers.append(identifier)
    reading.coordinates.append(coordinate)
  }

  /// What was read.
  ///
  /// - Throws: ``FormatError/invalidRows(path:first:count:)`` when there were bad rows and they were not to be
  ///   skipped.
  consuming func finish() throws -> PointReading {
    if rejected.count > 0, !skipInvalid {
      throw FormatError.invalidRows(path: path, first: rejected.first, count: rejected.count)
    }
    var result = reading
    result.warnings = warnings.first
    result.warningCount = warnings.count
    result.skipped = rejected.first
    result.skippedCount = rejected.count
    return result
  }
}
