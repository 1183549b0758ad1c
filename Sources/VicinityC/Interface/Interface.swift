// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CVicinity
internal import VicinityGeodesy
internal import VicinityIndex

// The functions of vicinity.h, in its order; what each does stands there. The compiler holds them to the
// header.

private let version = StaticString("0.1.0")

@c @implementation
public func vicinity_abi_version() -> Int32 { VICINITY_ABI_VERSION }

@c @implementation
public func vicinity_version() -> UnsafePointer<CChar>? {
  // SAFETY: a static string ends in a zero and is never freed.
  unsafe UnsafeRawPointer(version.utf8Start).assumingMemoryBound(to: CChar.self)
}

@c @implementation
public func vicinity_column_names(
  _ names: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let rows = Columns.byMeaning.flatMap { entry in entry.names.map { (entry.meaning, $0) } }
    let table = ResultTable(
      .other, [OutputField(name: "meaning", format: "u"), OutputField(name: "name", format: "u")],
      [.batch(rows.count, [try .texts(rows.map(\.0)), try .texts(rows.map(\.1))])])
    try unsafe given(names, "names").pointee = Handle.pass(table)
  }
}

// MARK: Streams and tables

@c @implementation
public func vicinity_table_row_count(_ table: OpaquePointer?) -> Int64 {
  unsafe (try? Handle.get(table, as: ResultTable.self, "table")).map { Int64($0.rowCount) } ?? 0
}

@c @implementation
public func vicinity_table_distance_error(_ table: OpaquePointer?) -> Double {
  unsafe (try? Handle.get(table, as: ResultTable.self, "table"))?.distanceError ?? 0
}

@c @implementation
public func vicinity_table_stream(
  _ table: OpaquePointer?, _ stream: UnsafeMutablePointer<ArrowArrayStream>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let table = try unsafe Handle.get(table, as: ResultTable.self, "table")
    try unsafe ArrowExport.write(table, to: given(stream, "stream"))
  }
}

@c @implementation
public func vicinity_table_csv(
  _ table: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ control: UnsafePointer<vicinity_control>?,
  _ text: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let table = try unsafe Handle.get(table, as: ResultTable.self, "table")
    var options = try unsafe Options(options)
    let decimals = try options.integer("precision", in: 0...15) ?? 3
    try options.finish()
    let pieces = try unsafe TableText.csv(table, decimals: decimals, Control(control))
    let result = ResultTable(
      .other, [OutputField(name: "text", format: "Z")], [.batch(1, [.binary(pieces)])])
    try unsafe given(text, "text").pointee = Handle.pass(result)
  }
}

@c @implementation
public func vicinity_table_note_count(_ table: OpaquePointer?) -> Int64 {
  unsafe (try? Handle.get(table, as: ResultTable.self, "table")).map { Int64($0.notes.count) } ?? 0
}

@c @implementation
public func vicinity_table_notes(
  _ table: OpaquePointer?, _ notes: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let found = try unsafe Handle.get(table, as: ResultTable.self, "table").notes
    try unsafe given(notes, "notes").pointee = Handle.pass(try noteTable(found))
  }
}

@c @implementation
public func vicinity_table_rejects(
  _ table: OpaquePointer?, _ rows: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let bad = try unsafe Handle.get(table, as: ResultTable.self, "table").bad
    try unsafe given(rows, "rows").pointee = Handle.pass(try bad.table())
  }
}

private func noteTable(_ notes: [Note]) throws(Failure) -> ResultTable {
  ResultTable(
    .other, [OutputField(name: "text", format: "u"), OutputField(name: "kind", format: "u")],
    [.batch(notes.count, [try .texts(notes.map(\.text)), try .texts(notes.map(\.kind.rawValue))])])
}

@c @implementation
public func vicinity_table_release(_ table: OpaquePointer?) { unsafe Handle.release(table) }

@c @implementation
public func vicinity_stream_allocate() -> UnsafeMutablePointer<ArrowArrayStream>? {
  let stream = UnsafeMutablePointer<ArrowArrayStream>.allocate(capacity: 1)
  unsafe stream.initialize(to: ArrowArrayStream())
  return unsafe stream
}

@c @implementation
public func vicinity_stream_free(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) {
  guard let stream = unsafe stream else { return }
  if let release = unsafe stream.pointee.release { unsafe release(stream) }
  unsafe stream.deallocate()
}

@c @implementation
public func vicinity_stream_of_array(
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?,
  _ stream: UnsafeMutablePointer<ArrowArrayStream>?, _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let (schema, array) = try unsafe (given(schema, "schema"), given(array, "array"))
    try unsafe ArrowExport.write(schema, array, to: given(stream, "stream"))
  }
}

// MARK: Indexes

@c @implementation
public func vicinity_index_from_arrow(
  _ regions: UnsafeMutablePointer<ArrowArrayStream>?, _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ index: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe vicinity_index_from_arrow_repairing(regions, options, control, nil, nil, index, error)
}

