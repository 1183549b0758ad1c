internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon
internal import VicinityText

/// Gathers the regions or points of one file or layer, with what is wrong with them.
///
/// Identifiers of regions may not repeat, unless their polygons are to be merged. Those of points may, with a
/// warning. Whether bad rows are an error is decided at the end.
struct FeatureCollector {
  /// Whether regions are gathered; points otherwise.
  let takesRegions: Bool
  /// The field that identifiers come from, where the caller did not choose it.
  var assumedField: String?
  /// What helps where identifiers are not UTF-8, if anything.
  var encodingRemedy: String?

  private var set = RegionSet()
  private var points = PointSet()
  /// Where points go batch by batch, if they are not kept.
  private let sink: PointSink?
  private var deliveredCount = 0
  private var seen = SeenIdentifiers()
  private var repeatedPoints = RepeatedPoints()
  /// Regions whose polygons may yet get more parts; `nil` unless they are to be merged.
  private var merger: RegionMerger?
  /// What bad rows have taken from regions that have other rows; `nil` unless polygons are merged.
  private var lost: LostParts?
  /// The line or feature number of each region, to name the first of two with one identifier.
  private var numbers = RowNumbers()
  private var warnings: DiagnosticList
  private var rejected: DiagnosticList
  private var notes: DiagnosticList
  private let skipInvalid: Bool
  private let maximumDiagnostics: Int
  private let path: String
  /// The layer that is read now; nil for text.
  var layer: String? { didSet { if layer != oldValue { layerStarts.append((numbers.count, layer)) } } }
  /// Where the regions of each further layer begin.
  private var layerStarts: [(ordinal: Int, layer: String?)] = []
  private let firstLayer: String?

  /// A collector for the file at `path`; its places are lines when `layer` is nil, features otherwise.
  init(path: String, layer: String?, takesRegions: Bool, options: ReadingOptions, sink: PointSink? = nil) {
    self.path = path
    self.sink = sink
    self.layer = layer
    firstLayer = layer
    self.takesRegions = takesRegions
    skipInvalid = options.skipInvalid
    maximumDiagnostics = options.maximumDiagnostics
    if takesRegions, options.mergesIdentifiers {
      merger = RegionMerger(strict: options.strict)
      lost = LostParts()
    }
    notes = DiagnosticList(maximum: options.maximumDiagnostics)
    warnings = DiagnosticList(maximum: options.maximumDiagnostics)
    rejected = DiagnosticList(maximum: options.maximumRejected)
  }

  func place(_ number: Int64) -> Diagnostic.Place {
    layer == nil
      ? Diagnostic.Place(path: path, line: Int(number))
      : Diagnostic.Place(path: path, layer: layer, feature: number)
  }

  /// Notes that the line or feature `number` is bad, and that nothing says of which region it is.
  mutating func reject(_ number: Int64, _ fault: @autoclosure () -> RowFault) {
    lost?.add(nil)
    rejected.add(place(number), fault())
  }

  /// Notes that the line or feature `number`, which has this identifier, is bad.
  mutating func reject(
    _ number: Int64, of identifier: UnsafeBufferPointer<UInt8>, _ fault: @autoclosure () -> RowFault
  ) {
    if lost != nil {
      let isName = unsafe identifier.count > 0 && TextCheck.isUTF8(identifier)
      lost?.add(isName ? unsafe String(decoding: identifier, as: UTF8.self) : nil)
    }
    rejected.add(place(number), fault())
  }

  /// Notes that something of the whole file or layer is bad.
  mutating func reject(_ message: String) {
    rejected.add(Diagnostic.Place(path: path, layer: layer), RowFault(message))
  }

  /// Notes something about the line or feature `number` that does not keep it from being read.
  mutating func warn(_ number: Int64, _ message: @autoclosure () -> String) {
    warnings.add(place(number), RowFault(message()))
  }

  /// Notes something about the whole file or layer.
  mutating func warn(_ fault: RowFault) {
    warnings.add(Diagnostic.Place(path: path, layer: layer), fault)
  }

  /// Notes which column or field was taken, if there is something to tell.
  mutating func note(_ message: String?) {
    if let message { notes.add(Diagnostic.Place(path: path, layer: layer), RowFault(message)) }
  }

