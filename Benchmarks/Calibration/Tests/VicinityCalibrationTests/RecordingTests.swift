import Synchronization
import Testing
import VicinityCoreLocation
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinityCalibration
@testable import VicinitySimulation

/// Lines as a phone adds them to its file.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  func append(_ line: String) { lines.withLock { $0.append(line) } }
  var text: String { lines.withLock { $0.map { $0 + "\n" }.joined() } }
}

/// An app that records what a phone does: the recorder of the app for phones, with a simulated one.
private final class RecorderApp: PortableApp {
  private let range: RecordedRange
  private let fence: Coordinate?
  private var recorder: PhoneRecorder
  private var driver: PhoneDriver?

  init(_ name: String, _ range: RecordedRange, fence: Coordinate? = nil, at time: Timestamp, _ lines: Lines) {
    (self.range, self.fence) = (range, fence)
    recorder = PhoneRecorder(
      RecordedPhone(name: name, model: "sample", system: "test"), at: time, write: { lines.append($0) })
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    var commands: [DeviceCommand]?
    if case .launched = event {
      driver = PhoneDriver(phone)
      // A phone that was started again by the exit goes on with its range.
      commands = recorder.range == nil ? recorder.begin(range, at: phone.now) : []
      if let fence, recorder.range != nil, phone.monitoredRegions.isEmpty {
        recorder.tripBegins(at: phone.now)
        commands? += recorder.watch(around: fence, at: phone.now)
      }
    }
    guard let driver else { return }
    for input in driver.inputs(event) { recorder.receive(input, at: phone.now) }
    if let commands { driver.perform(commands) }
    for input in driver.takeInputs() { recorder.receive(input, at: phone.now) }
    driver.finish()
  }

  /// Ends the range with the levels that the battery had, a reading every ten minutes.
  func finish(_ result: SimulationResult, _ profile: DeviceProfile) {
    var power: [EnergyComponent: Double] = [:]
    var (joules, step) = (0.0, 0)
    var last = result.start
    for minutes in stride(from: 0, through: result.end.seconds(since: result.start) / 60, by: 10) {
      let time = result.start.advanced(bySeconds: 60 * minutes)
      while step < result.power.count, result.power[step].time <= time {
        let next = result.power[step]
        joules += power.values.reduce(0, +) / 1000 * next.time.seconds(since: last)
        (power[next.component], last) = (next.milliwatts, next.time)
        step += 1
      }
      joules += power.values.reduce(0, +) / 1000 * time.seconds(since: last)
      last = time
      let level = 100 - joules / 3.6 / profile.milliwattsPerPercentAnHour
      // Phones show whole per cent.
      recorder.battery(level.rounded(.up), at: time)
    }
    _ = recorder.end(at: result.end)
  }
}

@Suite("What phones record themselves")
struct RecordingTests {
  private static let start = Timestamp(microseconds: 1_600_000_000_000_000)
  private static let home = Coordinate(latitude: 37, longitude: -122)

  /// A phone that draws nothing for its app: a fit counts all that is drawn above idle as the service's.
  private static let phone: DeviceProfile = {
    var phone = SampleProfile.phone
    (phone.awake, phone.work) = (SampleProfile.figure(0), SampleProfile.figure(0))
    for accuracy in phone.tiers.keys { phone.tiers[accuracy]?.fix = SampleProfile.figure(0) }
    return phone
  }()

  /// Records a phone that lies at home for some hours.
  private func night(
    _ accuracy: DesiredAccuracy?, day: Int, hours: Double = 12, seed: UInt64
  ) throws -> (recording: PhoneRecording, result: SimulationResult) {
    let end = Self.start.advanced(bySeconds: hours * 3600)
    let scenario = Scenario(
      track: try TrueTrack([
        Fix(time: Self.start, coordinate: Self.home), Fix(time: end, coordinate: Self.home),
      ]),
      profile: Self.phone, seed: seed)
    let lines = Lines()
    let range = RecordedRange(
      run: "night \(day)", outing: "home", day: "2020-09-\(10 + day)", isStationary: true, accuracy: accuracy)
    let app = RecorderApp("mine", range, at: Self.start, lines)
    let result = try Simulation.run(scenario, recording: .power) { app }
    app.finish(result, Self.phone)
    // The user says where the phone lies.
    let place = RecordingLine(.place(Self.home), at: Self.start.advanced(bySeconds: 1)).description
    let rows = lines.text.split(separator: "\n")
    let withPlace = (rows.prefix(2) + [Substring(place)] + rows.dropFirst(2)).joined(separator: "\n") + "\n"
    return (try PhoneRecording(text: withPlace), result)
  }

