internal import VicinityCrossings
internal import VicinityEvaluation
internal import VicinityIndex
internal import VicinityReports
internal import VicinitySimulation

/// A study of policies on a stream's devices.
enum CompareWork {
  static func run(
    _ index: RegionIndex, _ input: ArrowInput, _ options: inout Options, _ control: Control
  ) throws -> ResultTable {
    let reading = try ArrowTracks.Reading(&options)
    let columns = options.texts(named: TrackColumns.options)
    let policies = try policies(options.text("policies") ?? "all")
    let phone = options.text("phone") ?? "modern-phone"
    let seeds = try options.integer("seeds", in: 1...10_000) ?? 3
    let first = UInt64(try options.integer("seed", in: 0...Int.max) ?? 1)
    try options.finish()
    let profile: DeviceProfile
    do { profile = try DeviceProfile.named(phone) } catch { throw Failure.argument("option phone: \(error)") }
    let bad = BadRows(areSkipped: reading.skipsBadRows)
    let (tracks, notes) = try DeviceFixes.all(input, reading, columns, bad, control)
    var copies = CopiedTracks()
    for track in tracks { copies.add(track.name, track.fixes.lazy.map(\.coordinate)) }
    let truths = try Parallel.map(tracks.count, threads: control.threads) {
      number throws(Failure) -> TrueTrack? in try track(of: tracks[number])
    }
    var holes = TrackHoles()
    let devices = zip(tracks, truths).compactMap { device, truth -> StudyDevice? in
      guard let truth else { return nil }
      holes.add(device.name, truth)
      return StudyDevice(name: device.name) { truth }
    }
    let told =
      [copies.words, holes.words].compactMap { $0 }.map { Note(kind: .tracks, text: $0) }
      + [profile.missingTiersText].compactMap { $0 }.map { Note(kind: .phone, text: $0) }
    var study = Study(
      of: policies, watching: index, on: devices, seeds: (0..<UInt64(seeds)).map { first &+ $0 },
      profile: profile)
    // With one seed energies are drawn all the same, as on the command line.
    study.phones = .drawn
    study.guarantee = LatencyGuarantee()
    let result = try run(study, control)
    let report = try ComparisonReport(result, of: study, threads: control.threads)
    let contents = ComparisonFiles(result).contents(report)
    return ResultTable(
      .other, [OutputField(name: "name", format: "u"), OutputField(name: "content", format: "Z")],
      [.batch(contents.count, [try .texts(ComparisonFiles.names), .binaries(contents)])],
      notes: bad.notes(of: input.rowCount) + notes + told, bad: bad)
  }

  /// A device's track; nil where none of its fixes counts. Fixes between two others at the same place are
  /// left out, as by the command line: by how long nothing changes, a phone's surroundings are inferred.
  private static func track(of device: DeviceFixes) throws(Failure) -> TrueTrack? {
    var validator = FixValidator()
    var fixes: [Fix] = []
    for (i, fix) in device.fixes.enumerated() {
      do throws(TrackError) {
        guard try validator.accept(fix) else { continue }
      } catch { throw device.failure(i, .track(error)) }
      let count = fixes.count
      if count >= 2, fixes[count - 1].coordinate == fix.coordinate,
        fixes[count - 2].coordinate == fix.coordinate
      {
        fixes[count - 1].time = fix.time
      } else {
        fixes.append(Fix(time: fix.time, coordinate: fix.coordinate))
      }
    }
    if fixes.isEmpty { return nil }
    do { return try TrueTrack(fixes) } catch {
      let text = "device \(device.name.debugDescription): \(error)"
      switch error {
      case .tooLong: throw device.failure(device.fixes.count - 1, text)
      // The first fix is too early, or the last one too late.
      case .tooFar(let time):
        throw device.failure(time.microseconds < 0 ? 0 : device.fixes.count - 1, text)
      default: break
      }
      throw .data(device.row(0), nil, "device \(device.name): \(error)")
    }
  }

  /// Policies separated by commas, or `all`.
  private static func policies(_ text: String) throws(Failure) -> [any MonitoringPolicy] {
    if text == "all" { return Policies.all }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { label throws(Failure) in
      do { return try Policies.parse(String(label)) } catch { throw .argument("option policies: \(error)") }
    }
  }

  /// Runs the study on other threads, and tells of its progress on this one.
  private static func run(_ study: Study, _ control: Control) throws -> StudyResult {
    let total = study.policies.count * study.devices.count * study.seeds.count
    let threads = control.threads
    return try Background.run(control, of: total) { watch in
      try study.run(
        threads: threads,
        progress: { progress in
          watch.note(done: progress.done)
          return true
        }, isStopped: { watch.isStopped })
    }
  }
}
