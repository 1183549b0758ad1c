internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityText

/// Reads tracks from a stream: which rows are which device's, and the fixes in them.
final class ArrowTracks {
  /// How tracks are read, as the options say.
  struct Reading {
    var device: String?
    var sorts: Bool
    var takesNaive: Bool
    /// The latest time that a fix may have.
    var notAfter: Timestamp
    /// What times that are numbers count; nil where the column's name says.
    var unit: TimeUnit?
    var skipsBadRows: Bool

    init(_ options: inout Options) throws(Failure) {
      device = options.text("device")
      sorts = try options.flag("sort") ?? false
      let naive = options.text("naive-times")
      guard naive == nil || naive == "utc" else {
        throw .argument("option naive-times: utc is expected, not \((naive ?? "").debugDescription)")
      }
      takesNaive = naive != nil
      let latest = try options.number("not-after")
      guard let bound = latest.map({ Timestamp(seconds: $0) }) ?? .distantFuture else {
        throw .argument("option not-after: seconds since 1970 are expected, not \(latest ?? .nan)")
      }
      notAfter = bound
      skipsBadRows = try BadRows.areSkipped(&options)
      unit = try options.text("time-unit").map { name throws(Failure) in
        guard let unit = TimeUnit(name: name) else {
          let known = TimeUnit.allCases.map(\.rawValue).joined(separator: ", ")
          throw .argument("option time-unit: one of \(known) is expected, not \(name.debugDescription)")
        }
        return unit
      }
    }
  }

  /// Some batches, and the runs of their rows.
  struct Wave: Sendable {
    var batches: [ArrowTrackBatch] = []
    /// In the order of rows.
    var runs: [FleetRun] = []
    var rowCount = 0
  }

  private let input: ArrowInput
  private let columns: TrackColumns
  private let threads: Int
  private let bad: BadRows
  /// What to tell people where other columns could hold the same as those that are read.
  var choices: [Note] { columns.choices }
  /// The devices' names, in the order of their first rows.
  private(set) var devices: DeviceNames

  /// So many rows at least are read before work begins on them: enough for all threads.
  private static let rowsPerWave = 1 << 18

  init(
    _ input: ArrowInput, _ reading: Reading, _ names: [String: String], _ bad: BadRows,
    devices: DeviceNames, threads: Int
  ) throws(Failure) {
    self.input = input
    self.bad = bad
    self.threads = threads
    self.devices = devices
    columns = try TrackColumns(input.fields, reading, names)
  }

  /// The next batches; nil at the end.
  ///
  /// - Parameter wholly: Whether to read all that there is.
  func next(wholly: Bool = false, _ control: Control) throws(Failure) -> Wave? {
    var wave = Wave()
    while wholly || wave.rowCount < Self.rowsPerWave, let batch = try input.next() {
      wave.rowCount += batch.count
      if batch.count > 0 { wave.batches.append(try ArrowTrackBatch(batch, columns)) }
      // Of waves that follow each other, what is done are those before.
      try control.report(wholly ? input.rowCount : input.rowCount - wave.rowCount)
    }
    guard wave.rowCount > 0 else { return nil }
    try findRuns(&wave)
    return wave
  }

  /// The runs of a wave in pieces of so many rows at most, in the order of rows: one batch may hold all that
  /// there is.
  static func slices(of wave: Wave) -> [(runs: [FleetRun], rowCount: Int)] {
    var slices: [(runs: [FleetRun], rowCount: Int)] = []
    var (runs, count) = ([FleetRun](), 0)
    for run in wave.runs {
      var start = run.range.lowerBound
      while start < run.range.upperBound {
        let end = min(run.range.upperBound, start + rowsPerWave - count)
        runs.append(FleetRun(device: run.device, batch: run.batch, range: start..<end))
        count += end - start
        start = end
        if count == rowsPerWave {
          slices.append((runs, count))
          (runs, count) = ([], 0)
        }
      }
    }
    if count > 0 { slices.append((runs, count)) }
    return slices
  }

