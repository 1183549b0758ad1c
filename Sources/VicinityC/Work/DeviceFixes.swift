internal import VicinityCrossings
internal import VicinityIndex

/// The fixes of one device, and the rows that they are from.
struct DeviceFixes: Sendable {
  var name: String
  var fixes: [Fix] = []
  /// The row of each fix in the stream.
  var rows: [Int] = []
  fileprivate var places: [(batch: Int, row: Int)] = []
  fileprivate var batches: [ArrowTrackBatch] = []

  /// What is wrong with a fix, in its row and the column that is to blame.
  func failure(_ i: Int, _ error: TrackError) -> Failure {
    batches[places[i].batch].failure(places[i].row, error)
  }

  /// All devices of a stream, in the order of their first rows.
  ///
  /// - Parameter sorts: Whether each device's fixes are put in the order of time.
  /// - Throws: ``Failure`` for the first row that is no fix.
  static func all(
    _ input: ArrowInput, _ reading: ArrowTracks.Reading, _ columns: [String: String], _ control: Control
  ) throws(Failure) -> [DeviceFixes] {
    let tracks = try ArrowTracks(input, reading, columns, devices: DeviceNames(), threads: control.threads)
    guard let wave = try tracks.next(wholly: true, control) else { return [] }
    var runs = [[ArrowTracks.Run]](repeating: [], count: tracks.devices.count)
    for run in wave.runs { runs[run.device].append(run) }
    let (names, all) = ((0..<tracks.devices.count).map { tracks.devices[$0] }, runs)
    return try Parallel.map(names.count, threads: control.threads) { number throws(Failure) in
      var device = DeviceFixes(name: names[number])
      device.batches = wave.batches
      var fixes: [Fix] = []
      var scratch = TrackScratch()
      for run in all[number] {
        let batch = wave.batches[run.batch]
        try batch.read(run.range, into: &fixes, &scratch)
        device.fixes += fixes
        device.rows += run.range.map { batch.firstRow + $0 }
        device.places += run.range.map { (run.batch, $0) }
      }
      if reading.sorts { device.sort() }
      try device.judge(dropsConflicts: reading.sorts)
      return device
    }
  }

  /// Leaves out the fixes that do not count, and fails for the first one that may not follow those before it
  /// or is contradicted by those after it.
  ///
  /// - Parameter dropsConflicts: Whether of several fixes at one time the first one counts, instead of being
  ///   an error.
  private mutating func judge(dropsConflicts: Bool) throws(Failure) {
    var order = TrackOrder()
    order.beginScan()
    if order.scanIsInOrder(fixes[0..<fixes.count].span, device: 0) { return }
    let verdicts = order.judge(fixes, device: 0, deciding: fixes.count).verdicts
    var kept: [Int] = []
    for (i, verdict) in verdicts.enumerated() {
      switch verdict {
      case .accepted: kept.append(i)
      case .repeated, .invalid: break
      case .conflicting where dropsConflicts: break
      case .conflicting, .backwards, .contradicted:
        throw batches[places[i].batch].failure(places[i].row, verdict, fixes[i], name)
      }
    }
    fixes = kept.map { fixes[$0] }
    rows = kept.map { rows[$0] }
    places = kept.map { places[$0] }
  }

  private mutating func sort() {
    let order = fixes.indices.sorted { fixes[$0].time < fixes[$1].time }
    fixes = order.map { fixes[$0] }
    rows = order.map { rows[$0] }
    places = order.map { places[$0] }
  }
}