  /// Adds a point, or a circle around it, both found valid; rejects it if `identifier` cannot be one.
  @inline(__always)
  mutating func add(
    _ identifier: UnsafeBufferPointer<UInt8>, _ center: Coordinate, radius: Meters, number: Int64
  ) throws {
    guard unsafe admit(identifier, number) else { return }
    guard takesRegions else {
      unsafe points.identifiers.append(String(decoding: identifier, as: UTF8.self))
      points.coordinates.append(center)
      if let sink, points.coordinates.count >= sink.batchSize { try deliver(to: sink) }
      return
    }
    numbers.append(number)
    if merger != nil {
      unsafe merger?.add(identifier, .circle(center: center, radius: radius))
      return
    }
    do {
      try unsafe set.appendCircle(identifier: identifier, center: center, radius: radius)
    } catch {
      throw FormatError.library(place(number), message: "\(error)")
    }
  }

  /// Adds a polygon; rejects it if `identifier` cannot be one.
  ///
  /// - Parameter rings: What the polygon was made of.
  mutating func add(
    _ identifier: UnsafeBufferPointer<UInt8>, _ polygon: Polygon, rings: FileRings, number: Int64
  ) throws {
    guard unsafe admit(identifier, number, rings: rings) else { return }
    numbers.append(number)
    if merger != nil {
      unsafe merger?.add(identifier, .polygon(polygon, rings: [rings]))
      return
    }
    do {
      try set.append(
        Region(identifier: unsafe String(decoding: identifier, as: UTF8.self), polygon: polygon))
    } catch {
      throw FormatError.library(place(number), message: "\(error)")
    }
  }

  /// Whether `identifier` is valid and, for regions, new; rejects the row otherwise, or merges it.
  @inline(__always)
  private mutating func admit(
    _ identifier: UnsafeBufferPointer<UInt8>, _ number: Int64, rings: FileRings? = nil
  ) -> Bool {
    guard identifier.count > 0 else {
      let origin = self.origin
      reject(number, "the identifier is empty\(origin)")
      return false
    }
    guard unsafe TextCheck.isUTF8(identifier) else {
      let remedy = encodingRemedy.map { "; \($0)" } ?? ""
      reject(number, "the identifier is not valid UTF-8: \(unsafe TextCheck.shown(identifier))\(remedy)")
      return false
    }
    guard takesRegions else {
      unsafe repeatedPoints.add(identifier, number)
      return true
    }
    let earlier = unsafe seen.insert(identifier) { ordinal in
      if let merger { return unsafe merger.isSame(identifier, ordinal) }
      return unsafe Self.isSame(identifier, set.identifierBytes, set.identifierEnds, ordinal)
    }
    guard let earlier else { return true }
    if merger?.merge(rings, into: earlier) == true { return false }
    let kind = layer == nil ? "line" : "feature"
    let origin = self.origin
    let first = numbers[earlier]
    let earlierLayer = layerStarts.last { $0.ordinal <= earlier }?.layer ?? firstLayer
    let place = earlierLayer == layer ? "" : " of layer \"\(earlierLayer ?? "")\""
    let circles = merger == nil ? "" : ", and circles cannot be merged"
    unsafe reject(
      number, of: identifier,
      RowFault(
        "the identifier \(unsafe TextCheck.shown(identifier)) is already that of \(kind) \(first)\(place)\(origin)\(circles)",
        cure: .identifier))
    return false
  }

  /// Where identifiers come from, in words, if the caller did not choose.
  private var origin: String {
    assumedField.map { " (taken from \"\($0)\"; another field can be named)" } ?? ""
  }

  @inline(never)
  private static func isSame(
    _ identifier: UnsafeBufferPointer<UInt8>, _ bytes: [UInt8], _ ends: [UInt32], _ ordinal: Int
  ) -> Bool {
    let start = ordinal == 0 ? 0 : Int(ends[ordinal - 1])
    return unsafe bytes[start..<Int(ends[ordinal])].elementsEqual(identifier)
  }

