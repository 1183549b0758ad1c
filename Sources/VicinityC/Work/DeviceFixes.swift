internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

/// The fixes of one device, and the rows that they are from.
struct DeviceFixes: Sendable {
  let name: String
  private(set) var fixes: [Fix] = []
  private var places: [(batch: Int, row: Int)] = []
  private let batches: [ArrowTrackBatch]
  private let lastBefore: Timestamp?

  /// The fixes of a device's runs, in the order of rows.
  ///
  /// - Parameter lastBefore: When the device was last seen in earlier batches; `nil` where there are none.
  /// - Throws: ``Failure`` for the first row that is no fix.
  init(
    _ name: String, _ runs: [FleetRun], _ batches: [ArrowTrackBatch], _ scratch: inout TrackScratch,
    lastBefore: Timestamp? = nil
  ) throws(Failure) {
    (self.name, self.batches, self.lastBefore) = (name, batches, lastBefore)
    var piece: [Fix] = []
    for run in runs {
      try batches[run.batch].read(run.range, into: &piece, &scratch)
      fixes += piece
      for row in run.range { places.append((run.batch, row)) }
    }
  }

  /// The row of a fix in the stream.
  func row(_ i: Int) -> Int { batches[places[i].batch].firstRow + places[i].row }

  /// What is wrong with a fix, in its row and the column that is to blame.
  func failure(_ i: Int, _ reason: RefusedFix.Reason) -> Failure {
    let (batch, row) = (batches[places[i].batch], places[i].row)
    return batch.failure(row, reason, fixes[i], name, lastBefore: lastBefore)
  }

  /// What is wrong with a fix's time, in its row.
  func failure(_ i: Int, _ reason: String) -> Failure {
    batches[places[i].batch].time.fault(places[i].row, reason)
  }

  /// All devices of a stream, in the order of their first rows, and what people are told of them.
  ///
  /// - Parameter bad: What becomes of rows that are no fixes, and of fixes that contradict others.
  /// - Throws: ``Failure`` for the first of them, unless they are skipped.
  static func all(
    _ input: ArrowInput, _ reading: ArrowTracks.Reading, _ columns: [String: String], _ bad: BadRows,
    _ control: Control
  ) throws(Failure) -> (devices: [DeviceFixes], notes: [Note]) {
    let tracks = try ArrowTracks(
      input, reading, columns, bad, devices: DeviceNames(), threads: control.threads)
    guard let wave = try tracks.next(wholly: true, control) else { return ([], tracks.choices) }
    var runs = [[FleetRun]](repeating: [], count: tracks.devices.count)
    for run in wave.runs { runs[run.device].append(run) }
    let (names, all) = ((0..<tracks.devices.count).map { tracks.devices[$0] }, runs)
    let found = try Parallel.map(names.count, threads: control.threads) { number throws(Failure) in
      var scratch = TrackScratch()
      var device = try DeviceFixes(names[number], all[number], wave.batches, &scratch)
      if reading.sorts { device.sort() }
      let invalid = device.fixes.count { $0.horizontalAccuracy < 0 }
      var findings = FixFindings()
      for fix in device.fixes { findings.add(fix) }
      try device.judge(dropsConflicts: reading.sorts, bad)
      return (device: device, invalid: invalid, findings: findings, remarks: scratch.remarks)
    }
    try bad.checkAnyLeft(of: input.rowCount)
    let findings = found.reduce(FixFindings()) { $0 + $1.findings }
    let remarks = found.reduce(into: ValueRemarks()) { $0 += $1.remarks }
    let invalid = found.reduce(0) { $0 + $1.invalid } - remarks.noPositions
    let words =
      [
        findings.timeWords, findings.zeroWords, FixFindings.invalidWords(invalid),
        FixFindings.deviceWords(fixes: findings.fixes, devices: found.count),
      ].compactMap(\.self) + remarks.words
    return (found.map(\.device), tracks.choices + words.map { Note(kind: .tracks, text: $0) })
  }

  /// Leaves out the fixes that do not count. One that may not follow those before it, or is contradicted by
  /// those after it, is a bad row.
  ///
  /// - Parameter dropsConflicts: Whether of several fixes at one time the first one counts, instead of being
  ///   an error.
  private mutating func judge(dropsConflicts: Bool, _ bad: BadRows) throws(Failure) {
    var order = TrackOrder()
    order.beginScan()
    if order.scanIsInOrder(fixes[0..<fixes.count].span, device: 0) { return }
    let judgement = order.judge(fixes, device: 0, deciding: fixes.count)
    do throws(RefusedFix) {
      let kept = try judgement.kept(dropsConflicts: dropsConflicts) { fix throws(RefusedFix) in
        try refuse(fix, bad)
      }
      keep(kept.filter { judgement.verdicts[$0] == .accepted })
    } catch { throw failure(error.index, error.reason) }
  }

  /// Lists a fix that may not follow as a bad row; throws it where none is skipped.
  func refuse(_ fix: RefusedFix, _ bad: BadRows) throws(RefusedFix) {
    do throws(Failure) { try bad.add(failure(fix.index, fix.reason)) } catch { throw fix }
  }

  /// Puts the fixes in the order of time; those of one time stay in the order of rows.
  mutating func sort() { keep(fixes.indices.sorted { fixes[$0].time < fixes[$1].time }) }

  private mutating func keep(_ indices: [Int]) {
    fixes = indices.map { fixes[$0] }
    places = indices.map { places[$0] }
  }
}