  /// Which rows are which device's: found in pieces on all threads, with numbers of the piece's own, then
  /// joined.
  private func findRuns(_ wave: inout Wave) throws(Failure) {
    let batches = wave.batches
    let size = 1 << 15
    var pieces: [(batch: Int, range: Range<Int>)] = []
    for (number, batch) in batches.enumerated() {
      for start in stride(from: 0, to: batch.count, by: size) {
        pieces.append((number, start..<min(batch.count, start + size)))
      }
    }
    let parts = pieces
    let bad = bad
    let found = try Parallel.map(parts.count, threads: threads) { i throws(Failure) in
      try batches[parts[i].batch].runs(in: parts[i].range, bad)
    }
    for (piece, part) in zip(pieces, found) {
      let numbers = devices.merge(part.names)
      for run in part.runs {
        let device = Int(numbers[run.device])
        if let last = wave.runs.last, last.device == device, last.batch == piece.batch,
          last.range.upperBound == run.range.lowerBound
        {
          wave.runs[wave.runs.count - 1] = FleetRun(
            device: device, batch: piece.batch, range: last.range.lowerBound..<run.range.upperBound)
        } else {
          wave.runs.append(FleetRun(device: device, batch: piece.batch, range: run.range))
        }
      }
    }
  }
}

/// Which columns of a stream hold what of tracks.
struct TrackColumns: Sendable {
  let device: Int?
  /// The one device's name, where no column says.
  let deviceName: String
  let time: Int
  let times: ArrowTime
  let notAfter: Timestamp
  /// Whether the fixes of a call are put in the order of time.
  let areSorted: Bool
  let places: PlaceColumns
  let accuracy: Int?
  let speed: Int?
  let course: Int?
  /// What to tell people where other columns could hold the same.
  let choices: [Note]

  static let options = [
    "device-column", "time-column", "latitude-column", "longitude-column", "geometry-column",
    "accuracy-column", "speed-column", "course-column",
  ]

  /// - Parameter names: The columns' names, by option, where they are given.
  init(_ fields: [ArrowField], _ reading: ArrowTracks.Reading, _ names: [String: String]) throws(Failure) {
    let columns = Columns(fields)
    var options = Options(names)
    if let name = reading.device {
      (device, deviceName) = (nil, name)
    } else {
      guard let column = try columns.name(columns.find("device-column", Columns.device, &options)) else {
        throw .schema(
          Columns.device[0],
          "there is no such column; \(columns.found); \(Columns.cure("device-column")), and where all rows are "
            + "one device's, the option device names it")
      }
      (device, deviceName) = (column, "")
    }
    time = try columns.needed("time-column", Columns.time + Columns.timeInMilliseconds, &options)
    times = try ArrowTime(fields[time], reading.unit, takesNaive: reading.takesNaive)
    notAfter = reading.notAfter
    areSorted = reading.sorts
    places = try PlaceColumns(columns, &options)
    accuracy = try columns.optionalNumber(columns.find("accuracy-column", Columns.accuracy, &options))
    speed = try columns.optionalNumber(columns.find("speed-column", Columns.speed, &options))
    course = try columns.optionalNumber(columns.find("course-column", Columns.course, &options))
    let ofDevices = columns.choices(
      [("device-column", "devices", device, FieldNames.plainDevice)], &options)
    let others = columns.choices(
      [("time-column", "times", time, Columns.time + Columns.timeInMilliseconds)], &options)
    choices =
      (ofDevices.isEmpty ? columns.oddDevices(device, &options) : ofDevices) + others
      + places.choices(columns, &options)
      + (options.text("accuracy-column") == nil ? columns.unreadAccuracies : [])
  }
}

/// A batch of fixes, column by column.
struct ArrowTrackBatch: Sendable {
  let count: Int
  let firstRow: Int
  private let columns: TrackColumns
  private let device: NameColumn?
  let time: ArrowColumn
  private let places: PlaceBatch
  private let accuracy: ArrowColumn?
  private let speed: ArrowColumn?
  private let course: ArrowColumn?