  /// The regions that were read.
  ///
  /// - Throws: `FormatError/invalidRows(path:first:count:)` for bad rows that were not to be skipped;
  ///   `FormatError/nothingRead(path:what:first:count:)` where nothing is left.
  mutating func regions() throws -> Reading<RegionSet> {
    if let merger {
      note(merger.note)
      var made: [(identifier: String, rows: Int)] = []
      let lost = self.lost
      self.lost = nil
      for (ordinal, result) in merger.results().enumerated() {
        switch result {
        case .value(let region):
          do { try set.append(region) } catch {
            throw FormatError.library(place(numbers[ordinal]), message: "\(error)")
          }
          made.append((region.identifier, merger.rowCount(of: ordinal)))
        case .fault(let fault): reject(numbers[ordinal], fault)
        }
      }
      // However many other warnings there are.
      if skipInvalid, let warning = lost?.warning(made) {
        warnings.keep(Diagnostic(place: Diagnostic.Place(path: path), message: warning))
      }
    }
    return try reading(set, count: set.count)
  }

  /// The points that were read.
  ///
  /// - Throws: `FormatError/invalidRows(path:first:count:)` for bad rows that were not to be skipped;
  ///   `FormatError/nothingRead(path:what:first:count:)` where nothing is left.
  mutating func pointSet() throws(FormatError) -> Reading<PointSet> {
    warnOfRepeats()
    return try reading(points, count: points.coordinates.count)
  }

  /// Hands over the last points.
  ///
  /// - Returns: How many there were in all.
  /// - Throws: As for ``pointSet()``; what the sink throws.
  mutating func finishPoints() throws -> Reading<Int> {
    warnOfRepeats()
    try checkRejected()
    if let sink, !points.coordinates.isEmpty { try deliver(to: sink) }
    return try reading(deliveredCount, count: deliveredCount)
  }

  private mutating func warnOfRepeats() {
    if let warning = repeatedPoints.warning { warn(warning.number, warning.message) }
  }

  /// Hands over the points that have been gathered. After a bad row that was not to be skipped there is
  /// nothing to do but to count the others.
  private mutating func deliver(to sink: PointSink) throws {
    if skipInvalid || rejected.isEmpty {
      try sink.body(points)
      deliveredCount += points.coordinates.count
    }
    points.identifiers.removeAll(keepingCapacity: true)
    points.coordinates.removeAll(keepingCapacity: true)
  }

  private func checkRejected() throws(FormatError) {
    guard skipInvalid || rejected.isEmpty else {
      throw .invalidRows(path: path, first: firstRejected, count: rejected.count)
    }
  }

  private var firstRejected: [Diagnostic] { Array(rejected.examples.prefix(maximumDiagnostics)) }

  /// - Parameter count: How many regions or points `content` has.
  private func reading<Content>(_ content: Content, count: Int) throws(FormatError) -> Reading<Content> {
    try checkRejected()
    guard count > 0 || rejected.isEmpty else {
      throw .nothingRead(
        path: path, what: takesRegions ? "region" : "point", first: firstRejected, count: rejected.count)
    }
    return Reading(content: content, warnings: warnings, skipped: rejected, notes: notes)
  }
}

extension FeatureCollector {
  /// Reads the file at `path`, or standard input if that is `-`.
  ///
  /// - Throws: `FormatError`; `CancellationError`.
  static func read(
    _ path: String, takesRegions: Bool, options: ReadingOptions, sink: PointSink? = nil
  ) throws -> FeatureCollector {
    try options.check()
    let source = try ByteSource(path)
    var reader = BlockReader(source, blockByteCount: CSVRecords.blockByteCount)
    switch try InputKind.sniff(&reader, tracks: false) {
    case .csv: return try CSVFeatures.read(reader, takesRegions: takesRegions, options: options, sink: sink)
    case .jsonLines:
      return try JSONFeatures.read(reader, takesRegions: takesRegions, options: options, sink: sink)
    default:
      return try OGRFeatures.read(source, takesRegions: takesRegions, options: options, sink: sink)
    }
  }
}

/// Takes points while they are read.
struct PointSink {
  /// How many points each batch but the last has.
  var batchSize: Int
  var body: (PointSet) throws -> Void
}
