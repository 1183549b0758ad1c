import ArgumentParser
import VicinityCrossings
import VicinityEvaluation
import VicinityFormats
import VicinityMonitor
import VicinityReports
import VicinityRuns
import VicinitySimulation

/// `vicinity compare`: policies on simulated phones along many tracks, scored against what truly happened.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare policies on your own regions and tracks: what each costs, misses and reports late.",
    usage: """
      vicinity compare <regions> --tracks <file> ... [--policies <names>]
                       [--days] [--require <bounds>] [--phones <names>]
                       [--output <directory>]
      """,
    discussion: """
      Each track is where a phone truly was. Every policy is run on a simulated phone along every track with \
      every seed, and what its app reports is matched with what truly happened: entries and exits by the \
      geometric rule.

      The table has the battery's drain, recall, precision, latency, wake-ups and time awake of each \
      policy; * marks those that no other beats in energy, recall and p95 latency at once. Below it stand \
      lower bounds: the least energy with which any policy can report all crossings within a minute, and \
      the fewest fixes with which a policy that uses fixes alone can promise this, at speeds up to 40 m/s.

      With two devices or more, the files have 95 % intervals. They cover differences between devices, \
      between days (seeds) and between phones. The first seed has the phone of --device. Every other seed \
      has a phone whose behaviour is drawn from the ranges of its figures. Energies are drawn for all \
      seeds. The files and the page say how much devices, seeds and energies each add to an interval, and \
      how sure the order of two policies is.

      --minimum-radius and --minimum-duration limit recall and latency to larger regions, and to longer \
      visits and absences. \
      --days stretches each track to whole days: the phone stands at its first place before and at its last \
      one after.

      POLICIES, with what can be set (fixed-interval:interval=120:accuracy=best):
      \(Policies.all.map(SimulateCommand.entry).joined(separator: "\n"))

      --require looks for the cheapest policy that meets bounds, and varies the policies' parameters too. \
      Half of the devices choose the policy, and the other half confirm it with other seeds. If there are \
      fewer than four devices, all choose, and all confirm with other seeds. The answer has the confirmed \
      figures, and the probability that they meet the bounds elsewhere. The chosen policy joins the table, \
      marked >. Metrics: \(CompareHelp.metrics), entries-within-60s and exits-within-60s with any number \
      of seconds.

      With --choose-tracks, these tracks choose, and all of --tracks confirm. With --choose-regions, other \
      regions are used for choosing. --tune gives each policy the same search for itself, and shows the \
      figures of its own settings beside those of the settings found, both on data that chose nothing.

      --phones repeats the comparison on other phones, and says whether they lead to the same choice. \
      --against names the policy that runs today. The answer then says what changes against this policy, \
      and what changes against always-best.

      --output DIRECTORY gets summary.csv, classes.csv (by region size, speed and visit length), \
      paired.csv (each policy against each other), devices.csv, missed.csv (missed, and more than a minute \
      late), radii.csv (which regions are too small or too crowded for the system to notice, and the \
      radius that would do), crowded.csv, phones.csv, tuned.csv, summary.json and report.html, a page that \
      works without a network: tables, plots, a map of what was missed. Rates are an hour or a day, times \
      seconds, distances metres; percentiles of latencies that reach missed crossings are \
      inf, and in missed.csv the latency of a missed crossing is empty.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity compare Data/airports/airports.csv.gz --id-field icao \\
          --default-radius 2000 --tracks Data/rides/*.gpx.gz --days \\
          --policies monitor-adaptive,monitor-slots,always-best
        vicinity compare stores.csv --tracks monday.csv --output study
        vicinity compare stores.csv --tracks monday.csv --seeds 5 \\
          --policies monitor-slots,always-best --format json
        vicinity compare stores.csv --tracks fleet.csv --days \\
          --minimum-radius 100 --minimum-duration 60 \\
          --require "recall>=0.8,p95-latency<=120s"
        vicinity compare stores.csv --tracks fleet.csv --days \\
          --require "entries-within-60s>=0.5,battery-days>=2"
        vicinity compare stores.csv --tracks fleet.csv --days \\
          --require "recall>=0.8" --against monitor-slots --phones nexus-6
        vicinity compare stores.csv --tracks june.csv --choose-tracks may.csv \\
          --require "recall>=0.8" --tune --output tuned

      \(ExitCodes.help)
      """)

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments
  @OptionGroup var tracks: TrackArguments
  @OptionGroup(title: "PHONE OPTIONS") var phone: PhoneArguments

  @Option(
    help: .value(
      "names",
      "What to compare: all, which is the default, or policies separated by commas, with settings as in "
        + "fixed-interval:interval=120."
    ),
    completion: .list(["all"] + Policies.names), transform: { try PolicyList($0) })
  var policies = PolicyList()

  @Option(
    help: .value("n", "How many seeds to run each policy with: --seed and the numbers after it."))
  var seeds = 3

  @Option(
    help: .value(
      "names",
      "Other phones to compare on: names or files as for --device, separated by commas, or all. Without --require "
        + "each leads to the cheapest policy that reports 90 % of the crossings."),
    transform: { try PhoneList($0) })
  var phones: PhoneList?

  @Option(
    help: .value("policy", "The policy that runs today, to compare the answer to --require with."),
    transform: { text in
      do { return try Policies.parse(text) } catch { throw ValidationError("\(error)") }
    })
  var against: (any MonitoringPolicy)?

  @Option(
    help: .value("bounds", "The bounds that the cheapest policy must meet: recall>=0.99,p95-latency<=60s."),
    transform: { text in
      do { return try Requirement.parse(text) } catch { throw ValidationError("\(error)") }
    })
  var require: Requirement?

  @Flag(
    help: "Also search for the best settings of each policy, and show them beside its own settings.")
  var tune = false

  @Option(
    parsing: .upToNextOption,
    help: .value("file", "Tracks to choose on for --require; then all of --tracks confirm."),
    completion: .file())
  var chooseTracks: [String] = []

  @Option(
    help: .value(
      "regions", "Regions to choose among, with --choose-tracks; those of the comparison by default."),
    completion: .file())
  var chooseRegions: String?

  @Option(
    help: .value(
      "seconds",
      "Also show the shares of entries and of exits reported within these seconds: 60, or 60,300."),
    transform: { try SecondsList($0) })
  var within: SecondsList?

  @Flag(help: "Stretch each track to whole days of 24 hours.")
  var days = false

  @Option(
    help: .value("metres", "Limit recall and latency to regions of at least this radius, metres."))
  var minimumRadius = 0.0

  @Option(
    help: .value(
      "seconds", "Limit recall and latency to visits and absences of at least this length, seconds."))
  var minimumDuration = 0.0

  @Option(name: [.short, .long], help: .value("format", "The format on standard output."))
  var format = SummaryFormat.table

  @OptionGroup var target: DirectoryOutputArguments

  @OptionGroup var work: WorkArguments

  func validate() throws {
    if tracks.tracks.isEmpty { throw ValidationError("--tracks needs a file") }
    for (name, isGiven) in [
      ("--against", against != nil), ("--tune", tune), ("--choose-tracks", !chooseTracks.isEmpty),
    ] where isGiven && require == nil {
      throw ValidationError("\(name) needs --require")
    }
    if chooseRegions != nil, chooseTracks.isEmpty {
      throw ValidationError("--choose-regions needs --choose-tracks")
    }
    if chooseTracks.contains("-") {
      throw ValidationError("--choose-tracks cannot be standard input; name a file")
    }
    guard (1...10_000).contains(seeds) else {
      throw ValidationError("--seeds must be 1 to 10000; found \(seeds)")
    }
    for (name, value) in [("--minimum-radius", minimumRadius), ("--minimum-duration", minimumDuration)] {
      guard value >= 0, value.isFinite else {
        throw ValidationError("\(name) must be a number, 0 or more; found \(value)")
      }
    }
  }

  func run() throws {
    let start = ContinuousClock.now
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    for path in tracks.tracks + chooseTracks where path != "-" { try EventsCommand.check(path) }
    if let chooseRegions { try RegionSource.checkIsFile(chooseRegions) }
    let profile = try phone.profile()
    let otherPhones = try phones?.profiles(besides: profile) ?? []
    for words in ([profile] + otherPhones).compactMap(\.missingTiersText) { Notices.print("note", words) }
    let reader = try reader(tracks.tracks)
    let choosingReader = chooseTracks.isEmpty ? nil : try self.reader(chooseTracks)
    // Before the work, so that a place that cannot be written is known at once.
    let folder = try target.output.map {
      try OutputFiles(
        $0, files: ComparisonFiles.names,
        inputs: [regions.path] + reader.paths + (choosingReader?.paths ?? [])
          + (chooseRegions.map { [$0] } ?? []))
    }
    let index = try RegionSource.index(regions, threads: work.threads, progress: progress)
    let devices = try readDevices(reader, tracks.tracks, progress)
    let base = phone.seed
    var study = Study(
      of: policies.policies, watching: index, on: devices,
      seeds: (0..<UInt64(seeds)).map { base &+ $0 }, profile: profile)
    // With one seed energies are drawn all the same; behaviour needs more.
    study.phones = .drawn
    study.filter = VisitFilter(minimumRadius: minimumRadius, minimumSeconds: minimumDuration)
    study.guarantee = LatencyGuarantee()
    study.requestedMetrics = requestedMetrics
    let choosing = try choosingReader.map { try choosingStudy(study, $0, progress) }
    let (result, answer) = try answered(study, choosing, progress)
    var entries = phones == nil ? [] : [PhoneComparison.Entry(result, answer)]
    for other in otherPhones {
      var (study, choosing) = (study, choosing)
      study.profile = other
      choosing?.profile = other
      let (result, answer) = try answered(study, choosing, progress)
      entries.append(PhoneComparison.Entry(result, answer))
    }
    let comparison = entries.isEmpty ? nil : PhoneComparison(entries)
    var tuned: [TunedPolicy] = []
    if tune, let require, answer != nil {
      tuned = try tunedPolicies(policySearch(require, study, choosing), progress)
    }
    let files = ComparisonFiles(result, answer, phones: comparison, tuned: tuned)
    if let folder {
      var report = try report(result, of: study, answer, progress)
      (report.phones, report.tuned) = (comparison, tuned)
      progress.stage("writing")
      try folder.finish(with: files.contents(report))
    }
    progress.finish()
    printNotes(result, (ContinuousClock.now - start) / .seconds(1))
    let writer = try ByteWriter(output: "-")
    switch format {
    case .table:
      CompareTable(result: result, answer: answer, phones: comparison, tuned: tuned).write(
        to: &writer.buffer, style: .current(path: "-"))
    case .json: writer.buffer += files.json()
    }
    try writer.finish()
    if let output = target.output { Notices.print("note", "\(output)/report.html shows the study") }
  }

  /// What --within and --require ask for, each once.
  private var requestedMetrics: [Metric] {
    var metrics = (within?.seconds ?? []).flatMap {
      [Metric.entriesWithin(seconds: $0), .exitsWithin(seconds: $0)]
    }
    for metric in require?.requestedMetrics ?? [] where !metrics.contains(metric) { metrics.append(metric) }
    return metrics
  }

  /// Whether there is something that a requirement's bounds can be of.
  private func isAnswerable(_ requirement: Requirement, _ result: StudyResult) -> Bool {
    let isEmpty = result.cards.allSatisfy { card in
      card.headlineCrossings == 0 && requirement.bounds.contains { card.value($0.metric) == nil }
    }
    if isEmpty {
      Notices.print(
        "note", "--require: nothing to search for without crossings among \(result.filter.description)")
    }
    return !isEmpty
  }

  private func reader(_ paths: [String]) throws -> TrackReader {
    try CommandFailure.at(paths.joined(separator: " ")) {
      try TrackReader(paths, options: readerOptions)
    }
  }

  private var readerOptions: ReadingOptions {
    get throws {
      try tracks.reading.readerOptions(skipInvalid: regions.skipInvalid, fields: regions.fields)
    }
  }

  /// The study that chooses: like another one, on tracks and perhaps among regions of its own.
  private func choosingStudy(
    _ study: Study, _ reader: TrackReader, _ progress: ProgressMeter
  ) throws -> Study {
    var choosing = study
    choosing.devices = try readDevices(reader, chooseTracks, progress)
    if let chooseRegions {
      var arguments = regions
      arguments.path = chooseRegions
      choosing.regions = try RegionSource.index(arguments, threads: work.threads, progress: progress)
    }
    return choosing
  }

  /// Compares, and answers what is required, if anything is.
  private func answered(
    _ study: Study, _ choosing: Study?, _ progress: ProgressMeter
  ) throws -> (StudyResult, SearchOutcome?) {
    let result = try compare(study, progress)
    guard let require, isAnswerable(require, result) else { return (result, nil) }
    return try choose(policySearch(require, study, choosing), result, progress)
  }

  /// What `--tune` asks for.
  private func tunedPolicies(_ search: PolicySearch, _ progress: ProgressMeter) throws -> [TunedPolicy] {
    progress.stage("searching for each policy")
    return try CommandFailure.at {
      try search.tuned(threads: work.jobs, progress: Self.showing(progress))
    }
  }

  private func readDevices(
    _ reader: TrackReader, _ paths: [String], _ progress: ProgressMeter
  ) throws -> [StudyDevice] {
    progress.stage("reading tracks")
    var collector = TrackCollector()
    while true {
      let batches = try reader.nextBatches(2 * work.threads, threads: work.threads)
      if batches.isEmpty { break }
      for batch in batches { collector.add(batch) }
      if let fraction = reader.progress.fraction { progress.update(fraction: fraction) }
    }
    Notices.print(reader.summary)
    if let words = collector.copies(reader.devices).words { Notices.print("warning", words) }
    let devices = try CommandFailure.at {
      try collector.takeDevices(
        reader.devices, pads: days, try phone.plan(reading: readerOptions), threads: work.threads)
    }
    if let words = collector.holes.words { Notices.print("note", words) }
    if devices.isEmpty {
      throw CommandFailure("the tracks have no valid fix", at: paths.joined(separator: " "))
    }
    return devices
  }

  private func compare(_ study: Study, _ progress: ProgressMeter) throws -> StudyResult {
    let runs = study.policies.count * study.devices.count * study.seeds.count
    progress.stage(phones == nil ? "comparing" : "comparing on \(study.profile.name)", total: runs)
    return try CommandFailure.at {
      try study.run(threads: work.jobs) { done in
        progress.update(done.done)
        return true
      }
    }
  }

  private func policySearch(_ requirement: Requirement, _ study: Study, _ choosing: Study?) -> PolicySearch {
    var search = PolicySearch(study, for: requirement, seed: phone.seed)
    search.choosing = choosing
    search.references = [against, ContinuousTrackingPolicy(.best)].compactMap { $0 }
    return search
  }

  /// Searches, and adds the chosen policy and the one of today to the study.
  private func choose(
    _ search: PolicySearch, _ result: StudyResult, _ progress: ProgressMeter
  ) throws -> (StudyResult, SearchOutcome) {
    let answer = try self.search(search, progress)
    var added: [any MonitoringPolicy] = []
    for policy in [answer.policy, against].compactMap({ $0 })
    where !result.policies.contains(where: { $0.label == policy.label })
      && !added.contains(where: { $0.label == policy.label })
    {
      added.append(policy)
    }
    var whole = result
    if !added.isEmpty {
      var more = search.study
      more.policies = added
      more.guarantee = nil
      whole = result.adding(try compare(more, progress), threads: work.threads)
    }
    whole.chosen = answer.policy.flatMap { chosen in
      whole.policies.firstIndex { $0.label == chosen.label }
    }
    return (whole, answer)
  }

  private static func showing(_ progress: ProgressMeter) -> @Sendable (SearchProgress) -> Bool {
    { done in
      // How many rounds there will be is not known.
      let (runs, all) = (DecimalText.grouped(done.round.done), DecimalText.grouped(done.round.total))
      progress.update(
        fraction: nil,
        detail: "settings tried: \(DecimalText.grouped(done.tried)), runs of this round: \(runs) of \(all)")
      return true
    }
  }

  private func search(_ search: PolicySearch, _ progress: ProgressMeter) throws -> SearchOutcome {
    progress.stage("searching")
    return try CommandFailure.at {
      try search.run(threads: work.jobs, progress: Self.showing(progress))
    }
  }

  private func report(
    _ result: StudyResult, of study: Study, _ answer: SearchOutcome?, _ progress: ProgressMeter
  ) throws -> ComparisonReport {
    progress.stage("advising on radii")
    return try CommandFailure.at {
      try ComparisonReport(result, of: study, search: answer, threads: work.threads)
    }
  }

  /// - Parameter elapsed: What all took, seconds.
  private func printNotes(_ result: StudyResult, _ elapsed: Double) {
    if result.devices.count == 1 {
      Notices.print("note", "one device: no intervals, as they are over devices")
    }
    if let limits = result.conditions?.limits {
      let silent = zip(result.policies, result.cards).compactMap { policy, card in
        card.headlineCrossings > 0 && card.value(.recall) == 0 ? policy.label : nil
      }
      let names = silent.isEmpty ? "" : "; no crossing is told by \(silent.joined(separator: ", "))"
      Notices.print("note", limits + names)
    }
    if result.cards.allSatisfy({ $0.headlineCrossings == 0 }) {
      Notices.print("note", "no crossings among \(result.filter.description): nothing to report or to miss")
    }
    // Of this machine and this hour, so no part of the answer.
    let costs = zip(result.policies, zip(result.scores, result.computeSeconds)).map { policy, run in
      let fixes = run.0.reduce(0) { $0 + $1.counts.fixes }
      return "\(policy.label) \(DecimalText.string(run.1 / Double(max(1, fixes)) * 1e6, decimals: 1))"
    }
    Notices.print(
      "note", "microseconds a fix, the simulated phone's work included: \(costs.joined(separator: ", "))")
    let runs = result.scores.reduce(0) { $0 + $1.count }
    let seconds = result.computeSeconds.reduce(0, +)
    Notices.print(
      "done",
      "\(DecimalText.count(runs, "run", "runs")) in \(DecimalText.string(seconds, decimals: 1)) s of one core; all took "
        + "\(DecimalText.string(elapsed, decimals: 1)) s")
  }
}