  init(_ batch: ArrowBatch, _ columns: TrackColumns) throws(Failure) {
    func column(_ i: Int?) throws(Failure) -> ArrowColumn? {
      guard let i else { return nil }
      return try batch.column(i)
    }
    (count, firstRow, self.columns) = (batch.count, batch.firstRow, columns)
    device = try column(columns.device).map(NameColumn.init)
    time = try batch.column(columns.time)
    places = try columns.places.columns(of: batch)
    accuracy = try column(columns.accuracy)
    speed = try column(columns.speed)
    course = try column(columns.course)
  }

  /// The runs of a range's rows, with numbers that `names` has. Bad rows that are skipped are in none.
  func runs(
    in range: Range<Int>, _ bad: BadRows
  ) throws(Failure) -> (names: DeviceNames, runs: [(device: Int, range: Range<Int>)]) {
    var (fixes, scratch) = ([Fix](), TrackScratch())
    let good = try bad.goodRanges(of: range, firstRow: firstRow) { part throws(Failure) in
      try device?.check(part)
      try read(part, into: &fixes, &scratch)
    }
    var names = DeviceNames()
    var runs: [(device: Int, range: Range<Int>)] = []
    for part in good { try appendRuns(in: part, to: &runs, &names) }
    return (names, runs)
  }

  private func appendRuns(
    in range: Range<Int>, to runs: inout [(device: Int, range: Range<Int>)], _ names: inout DeviceNames
  ) throws(Failure) {
    guard let device else {
      runs.append((names.insert(columns.deviceName), range))
      return
    }
    try device.column.check(range)
    try device.column.checkNotNull(range)
    var i = range.lowerBound
    while i < range.upperBound {
      let end = device.column.endOfRun(i, before: range.upperBound)
      let number: Int
      if device.isText {
        let bytes = unsafe device.column.text(i)
        if unsafe bytes.isEmpty { throw device.column.fault(i, "empty") }
        let known = names.count
        number = unsafe names.insert(bytes.assumingMemoryBound(to: UInt8.self))
        if names.count > known, unsafe !UTF8Check.isValid(bytes) { throw device.column.fault(i, "not UTF-8") }
      } else {
        number = names.insert(device.text(i))
      }
      runs.append((number, i..<end))
      i = end
    }
  }

  /// Replaces `fixes` by those of a range's rows.
  ///
  /// - Throws: ``Failure`` for the first row without a time or a place.
  func read(_ range: Range<Int>, into fixes: inout [Fix], _ scratch: inout TrackScratch) throws(Failure) {
    try time.check(range)
    try time.checkNotNull(range)
    try places.check(range)
    fixes.removeAll(keepingCapacity: true)
    let size = range.count
    scratch.reserve(size)
    switch places {
    case .degrees(let latitude, let longitude):
      scratch.read(latitude, range, 0)
      scratch.read(longitude, range, 1)
    case .geometry: scratch.set(try places.coordinates(range))
    }
    if let accuracy { try scratch.readOptional(accuracy, range, 2, none: 0) }
    if let speed { try scratch.readOptional(speed, range, 3, none: -1) }
    if let course { try scratch.readOptional(course, range, 4, none: -1) }
    try columns.times.copy(time, range, to: &scratch.times)
    let (allNumbers, allTimes) = (scratch.numbers[...], scratch.times[...])
    let (numbers, times) = (allNumbers.span, allTimes.span)
    let stride = scratch.size
    let hasMore = accuracy != nil || speed != nil || course != nil
    var remarks = ValueRemarks()
    for k in 0..<size {
      let place = Coordinate(latitude: numbers[k], longitude: numbers[stride + k])
      // AIS's words for no position: such a fix counts as one of negative accuracy does.
      let isNoPosition = OptionalMeasurement.isNoPosition(place)
      if !CoordinateLimits.contains(place), !isNoPosition {
        throw places.fault(place, range.lowerBound + k)
      }
      var fix = Fix(time: Timestamp(microseconds: times[k]), coordinate: place)
      if fix.time > columns.notAfter {
        throw time.fault(
          range.lowerBound + k, "the time \(fix.time) is later than the latest allowed, \(columns.notAfter)")
      }
      if hasMore {
        // What stands for "not available" costs no row, as in files.
        if let accuracy {
          let value = numbers[2 * stride + k]
          if value.isInfinite {
            throw accuracy.fault(range.lowerBound + k, "\(accuracy.name) \(value) is not finite")
          }
          fix.horizontalAccuracy = value.isNaN ? 0 : value
        }
        if speed != nil {
          switch OptionalMeasurement.speed(numbers[3 * stride + k]) {
          case .known(let value): fix.speed = value
          case .outOfRange: remarks.badSpeeds += 1
          case .unknown: break
          }
        }
        if course != nil {
          switch OptionalMeasurement.course(numbers[4 * stride + k]) {
          case .known(let value): fix.course = value
          case .outOfRange: remarks.badCourses += 1
          case .unknown: break
          }
        }
      }
      if isNoPosition {
        fix.horizontalAccuracy = -1
        remarks.noPositions += 1
      }
      fixes.append(fix)
    }
    scratch.remarks += remarks
  }