  @Test(
    "A recorded night gives the drain, the intervals, the delays and the errors of the phone that was recorded"
  )
  func nights() throws {
    var recordings: [String: PhoneRecording] = [:]
    var drawn: [String: Double] = [:]
    for (number, accuracy) in [DesiredAccuracy?.some(.best), .hundredMeters, nil].enumerated() {
      let (recording, result) = try night(accuracy, day: number, seed: UInt64(number))
      recordings["night\(number)"] = recording
      drawn["night\(number)-1"] = result.percentAnHour(of: Self.phone)
    }
    let measurements = Measurements(recordings)
    #expect(measurements.ranges.map(\.identifier) == ["night0-1", "night1-1", "night2-1"])
    for range in measurements.ranges {
      let known = try #require(drawn[range.identifier])
      #expect(range.hours == 12)
      // Levels are whole per cent: one in some.
      let rate = try #require(range.drain)
      #expect(abs(rate - known) < 1 / 12 + 0.02 * known, "\(range.identifier): \(rate), drawn \(known)")
      if range.accuracy == nil {
        #expect(range.fixes.isEmpty)
        continue
      }
      let tier = try #require(Self.phone.tiers[range.accuracy ?? .best])
      let times = range.fixes.map(\.time)
      let interval = try #require(Sample(zip(times.dropFirst(), times).map { $0 - $1 }).median)
      let expected = tier.interval.value(at: 0.5)
      #expect(abs(interval - expected) < 0.1 * expected + 0.01, "\(range.identifier): every \(interval) s")
      #expect(range.fixes.allSatisfy { $0.delay == 0 })
      #expect(range.errors.count == range.fixes.count)
      #expect(range.errors.allSatisfy { $0.truth == .site })
      #expect(range.drainBelow100 != nil)
    }
  }

  @Test("Profiles that are fitted to recorded nights draw what the recorded phone drew")
  func fittedDrain() throws {
    var recordings: [String: PhoneRecording] = [:]
    for day in 0..<3 {
      for (number, accuracy) in [DesiredAccuracy?.some(.best), .hundredMeters, nil].enumerated() {
        recordings["phone\(number)-\(day)"] =
          try night(accuracy, day: day, seed: UInt64(10 * day + number)).recording
      }
    }
    // The template draws other power.
    var template = Self.phone
    template.tiers[.best]?.gnss = SampleProfile.figure(400)
    template.tiers[.hundredMeters]?.wifi = SampleProfile.figure(10)
    let fitted = try ProfileFit(Measurements(recordings), seed: 3).fit(template) { _ in true }.profile
    for accuracy in [DesiredAccuracy.best, .hundredMeters] {
      let end = Self.start.advanced(bySeconds: 12 * 3600)
      func drain(_ profile: DeviceProfile) throws -> Double {
        let scenario = Scenario(
          track: try TrueTrack([
            Fix(time: Self.start, coordinate: Self.home), Fix(time: end, coordinate: Self.home),
          ]), profile: profile, seed: 99)
        let range = RecordedRange(
          run: "again", outing: "home", day: "2020-10-01", isStationary: true, accuracy: accuracy)
        return try Simulation.run(scenario) { RecorderApp("mine", range, at: Self.start, Lines()) }
          .percentAnHour(of: profile)
      }
      let (known, found, before) = (try drain(Self.phone), try drain(fitted), try drain(template))
      #expect(abs(found / known - 1) < 0.1, "\(accuracy): \(found), drawn \(known)")
      #expect(abs(before / known - 1) > 0.15, "\(accuracy): the template says so already")
    }
  }