@c @implementation
public func vicinity_index_from_arrow_repairing(
  _ regions: UnsafeMutablePointer<ArrowArrayStream>?, _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ repair: vicinity_repair?,
  _ context: UnsafeMutableRawPointer?, _ index: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    try unsafe ArrowInput.take(regions) { input in
      let result = try unsafe given(index, "index")
      var options = try unsafe Options(options)
      let made = try unsafe RegionImport.index(
        input, &options, Control(control), repair: PolygonRepair(repair, context))
      unsafe result.pointee = Handle.pass(made)
    }
  }
}

@c @implementation
public func vicinity_index_notes(
  _ index: OpaquePointer?, _ notes: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let found = try unsafe Handle.get(index, as: IndexHandle.self, "index").notes
    try unsafe given(notes, "notes").pointee = Handle.pass(try noteTable(found))
  }
}

@c @implementation
public func vicinity_index_rejects(
  _ index: OpaquePointer?, _ rows: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let bad = try unsafe Handle.get(index, as: IndexHandle.self, "index").bad
    try unsafe given(rows, "rows").pointee = Handle.pass(try bad.table())
  }
}

@c @implementation
public func vicinity_index_open(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
  _ index: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let result = try unsafe given(index, "index")
    var options = try unsafe Options(options)
    let verify = options.text("verify") ?? "yes"
    try options.finish()
    let verifications: [String: RegionIndex.Verification] = [
      "yes": .checksums, "no": .structure, "contents": .contents,
    ]
    guard let verification = verifications[verify] else {
      throw Failure.argument("option verify: yes, no or contents is expected, not \(verify.debugDescription)")
    }
    let name = try unsafe filePath(path)
    do throws(IndexFormatError) {
      let opened = try RegionIndex(contentsOf: name, verifying: verification)
      unsafe result.pointee = Handle.pass(IndexHandle(opened))
    } catch {
      var failure = Failure(error)
      if case .system = error {} else { failure.reason = "\(name): \(failure.reason)" }
      throw failure
    }
  }
}

private func filePath(_ path: UnsafePointer<CChar>?) throws(Failure) -> String {
  guard let path = unsafe path else { throw .argument("path must not be NULL") }
  guard let text = unsafe String(validatingCString: path) else { throw .argument("path is not UTF-8") }
  return text
}

@c @implementation
public func vicinity_index_write(
  _ index: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    try unsafe Handle.get(index, as: IndexHandle.self, "index").index.write(to: filePath(path))
  }
}

@c @implementation
public func vicinity_index_count(_ index: OpaquePointer?) -> Int64 {
  unsafe (try? Handle.get(index, as: IndexHandle.self, "index")).map { Int64($0.index.count) } ?? 0
}

@c @implementation
public func vicinity_index_polygon_count(_ index: OpaquePointer?) -> Int64 {
  unsafe (try? Handle.get(index, as: IndexHandle.self, "index")).map { Int64($0.index.polygonCount) } ?? 0
}

@c @implementation
public func vicinity_index_byte_count(_ index: OpaquePointer?) -> Int64 {
  unsafe (try? Handle.get(index, as: IndexHandle.self, "index")).map { Int64($0.index.byteCount) } ?? 0
}

@c @implementation
public func vicinity_index_regions(
  _ index: OpaquePointer?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
    try unsafe given(table, "table").pointee = Handle.pass(RegionTable.make(index))
  }
}

@c @implementation
public func vicinity_index_release(_ index: OpaquePointer?) { unsafe Handle.release(index) }

// MARK: Queries

@c @implementation
public func vicinity_nearest(
  _ index: OpaquePointer?, _ points: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe query(index, points, options, control, table, error, Questions.nearest)
}

@c @implementation
public func vicinity_within(
  _ index: OpaquePointer?, _ points: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe query(index, points, options, control, table, error, Questions.within)
}

@c @implementation
public func vicinity_containing(
  _ index: OpaquePointer?, _ points: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe query(index, points, options, control, table, error, Questions.containing)
}

@c @implementation
public func vicinity_ask_one(
  _ index: OpaquePointer?, _ question: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
  _ options: UnsafePointer<CChar>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
    let result = try unsafe given(table, "table")
    let name = unsafe question.map { unsafe String(cString: $0) } ?? ""
    guard let asked = Questions.byName[name] else {
      throw Failure.argument(
        "question: nearest, within or containing is expected, not \(name.debugDescription)")
    }
    var options = try unsafe Options(options)
    let (what, how) = try asked(&options)
    let work = NearestWork(index: index, question: what, options: how, threads: 1)
    let point = Coordinate(latitude: latitude, longitude: longitude)
    unsafe result.pointee = Handle.pass(try work.run(point, &options))
  }
}

/// What is asked about points, as the options say.
private enum Questions {
  typealias Asked = @Sendable (inout Options) throws(Failure) -> (NearestWork.Question, QueryOptions)

  static let byName = ["nearest": nearest, "within": within, "containing": containing]

  static let nearest: Asked = { options throws(Failure) in
    var query = QueryOptions()
    try options.apply(QueryOptions.named, to: &query)
    switch options.text("count") {
    case "all": return (.within, query)
    case nil where query.maximumDistance < .infinity: return (.within, query)
    case nil: return (.nearest(20, isDefault: true), query)
    default:
      return (.nearest(try options.integer("count", in: 0...Int.max) ?? 0, isDefault: false), query)
    }
  }