/// The policies of `--policies`.
struct PolicyList: CustomStringConvertible {
  private(set) var policies: [any MonitoringPolicy] = Policies.all
  /// The list as it is written on the command line.
  private(set) var description = "all"

  init() {}

  /// Policies separated by commas, or `all`.
  ///
  /// - Throws: `ValidationError` for an unknown policy, a wrong setting, and a policy that occurs twice.
  init(_ text: String) throws {
    if text == "all" { return }
    description = text
    policies = []
    for label in text.listedParts {
      do { policies.append(try Policies.parse(label)) } catch { throw ValidationError("\(error)") }
    }
    var labels: Set<String> = []
    for policy in policies where !labels.insert(policy.label).inserted {
      throw ValidationError("\(policy.label) is there twice")
    }
  }
}

/// The phones of `--phones`.
struct PhoneList {
  private let names: [String]

  init(_ text: String) throws {
    names = text == "all" ? DeviceProfile.names : text.listedParts
    var seen: Set<String> = []
    for name in names {
      guard !name.isEmpty else { throw ValidationError("a name is missing between two commas") }
      guard seen.insert(name).inserted else { throw ValidationError("\(name) is there twice") }
    }
  }

  /// The phones' profiles, without those that are compared already. Of several that have one name, such as a
  /// profile and a changed copy of it, the later ones get a number behind it, and their file in the title.
  func profiles(besides first: DeviceProfile) throws -> [DeviceProfile] {
    var known = [first]
    for name in names {
      var profile = try DeviceFile.profile(name, option: "--phones")
      if known.contains(profile) { continue }
      let (given, names) = (profile.name, Set(known.map(\.name)))
      var number = 1
      while names.contains(profile.name) {
        number += 1
        profile.name = "\(given)-\(number)"
      }
      if number > 1 {
        profile.title += " (\(name))"
        Notices.print("note", "\(name) is called \(profile.name) here, as another phone is called \(given)")
      }
      known.append(profile)
    }
    return Array(known.dropFirst())
  }
}

/// Whole seconds, separated by commas.
struct SecondsList {
  private(set) var seconds: [Int] = []

  init(_ text: String) throws {
    for part in text.listedParts {
      guard let number = Int(part), Metric.windows.contains(number) else {
        throw ValidationError(
          "whole seconds are expected, \(Metric.windows.lowerBound) to \(Metric.windows.upperBound), as in 60,300; "
            + "found \(part.debugDescription)")
      }
      guard !seconds.contains(number) else { throw ValidationError("\(number) is there twice") }
      seconds.append(number)
    }
  }
}

extension String {
  /// What stands between commas, without the spaces around it.
  fileprivate var listedParts: [String] {
    split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed) }
  }
}

enum CompareHelp {
  /// The metrics, each with its unit.
  static var metrics: String {
    Metric.allCases.map { $0.unit.isEmpty ? $0.rawValue : "\($0.rawValue) (\($0.unit))" }
      .joined(separator: ", ")
  }
}