  @Test("Exits of a region are timed by the phone that was carried along, and give the region's figures back")
  func exits() throws {
    // Half an hour at home, a kilometre on foot at 1.5 m/s, and on to the end.
    let frame = LocalFrame(Self.home)
    let minutes = 75.0
    var fixes = [Fix(time: Self.start, coordinate: Self.home)]
    for second in stride(from: 1800.0, through: minutes * 60, by: 10) {
      let way = min(1000, 1.5 * (second - 1800))
      fixes.append(
        Fix(
          time: Self.start.advanced(bySeconds: second),
          coordinate: frame.coordinate(at: Offset(east: 0, north: way))))
    }
    let track = try TrueTrack(fixes)
    var (recordings, known): ([String: PhoneRecording], [Double]) = ([:], [])
    for day in 0..<5 {
      for (name, accuracy) in [("control", DesiredAccuracy?.some(.best)), ("mine", nil)] {
        let lines = Lines()
        let range = RecordedRange(
          run: "walk \(day)", outing: "walk", day: "2020-09-1\(day)", isStationary: false, accuracy: accuracy)
        let app = RecorderApp(
          name, range, fence: accuracy == nil ? Self.home : nil, at: Self.start, lines)
        let scenario = Scenario(
          track: track, profile: SampleProfile.phone, seed: UInt64(100 * day + (accuracy == nil ? 1 : 2)))
        let result = try Simulation.run(scenario, recording: [.power, .events]) { app }
        app.finish(result, SampleProfile.phone)
        recordings["\(name)\(day)"] = try PhoneRecording(text: lines.text)
        guard accuracy == nil else { continue }
        let told = result.timeline.first {
          if case .delivered(.exited) = $0.kind { true } else { false }
        }
        // 100 m at 1.5 m/s.
        let crossing = Self.start.advanced(bySeconds: 1800 + 100 / 1.5)
        known.append(try #require(told).time.seconds(since: crossing))
      }
    }
    let measurements = Measurements(recordings)
    let latencies = measurements.ranges.flatMap(\.exits).map(\.latency)
    #expect(latencies.count == 5)
    // The control phone is off by some metres, and comes once in some seconds.
    for (found, known) in zip(latencies, known) { #expect(abs(found - known) < 15, "\(found), was \(known)") }
    let mine = measurements.ranges.filter { $0.accuracy == nil }
    #expect(mine.allSatisfy { $0.errors.isEmpty && $0.exits.count == 1 })
    #expect(measurements.trips.count == 5)

    let truths = try ProfileFit(measurements, seed: 4).truths
    let regions = RegionFit(measurements: measurements, truths: truths, seed: 4)
    let trips = mine.flatMap { range in range.exits.compactMap { regions.trip(range, $0) } }
    #expect(trips.count == 5)
    func median(_ profile: DeviceProfile) throws -> Double {
      try #require(Sample(regions.predict(trips, profile, replays: 0..<8)).median)
    }
    // The template tells much later.
    var template = FittedProfile(
      profile: SampleProfile.phone, slow: [:], gauge: BatteryGauge([]), factors: PhoneFactors([]),
      noise: Sample([]), notes: [])
    template.profile.sources[ProfileFit.source] = "made up"
    template.profile.regions.cushion = SampleProfile.figure(150)
    template.profile.regions.wakeDelay = SampleProfile.always(130)
    template.profile.regions.interval = SampleProfile.always(90)
    let recorded = try median(SampleProfile.phone)
    #expect(try median(template.profile) > 1.5 * recorded)
    let fit = regions.fit(template, mine)
    #expect(fit.notes.contains { $0.hasPrefix("regions: ") && $0.hasSuffix("spread is assumed") })
    let fitted = fit.profile
    let found = try median(fitted)
    #expect(abs(found / recorded - 1) < 0.3, "\(found) s, the recorded phone \(recorded) s")
    let cushion = fitted.regions.cushion
    #expect((cushion.low...cushion.high).contains(SampleProfile.phone.regions.cushion.value))
  }

  /// What a phone has recorded in a night at home and on a walk of half an hour around it: three per cent an
  /// hour.
  private static func recording(day: Int, phone: String, accuracy: String, seed: Int) throws -> PhoneRecording
  {
    let start = 1_600_000_000 + day * 86_400
    var lines = ["\(start),phone,\(phone),iPhone,26"]
    func range(_ run: String, _ outing: String, isStill: Bool, from first: Int, hours: Int) {
      lines.append(
        "\(first),range,\(run),\(outing),2020-09-1\(3 + day),\(isStill ? "still" : "moving"),\(accuracy),")
      if isStill { lines.append("\(first),place,37,-122") }
      for minute in 0..<(60 * hours) {
        let time = first + 60 * minute
        if minute % 10 == 0 { lines.append("\(time),battery,\(100 - minute / 20)") }
        let isWalking = !isStill && (60..<90).contains(minute)
        if !isStill, minute == 60 { lines.append("\(time),trip") }
        if !isStill, minute == 90 { lines.append("\(time),arrived") }
        guard accuracy != "off" else { continue }
        for second in isWalking ? Array(stride(from: 0, to: 60, by: 5)) : [0] {
          let way = isStill ? 0 : min(1800, max(0, 60 * (minute - 60) + second))
          let error = Double((minute * 7919 + second * 31 + seed) % 9) * 1e-5
          lines.append("\(time + second).5,fix,\(37 + 1e-5 * Double(way) + error),-122,8,\(time + second)")
        }
      }
      lines.append("\(first + 3600 * hours),end")
    }
    range("night\(day)", "home", isStill: true, from: start, hours: 8)
    range("walk\(day)", "walk", isStill: false, from: start + 40_000, hours: 6)
    return try PhoneRecording(text: lines.map { $0 + "\n" }.joined())
  }

  @Test(
    "Recordings alone are fitted and judged: drains at rest and in motion, and the errors of phones that are no control"
  )
  func judged() throws {
    var recordings: [String: PhoneRecording] = [:]
    for day in 0..<2 {
      for (number, accuracy) in ["best", "hundredMeters", "off"].enumerated() {
        recordings["p\(number)-\(day)"] = try Self.recording(
          day: day, phone: "p\(number)", accuracy: accuracy, seed: 3 * day + number)
      }
    }
    let measurements = Measurements(recordings)
    #expect(measurements.ranges.count == 12)
    let walk = try #require(measurements.ranges.first { $0.accuracy == .hundredMeters && !$0.isStationary })
    #expect(walk.errors.count > 300 && walk.errors.allSatisfy { $0.error < 12 && $0.truth == .reference })
    #expect(abs(try #require(walk.errors.first { $0.isMoving }).speed - 1.11) < 0.5)
    let (validation, profiles) = try ProfileFit(measurements, seed: 1)
      .validate([SampleProfile.phone], splits: [.day]) { _ in }
    #expect(profiles.count == 1)
    let drains = validation.rows.filter { $0.quantity == .drain }
    #expect(drains.count >= 4, "\(validation.rows.map { "\($0.regime) \($0.quantity)" })")
    for row in drains { #expect(abs(row.measured - 3) < 0.1, "\(row)") }
    #expect(
      validation.rows.contains { $0.quantity == .errorMedian && $0.tier == "hundredMeters" && $0.isMoving })
  }

  @Test("Every line is read as it was written")
  func lines() throws {
    let time = Timestamp(microseconds: 1_600_000_000_123_000)
    let contents: [RecordingLine.Content] = [
      .phone(RecordedPhone(name: "mine", model: "iPhone17", system: "26.1")),
      .range(
        RecordedRange(
          run: "a", outing: "b", day: "2026-06-01", isStationary: false, accuracy: .reduced,
          distanceFilter: 30)),
      .range(RecordedRange(run: "a", outing: "", day: "", isStationary: true, accuracy: nil)), .end, .again,
      .battery(87), .fix(Fix(time: time, coordinate: Self.home, horizontalAccuracy: 4.7)), .place(Self.home),
      .trip, .arrived, .fence(Self.home), .left, .metrics(#"{"a":1,"b":[2,3]}"#),
    ]
    let all = contents.map { RecordingLine($0, at: time) }
    for line in all { #expect(RecordingLine(Substring(line.description)) == line) }
    let text = all.map { "\($0)\n" }.joined()
    #expect(try PhoneRecording(text: text).lines == all)
    // The process ended in the middle of a line.
    #expect(try PhoneRecording(text: text + "1600000000,fix,37,-1").lines == all)
    #expect(throws: PhoneRecording.InvalidLine(number: 2)) {
      try PhoneRecording(text: "1600000000,phone,a,b,c\n1600000000,fix,37,-1\n")
    }
    #expect(throws: PhoneRecording.InvalidLine(number: 1)) { try PhoneRecording(text: "1600000000,end\n") }
    for wrong in [
      "", "x,end", "1,battery,101", "1,battery,", "1,fix,91,0,5,1", "1,fix,1,0,nan,1",
      "1,range,,b,c,still,off,",
      "1,range,a,b,c,lying,off,", "1,range,a,b,c,still,finest,", "1,range,a,b,c,still,off,inf", "-1,end",
      "1,end,1",
    ] { #expect(RecordingLine(Substring(wrong)) == nil, "\(wrong)") }
    // A name with a comma does not break the line.
    let phone = RecordingLine(.phone(RecordedPhone(name: "a,b\nc", model: "", system: "")), at: time)
    #expect(
      RecordingLine(Substring(phone.description))?.content
        == .phone(RecordedPhone(name: "a b c", model: "", system: "")))
  }

  @Test("A process that goes on with a range watches the region that the one before watched")
  func resumed() {
    let lines = Lines()
    let phone = RecordedPhone(name: "mine", model: "", system: "")
    let range = RecordedRange(run: "a", outing: "b", day: "c", isStationary: false, accuracy: .best)
    let slot = Slot(identifier: "fence", condition: .circle(center: Self.home, radius: 100))
    var first = PhoneRecorder(phone, at: Self.start) { lines.append($0) }
    let updates: [DeviceCommand] = [.startUpdates(.best), .requestFix(by: Self.start, accuracy: .best)]
    #expect(first.begin(range, at: Self.start) == updates)
    #expect(first.watch(around: Self.home, at: Self.start) == [.register(slot)])
    var second = PhoneRecorder(phone, at: Self.start) { lines.append($0) }
    #expect(second.resume(range, fence: first.fence, at: Self.start) == [.adopt(slot)] + updates)
    func report(_ state: MonitoringState) -> MonitorInput {
      .slot(SlotReport(identifier: "fence", state: state, date: Self.start))
    }
    second.receive(report(.satisfied), at: Self.start)
    second.receive(report(.unsatisfied), at: Self.start)
    second.receive(report(.unsatisfied), at: Self.start)
    #expect(lines.text.split(separator: "\n").count { $0.hasSuffix(",left") } == 1)
    #expect(second.fence == nil)
    #expect(second.end(at: Self.start) == [.stopUpdates, .allowSleep])
    #expect(second.end(at: Self.start) == [])
  }

  @Test("A level that stays is written every five minutes, one that changes at once")
  func levels() {
    let lines = Lines()
    var recorder = PhoneRecorder(RecordedPhone(name: "a", model: "", system: ""), at: Self.start) {
      lines.append($0)
    }
    recorder.battery(90, at: Self.start)
    let range = RecordedRange(run: "a", outing: "b", day: "c", isStationary: true, accuracy: nil)
    #expect(recorder.begin(range, at: Self.start) == [])
    for (second, level) in [(0.0, 90.0), (60, 90), (120, 89), (180, -1), (400, 89), (421, 89)] {
      recorder.battery(level, at: Self.start.advanced(bySeconds: second))
    }
    let levels = lines.text.split(separator: "\n").filter { $0.contains(",battery,") }
    #expect(levels.map { $0.suffix(4) } == ["90.0", "89.0", "89.0"])
  }

  @Test("A range that the end of a process has cut off ends with its last line; another begins anew")
  func interrupted() throws {
    func line(_ content: RecordingLine.Content, _ second: Double) -> RecordingLine {
      RecordingLine(content, at: Self.start.advanced(bySeconds: second))
    }
    let phone = RecordedPhone(name: "mine", model: "", system: "")
    let range = RecordedRange(run: "a", outing: "b", day: "c", isStationary: false, accuracy: .best)
    let recording = PhoneRecording(lines: [
      line(.phone(phone), 0), line(.range(range), 1), line(.trip, 10), line(.battery(90), 100),
      line(.phone(phone), 5000), line(.range(range), 5001), line(.battery(80), 6000), line(.end, 7000),
    ])
    let measurements = Measurements(["x": recording])
    #expect(measurements.ranges.map { $0.end - $0.start } == [99, 1999])
    #expect(measurements.ranges.map(\.battery.count) == [1, 1])
    #expect(measurements.trips["a"] == [1_600_000_010...1_600_000_100])

    // One that the next process goes on with does not end there.
    var lines = recording.lines
    lines[5] = line(.again, 5001)
    let whole = Measurements(["x": PhoneRecording(lines: lines)])
    #expect(whole.ranges.map { $0.end - $0.start } == [6999])
    #expect(whole.ranges.first?.battery.count == 2)
  }
}