  static let within: Asked = { options throws(Failure) in
    guard let distance = try options.number("distance") else {
      throw .argument("option distance is needed, metres")
    }
    return (.within, QueryOptions(maximumDistance: distance))
  }

  static let containing: Asked = { _ throws(Failure) in (.within, QueryOptions(maximumDistance: 0)) }
}

private func query(
  _ index: OpaquePointer?, _ points: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?, _ question: Questions.Asked
) -> Int32 {
  unsafe answer(error) {
    try unsafe ArrowInput.take(points) { input in
      let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
      let result = try unsafe given(table, "table")
      let control = try unsafe Control(control)
      var options = try unsafe Options(options)
      let (what, how) = try question(&options)
      let work = NearestWork(index: index, question: what, options: how, threads: control.threads)
      let found = try work.run(input, &options, control)
      unsafe result.pointee = Handle.pass(found)
    }
  }
}

// MARK: Tracks

@c @implementation
public func vicinity_events(
  _ index: OpaquePointer?, _ tracks: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    try unsafe ArrowInput.take(tracks) { input in
      let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
      let result = try unsafe given(table, "table")
      var options = try unsafe Options(options)
      let work = try FleetWork(index, FleetWork.Question(&options, goesOn: false))
      unsafe result.pointee = Handle.pass(try work.advance(input, isWhole: true, Control(control)))
    }
  }
}

@c @implementation
public func vicinity_stays(
  _ index: OpaquePointer?, _ tracks: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    try unsafe ArrowInput.take(tracks) { input in
      let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
      let result = try unsafe given(table, "table")
      var options = try unsafe Options(options)
      var question = try FleetWork.Question(&options, goesOn: false)
      question.recordsInitial = true
      let work = try FleetWork(index, question)
      unsafe result.pointee = Handle.pass(try work.stays(input, Control(control)))
    }
  }
}

@c @implementation
public func vicinity_fleet_create(
  _ index: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ fleet: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
    var options = try unsafe Options(options)
    let work = try FleetWork(index, FleetWork.Question(&options, goesOn: true))
    try unsafe given(fleet, "fleet").pointee = Handle.pass(work)
  }
}

@c @implementation
public func vicinity_fleet_restore(
  _ index: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
  _ fleet: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
    guard let bytes = unsafe bytes else { throw Failure.argument("bytes must not be NULL") }
    guard count >= 0 else { throw Failure.argument("a count of \(count)") }
    let state = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    var options = try unsafe Options(options)
    let work = try FleetWork(index, FleetWork.Question(&options, goesOn: true), snapshot: state)
    try unsafe given(fleet, "fleet").pointee = Handle.pass(work)
  }
}

@c @implementation
public func vicinity_fleet_advance(
  _ fleet: OpaquePointer?, _ tracks: UnsafeMutablePointer<ArrowArrayStream>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    try unsafe ArrowInput.take(tracks) { input in
      let work = try unsafe Handle.get(fleet, as: FleetWork.self, "fleet")
      let result = try unsafe given(table, "table")
      unsafe result.pointee = Handle.pass(try work.advance(input, isWhole: false, Control(control)))
    }
  }
}

@c @implementation
public func vicinity_fleet_device_count(_ fleet: OpaquePointer?) -> Int64 {
  unsafe (try? Handle.get(fleet, as: FleetWork.self, "fleet")).map { Int64($0.deviceCount) } ?? 0
}

@c @implementation
public func vicinity_fleet_snapshot(
  _ fleet: OpaquePointer?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    let work = try unsafe Handle.get(fleet, as: FleetWork.self, "fleet")
    let result = ResultTable(
      .other, [OutputField(name: "state", format: "Z")], [.batch(1, [.binary([try work.snapshot()])])])
    try unsafe given(table, "table").pointee = Handle.pass(result)
  }
}

@c @implementation
public func vicinity_fleet_release(_ fleet: OpaquePointer?) { unsafe Handle.release(fleet) }

@c @implementation
public func vicinity_plan(
  _ index: OpaquePointer?, _ tracks: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ table: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    try unsafe ArrowInput.take(tracks) { input in
      let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
      let result = try unsafe given(table, "table")
      var options = try unsafe Options(options, repeatable: ["pin"])
      unsafe result.pointee = Handle.pass(try PlanWork.run(index, input, &options, Control(control)))
    }
  }
}

@c @implementation
public func vicinity_compare(
  _ index: OpaquePointer?, _ tracks: UnsafeMutablePointer<ArrowArrayStream>?,
  _ options: UnsafePointer<CChar>?,
  _ control: UnsafePointer<vicinity_control>?, _ files: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<vicinity_error>?
) -> Int32 {
  unsafe answer(error) {
    try unsafe ArrowInput.take(tracks) { input in
      let index = try unsafe Handle.get(index, as: IndexHandle.self, "index").index
      let result = try unsafe given(files, "files")
      var options = try unsafe Options(options)
      unsafe result.pointee = Handle.pass(try CompareWork.run(index, input, &options, Control(control)))
    }
  }
}