  /// The times of a range's rows, microseconds, in the scratch; false where some cannot be read.
  func readTimes(_ range: Range<Int>, _ scratch: inout TrackScratch) -> Bool {
    do throws(Failure) {
      try time.check(range)
      try time.checkNotNull(range)
      try columns.times.copy(time, range, to: &scratch.times)
      return true
    } catch { return false }
  }

  /// What is wrong with a fix that was refused, in its row and the column that is to blame.
  ///
  /// - Parameter lastBefore: When the device was last seen in earlier batches; `nil` where there are none. No
  ///   sorting mends what contradicts that fix.
  func failure(
    _ row: Int, _ reason: RefusedFix.Reason, _ fix: Fix, _ device: String, lastBefore: Timestamp?
  ) -> Failure {
    let last: Timestamp? =
      switch reason {
      case .order(.backwards(let last)), .track(.timeBackwards(_, let last)): last
      default: nil
      }
    let cure =
      columns.areSorted || last != nil && last == lastBefore
      ? "; an earlier batch had that later fix" : "; the option sort puts each device's fixes in order"
    switch reason {
    case .order(let verdict):
      let words = verdict.words(fix, device: device.debugDescription) ?? ""
      return time.fault(row, words.hasPrefix("time runs backwards") ? words + cure : words)
    case .track(let error):
      switch error {
      case .timeBackwards: return time.fault(row, error.description + cure)
      case .twoPlaces: return time.fault(row, error.description)
      case .invalidCoordinate: return places.first.fault(row, error.description)
      case .invalidAccuracy: return (accuracy ?? places.first).fault(row, error.description)
      }
    }
  }
}

/// Numbers of a stretch of rows, column after column.
struct TrackScratch {
  private(set) var numbers: [Double] = []
  /// Microseconds since 1970.
  var times: [Int64] = []
  /// Values that were left out of all fixes that were read so far.
  var remarks = ValueRemarks()
  private(set) var size = 0

  mutating func reserve(_ count: Int) {
    guard count > size else { return }
    size = count
    numbers = [Double](repeating: 0, count: 5 * count)
  }

  /// Takes latitudes and longitudes, in the place of the first two columns.
  mutating func set(_ coordinates: [Coordinate]) {
    for (k, coordinate) in coordinates.enumerated() {
      numbers[k] = coordinate.latitude
      numbers[size + k] = coordinate.longitude
    }
  }

  mutating func read(_ column: ArrowColumn, _ range: Range<Int>, _ place: Int) {
    let start = place * size
    unsafe numbers.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress { unsafe column.copy(range, to: base + start) }
    }
  }

  /// The same for a column that may have nulls, which count as `none`.
  mutating func readOptional(
    _ column: ArrowColumn, _ range: Range<Int>, _ place: Int, none: Double
  ) throws(Failure) {
    try column.check(range)
    read(column, range, place)
    for (k, i) in range.enumerated() where column.isNull(i) { numbers[place * size + k] = none }
  }
}
