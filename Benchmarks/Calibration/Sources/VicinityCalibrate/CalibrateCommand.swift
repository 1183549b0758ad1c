import ArgumentParser
import VicinityCalibration
import VicinityCoreLocation
import VicinityCrossings
import VicinityIndex
import VicinityRuns
import VicinitySimulation

/// `vicinity-calibrate`: simulated phones fitted to measured ones, and judged on days they were not fitted
/// on.
@main
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vicinity-calibrate",
    abstract: "Fit simulated phones to measurements of real ones, and say how well they predict.",
    usage: "vicinity-calibrate <measurements> ... --output <folder> [<options>]",
    discussion: """
      Reads measurements of phones that were carried together, each asked for a different accuracy: battery \
      levels, fixes, and where the phones truly were. They are a folder with ranges.csv, battery.csv, \
      errors.csv, reference.csv, transitions.csv, exit_latency.csv and fixes/<range>.csv, each plain or \
      gzipped, or files that phones have recorded themselves, plain or gzipped; several are put together. A \
      range is one phone over some hours. Of the documentation's pages, "A phone of your own" says what to \
      record, and how; "Files of measurements" lists the columns.

      Writes a profile for each kind of phone, which vicinity simulate and vicinity compare take with --device. It is fitted \
      to all days; what was not measured stays as in the profile that comes with vicinity, or as in that of \
      --base. The battery's capacity stays too, and all milliwatts rest on it: where yours is another, state \
      it in a profile for --base.

      A small folder takes seconds, hundreds of ranges take many minutes. On a terminal, a line says how far \
      the work is.

      Also writes how well such profiles predict: validation.html is a page with pictures of predicted \
      against measured; .md, .csv and .json have the same figures, and .svg the pictures. Each day is \
      replayed through the simulator with profiles fitted to all other days, and again with profiles fitted \
      to all other outings. The second is harder, because no day of the same route was fitted then. With \
      --judge the days of another folder are judged instead, by one fit. Compared are the true error of \
      positions, the accuracy that they report, the interval between fixes, the battery's drain, and how \
      late exits from regions are reported, with 95 % intervals, and whether the goals are met: within 15 % \
      of what was measured, exits within 20 %. Each prediction has an interval for 90 % of new days; of \
      outings and of another folder it is by how far fits to other outings were off, and the report says how \
      many values these intervals hold, and how wide they are. Another table shows what a distance filter \
      does to errors. What was not measured is listed with its range.

      The same folder and seed give the same bytes.

      Measurements do not come with the program. In a checkout, "Scripts/prepare-data measurements mine" \
      makes up a small folder, mine, to try it on.

      EXAMPLES:
        vicinity-calibrate mine --output fitted
        vicinity-calibrate mine --output fitted --leave-out outing
        vicinity-calibrate mobilitynet --judge mine --output judged
        vicinity-calibrate mine --base my-phone.json --output fitted

      \(ExitCodes.help)
      """)

  static func main() {
    SignalGuard.install()
    System.leave(with: run(Array(CommandLine.arguments.dropFirst())))
  }

  @Argument(
    help: .value("measurements", "Folders of measurements, and files that phones have recorded."),
    completion: .file())
  var measured: [String]

  @Option(
    name: [.short, .long],
    help: .value(
      "folder",
      "The folder to write to; made if it does not exist. Files of the same names are replaced, each as a whole."
    ),
    completion: .directory)
  var output: String

  @Option(
    help: .value(
      "measurements", "Another folder or recording, which is only judged: nothing of it is fitted."),
    completion: .file())
  var judge: String?

  @Option(
    help: .value(
      "what", "What is left out of the fits that judge it: day or outing (default: one, then the other)."))
  var leaveOut: LeftOut?

  @Option(
    help: .value(
      "profile",
      """
      A profile's file to start from, in place of the one that comes with vicinity for its platform: its \
      name, its battery and what was not measured stay. Once for each platform.
      """),
    completion: .file())
  var base: [String] = []

  enum LeftOut: String, ExpressibleByArgument, CaseIterable {
    case day, outing
    var split: Validation.Split { self == .day ? .day : .outing }
  }

  @Option(help: .value("n", "The seed of all random choices."))
  var seed: UInt64 = 1

  func validate() throws {
    if output.isEmpty || output == "-" { throw ValidationError("--output must name a folder") }
    if judge != nil, leaveOut != nil {
      throw ValidationError("--judge and --leave-out exclude each other: what is judged is never fitted")
    }
  }

  func run() throws {
    for path in measured + (judge.map { [$0] } ?? []) where !FileSystem.exists(path) {
      throw CommandFailure("no such folder or file", at: path)
    }
    let progress = ProgressMeter("reading measurements")
    defer { progress.finish() }
    var measurements = try read(measured)
    let fitted = measurements.ranges.count
    let patterns = try patterns(for: Set(measurements.ranges.map(\.platform)))
    guard !patterns.isEmpty else { throw CommandFailure("no ranges", at: measured[0]) }
    let judged = try judge.map { try add($0, to: &measurements) } ?? []
    // Before the work, so that a place that cannot be written is known at once.
    let splits = judge != nil ? [.folder] : leaveOut.map { [$0.split] } ?? [.day, .outing]
    let names = ValidationText.names(splits) + patterns.map { "\($0.name).json" }
    for (place, name) in names.enumerated() where names[..<place].contains(name) {
      throw CommandFailure("two files would be called \(name): give the profile of --base another name")
    }
    let target = try OutputFiles(output, files: names, inputs: [])
    progress.stage("fitting and judging")
    let fit = try ProfileFit(measurements, seed: seed)
    let (validation, profiles) = try fit.validate(patterns, splits: splits, judging: judged) {
      progress.update(fraction: $0)
    }
    let text = ValidationText(validation: validation, profiles: profiles)
    let contents = try text.contents + profiles.map { try $0.encoded() }
    try target.finish(with: contents)
    progress.finish()
    Notices.print(
      "done",
      "\(DecimalText.grouped(fitted)) ranges\(judge == nil ? "" : " fitted"); \(ValidationText.phrase(validation)); "
        + "see \(output)/validation.html")
  }

  /// The profiles that the fits of some platforms start from.
  private func patterns(for platforms: Set<DeviceProfile.Platform>) throws -> [DeviceProfile] {
    var own: [DeviceProfile.Platform: DeviceProfile] = [:]
    for path in base {
      let bytes = try InputFile.bytes(of: path, atMost: DeviceProfile.maximumByteCount)
      let profile = try CommandFailure.at(path) { try DeviceProfile(json: bytes) }
      let platform = profile.platform.rawValue
      guard platforms.contains(profile.platform) else {
        throw CommandFailure("a profile of platform \(platform), of which no phone was measured", at: path)
      }
      guard own.updateValue(profile, forKey: profile.platform) == nil else {
        throw CommandFailure("another profile of --base is of platform \(platform) too", at: path)
      }
    }
    return try ["iphone-6", "nexus-6"].map { try DeviceProfile.named($0) }
      .filter { platforms.contains($0.platform) }.map { own[$0.platform] ?? $0 }
  }

  /// The largest recording that is read, bytes: some weeks of a fix each second.
  private static let mostBytes = 1 << 30

  /// Folders and recordings, put together.
  private func read(_ paths: [String]) throws -> Measurements {
    var all = Measurements()
    var recordings: [String: PhoneRecording] = [:]
    for path in paths {
      guard FileSystem.status(of: path)?.kind != .directory else {
        let folder = try CommandFailure.at(path) { try MeasurementFolder(path: path).read() }
        try put(folder, from: path, into: &all)
        continue
      }
      let name =
        String(path.split(separator: "/").last ?? "").split(separator: ".").first.map { String($0) } ?? ""
      guard recordings[name] == nil else {
        throw CommandFailure("another recording has the name \(name) too", at: path)
      }
      let text = String(decoding: try InputFile.bytes(of: path, atMost: Self.mostBytes), as: UTF8.self)
      do { recordings[name] = try PhoneRecording(text: text) } catch {
        throw CommandFailure("no line of a recording", at: "\(path):\(error.number)")
      }
    }
    if !recordings.isEmpty { try put(Measurements(recordings), from: "recordings", into: &all) }
    return all
  }

  private func put(_ more: Measurements, from path: String, into all: inout Measurements) throws {
    let known = Set(all.ranges.map(\.identifier))
    let runs = Set(all.ranges.map(\.run))
    for range in more.ranges where known.contains(range.identifier) || runs.contains(range.run) {
      throw CommandFailure("\(range.identifier) of run \(range.run) is there twice", at: path)
    }
    all.add(more)
  }

  /// Adds the measurements of a folder or recording that is only judged.
  ///
  /// - Returns: Its runs.
  /// - Throws: ``CommandFailure`` where a run or range is in both: then it would be judged by itself.
  private func add(_ path: String, to measurements: inout Measurements) throws -> Set<String> {
    let others = try read([path])
    let ranges = Set(measurements.ranges.map(\.identifier))
    let runs = Set(measurements.ranges.map(\.run))
    for range in others.ranges where runs.contains(range.run) || ranges.contains(range.identifier) {
      throw CommandFailure(
        "\(range.identifier) of run \(range.run) is among what is fitted too", at: path)
    }
    let platforms = Set(measurements.ranges.map(\.platform))
    guard others.ranges.contains(where: { platforms.contains($0.platform) }) else {
      throw CommandFailure("no range of a kind of phone that is fitted", at: path)
    }
    measurements.add(others)
    return Set(others.ranges.map(\.run))
  }
}
