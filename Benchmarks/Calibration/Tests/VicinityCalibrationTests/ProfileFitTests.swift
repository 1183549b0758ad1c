import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinityCalibration
@testable import VicinitySimulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Fitted profiles")
struct ProfileFitTests {
  /// Three rides of a phone that is this far off on each; days in order.
  private func measurements(_ errors: [Double], exits: [Double] = []) throws -> Measurements {
    let ride = SampleMeasurements.ride()
    var measurements = Measurements()
    for (index, error) in errors.enumerated() {
      let day = "2020-01-0\(index + 1)"
      var range = SampleMeasurements.range("r\(index)", day: day, hours: 2)
      let model = try SampleMeasurements.model(
        error: error, reported: 10, correlationTime: 20, association: 0.4)
      range.errors = SampleMeasurements.errors(model, seconds: 1500, seed: UInt64(index) + 1)
      range.exits = exits.map { MeasuredExit(tripStart: ride.trip.lowerBound, latency: $0) }
      measurements.ranges.append(range)
      measurements.truth[range.run] = ride.places
      measurements.trips[range.run] = [ride.trip]
    }
    return measurements
  }

  @Test("Each day is judged by all the others")
  func folds() throws {
    var ranges = try measurements([5, 5, 5, 5]).ranges
    ranges += ["2020-01-02", "2020-01-07", "2020-01-08"].map {
      SampleMeasurements.range("walk \($0)", day: $0, outing: "walk")
    }
    let folds = Folds(ranges, by: .day)
    #expect(
      folds.names
        == ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04", "2020-01-07", "2020-01-08"])
    for day in folds.names {
      let fitted = Set(ranges.filter { folds.isFitted($0, judging: day) }.map(\.day))
      #expect(fitted == Set(folds.names).subtracting([day]))
    }
    let outings = Folds(ranges, by: .outing)
    #expect(outings.names == Set(ranges.map(\.outing)).sorted() && outings.names.contains("walk"))
    for outing in outings.names {
      let fitted = Set(ranges.filter { outings.isFitted($0, judging: outing) }.map(\.outing))
      #expect(fitted == Set(outings.names).subtracting([outing]))
    }
    let judged = Set(ranges.filter { $0.outing == "walk" }.map(\.run))
    let folder = Folds(ranges, judging: judged)
    #expect(Set(folder.names) == judged)
    for range in ranges {
      #expect(folder.name(of: range) == (range.outing == "walk" ? range.run : nil))
      #expect(folder.isFitted(range, judging: folder.names[0]) == (range.outing != "walk"))
    }
  }

  @Test("Nothing of a judged day is in the fit")
  func judgedDaysAreLeftOut() throws {
    // One day is 5 m off, the other 50 m.
    let fit = try ProfileFit(measurements([5, 50]), seed: 1)
    let (validation, profiles) = try fit.validate([SampleProfile.phone]) { _ in }
    let row = try #require(validation.rows.first { $0.quantity == .errorMedian })
    let folds = Folds(fit.measurements.ranges, by: .day)
    #expect(validation.splits.map(\.names) == [folds.names])
    let first = try fit.fit(SampleProfile.phone) { folds.isFitted($0, judging: "2020-01-01") }
    let second = try fit.fit(SampleProfile.phone) { folds.isFitted($0, judging: "2020-01-02") }
    #expect(abs(try #require(first.profile.tiers[.best]).moving.error.value(at: 0.5) / 50 - 1) < 0.3)
    #expect(abs(try #require(second.profile.tiers[.best]).moving.error.value(at: 0.5) / 5 - 1) < 0.3)
    #expect(row.count == 3000)
    // Each is judged by the other: together the predictions are spread as what was measured.
    #expect(abs(row.predicted / row.measured - 1) < 0.5)
    let whole = try #require(profiles.first?.tiers[.best]).moving.error.value(at: 0.5)
    #expect(whole > 5 && whole < 49)
    #expect(try DeviceProfile(json: try #require(profiles.first).encoded()) == profiles.first)
  }

  /// A phone's day in numbers, of which ``outings(_:)`` makes measurements.
  private struct Day {
    var errors = 5.0
    /// The last level of a phone that was carried with the service off, and its other levels' end.
    var offLevel = 100.0
    var outLevel = 70.0
    var lyingLevel = 60.0
    var exits: [Double] = []
  }

  /// Days, on each of which an iPhone rode, one was carried with the service off and one lay. Each day's
  /// regimes have names of their own, so that each comparison of a validation is of one day.
  private func outings(_ days: [Day]) throws -> Measurements {
    let ride = SampleMeasurements.ride()
    var measurements = Measurements()
    for (index, day) in days.enumerated() {
      let date = "2020-01-0\(index + 1)"
      func add(_ range: MeasuredRange, _ regime: String, last: Double) {
        var range = range
        range.regime = "\(regime) \(index + 1)"
        // The first hour shows 100 %, as iPhones do.
        range.battery = (0...6).map { step in
          let share = max(0, Double(step) - 1) / 5
          return BatteryReading(
            time: range.start + Double(step) / 6 * (range.end - range.start),
            level: (100 - (100 - last) * share).rounded())
        }
        measurements.ranges.append(range)
        measurements.truth[range.run] = range.isStationary ? nil : ride.places
        measurements.trips[range.run] = range.isStationary ? nil : [ride.trip]
      }
      var out = SampleMeasurements.range("out\(index)", day: date)
      out.tracking = [ride.trip]
      out.errors = SampleMeasurements.errors(
        try SampleMeasurements.model(error: day.errors, reported: 10, correlationTime: 20, association: 0.4),
        seconds: 600, seed: UInt64(index) + 1)
      out.exits = day.exits.map { MeasuredExit(tripStart: ride.trip.lowerBound, latency: $0) }
      add(out, "out", last: day.outLevel)
      add(
        SampleMeasurements.range("off\(index)", day: date, phone: "phone-4", accuracy: nil), "off",
        last: day.offLevel)
      let rate = (100 - day.lyingLevel) / 10
      let lying = SampleMeasurements.range(
        "lying\(index)", day: date, outing: "home", phone: "phone-2", isStationary: true, isDutyCycled: false,
        hours: 12, drain: rate, drainBelow100: rate)
      add(lying, "lying", last: day.lyingLevel)
    }
    return measurements
  }

  /// What is predicted of each comparison, by name.
  private func predictions(_ validation: Validation) -> [String: Double] {
    Dictionary(
      uniqueKeysWithValues: validation.rows.map { ("\($0.regime), \($0.quantity.rawValue)", $0.predicted) })
  }

  @Test("A judged day may measure what it likes: what is predicted of it stays, and of the others changes")
  func judgedDaysDoNotLeak() throws {
    // All different: the median of two that are alike is that of three.
    let days = [
      Day(), Day(errors: 6, offLevel: 96, outLevel: 64, lyingLevel: 55),
      Day(errors: 7, offLevel: 90, outLevel: 58, lyingLevel: 50),
    ]
    var changed = days
    // Far off, and idle as other phones are in use.
    changed[0] = Day(errors: 60, offLevel: 22, outLevel: 40, lyingLevel: 15)
    let before = try ProfileFit(outings(days), seed: 1).validate([SampleProfile.phone]) { _ in }.validation
    let after = try ProfileFit(outings(changed), seed: 1).validate([SampleProfile.phone]) { _ in }.validation
    let (first, second) = (predictions(before), predictions(after))
    #expect(Set(first.keys) == Set(second.keys))
    let judged = first.keys.filter { $0.contains(" 1, ") }
    #expect(
      Set(judged) == [
        "out 1, error p50", "out 1, error p95", "out 1, reported accuracy p50",
        "out 1, drain", "off 1, drain", "lying 1, drain",
      ])
    for name in judged { #expect(first[name] == second[name], "\(name)") }
    // The change is one that fits see: each quantity of another day is predicted otherwise.
    for name in ["out 2, error p50", "out 2, drain", "off 2, drain", "lying 2, drain"] {
      let change = abs(try #require(second[name]) - (try #require(first[name])))
      #expect(change > 0.1, "\(name)")
    }
    // What was measured of the day itself has changed as well.
    let measured = { (validation: Validation) in validation.rows.first { $0.regime == "off 1" }?.measured }
    #expect(measured(before) == 0)
    #expect(try #require(measured(after)) > 10)
  }

  @Test(
    "A judged outing or folder may measure what it likes: what is predicted of it stays, and of others changes",
    arguments: [Validation.Split.outing, .folder])
  func judgedOutingsDoNotLeak(split: Validation.Split) throws {
    func validation(_ days: [Day]) throws -> Validation {
      var measurements = try outings(days)
      // The first two days are an outing of their own.
      for index in measurements.ranges.indices {
        measurements.ranges[index].outing =
          measurements.ranges[index].day < "2020-01-03" ? "short" : "long"
      }
      let runs = Set(measurements.ranges.filter { $0.outing == "short" }.map(\.run))
      return try ProfileFit(measurements, seed: 1).validate(
        [SampleProfile.phone], splits: [.outing], judging: split == .folder ? runs : []
      ) { _ in }.validation
    }
    let days = [
      Day(), Day(errors: 6, offLevel: 96, outLevel: 64, lyingLevel: 55),
      Day(errors: 7, offLevel: 90, outLevel: 58, lyingLevel: 50),
      Day(errors: 8, outLevel: 60, lyingLevel: 57),
    ]
    var changed = days
    changed[0] = Day(errors: 60, offLevel: 22, outLevel: 40, lyingLevel: 15)
    changed[1] = Day(errors: 80, offLevel: 20, outLevel: 30, lyingLevel: 20)
    let (before, after) = (try validation(days), try validation(changed))
    #expect(before.splits.map(\.split) == [split])
    #expect(before.rows.allSatisfy { $0.split == split })
    let (first, second) = (predictions(before), predictions(after))
    let judged = first.keys.filter { $0.contains(" 1, ") || $0.contains(" 2, ") }
    #expect(judged.count == 12)
    for name in judged { #expect(first[name] == second[name], "\(name)") }
    let others = first.keys.filter { $0.contains(" 3, ") }
    // A folder that judges is all that is judged.
    #expect(others.isEmpty == (split == .folder))
    for name in ["out 3, error p50", "out 3, drain", "off 3, drain"] where split == .outing {
      let change = abs(try #require(second[name]) - (try #require(first[name])))
      #expect(change > 0.1, "\(name)")
    }
  }

  @Test(
    "Intervals of a held-back outing come from the other outings alone",
    arguments: [Validation.Split.outing, .folder])
  func heldBackIntervals(split: Validation.Split) throws {
    func validation(_ first: Day) throws -> Validation {
      var days = [4, 8, 16, 6, 11].map { Day(errors: $0, offLevel: 90, outLevel: 60, lyingLevel: 55) }
      days[0] = first
      var measurements = try outings(days)
      // Each day is an outing of its own.
      for index in measurements.ranges.indices {
        measurements.ranges[index].outing = "outing \(measurements.ranges[index].day)"
      }
      let runs = Set(measurements.ranges.filter { $0.day == "2020-01-01" }.map(\.run))
      return try ProfileFit(measurements, seed: 1).validate(
        [SampleProfile.phone], splits: [.outing], judging: split == .folder ? runs : []
      ) { _ in }.validation
    }
    let before = try validation(Day(errors: 4, offLevel: 90, outLevel: 60, lyingLevel: 55))
    let after = try validation(Day(errors: 60, offLevel: 22, outLevel: 40, lyingLevel: 15))
    func told(_ validation: Validation, _ outing: String) -> [Validation.Value.Key: ClosedRange<Double>] {
      Dictionary(
        uniqueKeysWithValues: validation.values.filter { $0.key.outing == outing }.compactMap { value in
          value.interval.map { (value.key, $0) }
        })
    }
    let judged = told(before, "outing 2020-01-01")
    #expect(judged.count >= 4 && judged == told(after, "outing 2020-01-01"))
    let others = told(before, "outing 2020-01-02")
    #expect(others.isEmpty == (split == .folder))
    #expect(others.isEmpty || others != told(after, "outing 2020-01-02"))
    let row = try #require(before.rows.first { $0.regime == "out 1" && $0.quantity == .errorMedian })
    #expect(row.newDays == before.values.first { $0.key == ProfileFitTests.key(row) }?.interval)
  }

  private static func key(_ row: Validation.Row) -> Validation.Value.Key {
    Validation.Value.Key(
      platform: row.platform, outing: "outing 2020-01-01", regime: row.regime, isMoving: row.isMoving,
      quantity: row.quantity)
  }

  @Test(
    "Delay and interval of checks have a scale: as wide as assumed where two outings agree, wider where they do not"
  )
  func regionScale() throws {
    #expect(RegionFit.scale([]) == nil && RegionFit.scale([0.5]) == nil)
    let alike = try #require(RegionFit.scale([0, 0]))
    #expect(abs(alike.upperBound - 2) < 0.05 && abs(alike.lowerBound * alike.upperBound - 1) < 0.01)
    let apart = try #require(RegionFit.scale([0.6, -0.6]))
    #expect(apart.upperBound > 3 && apart.upperBound < 4)
    let many = try #require(RegionFit.scale([Double](repeating: 0.1, count: 40)))
    #expect(many.upperBound < 1.35)
    #expect(RegionFit.scale([9, 9]) == 0.01...100)
    // Student's 97.5 % points: 2.776, 2.228, 2.042.
    for (freedom, quantile) in [(4.0, 2.776), (10, 2.228), (30, 2.042)] {
      #expect(abs(RegionFit.student(freedom) / quantile - 1) < 0.004, "\(freedom)")
    }
    // Of made-up factors of new outings 95 % are within it.
    var random = RandomStream(seed: 5, "scales")
    let held = try (0..<2000).count { _ in
      let scale = try #require(RegionFit.scale((0..<5).map { _ in 0.5 * random.normal() }))
      return scale.contains(exp(0.5 * random.normal()))
    }
    #expect((0.92...0.97).contains(Double(held) / 2000), "\(held)")
  }

  @Test("Exits of outings that differ widen the scale of the profile's times")
  func fittedScale() throws {
    func scale(_ second: [Double]) throws -> ClosedRange<Double>? {
      let exits = [60.0, 80, 90, 110]
      var measurements = try outings([Day(exits: exits), Day(exits: second)])
      for index in measurements.ranges.indices where measurements.ranges[index].day == "2020-01-02" {
        measurements.ranges[index].outing = "other"
      }
      let regions = try ProfileFit(measurements, seed: 1).fit(SampleProfile.phone) { _ in true }.profile
        .regions
      #expect(regions.wakeDelay.scale == regions.interval.scale)
      return regions.wakeDelay.scale
    }
    let alike = try #require(try scale([60, 80, 90, 110]))
    let apart = try #require(try scale([180, 240, 270, 330]))
    #expect(alike.upperBound < 2.5 && apart.upperBound > 1.3 * alike.upperBound, "\(alike), \(apart)")
  }

  @Test("Exits of a judged day change nothing of how regions are watched when it is judged")
  func judgedExitsDoNotLeak() throws {
    let exits = [40.0, 60, 90, 130]
    let days = [Day(exits: exits), Day(exits: exits)]
    let late = [Day(exits: [900, 1000, 1200, 1400]), Day(exits: exits)]
    func regions(_ days: [Day], without day: String) throws -> RegionMonitoringProfile {
      try ProfileFit(outings(days), seed: 1).fit(SampleProfile.phone) { $0.day != day }.profile.regions
    }
    let judged = try regions(days, without: "2020-01-01")
    #expect(judged.wakeDelay.basis == .measured)
    #expect(try regions(late, without: "2020-01-01") == judged)
    #expect(try regions(late, without: "2020-01-02") != judged)
  }

  @Test("What a profile that was fitted to all days says of them makes no difference when one is judged")
  func patternsDoNotLeak() throws {
    let fit = try ProfileFit(outings([Day](repeating: Day(), count: 3)), seed: 1)
    let (validation, profiles) = try fit.validate([SampleProfile.phone]) { _ in }
    var template = try #require(profiles.first)
    // Written profiles keep the published idle power.
    #expect(template.idle == SampleProfile.phone.idle)
    template.idle = SampleProfile.figure(300)
    template.tiers[.best]?.gnss = SampleProfile.figure(900)
    template.tiers[.best]?.motion = SampleProfile.figure(500)
    template.tiers[.best]?.moving = SampleProfile.positions(error: 99, reported: 99)
    let again = try fit.validate([template]) { _ in }.validation
    #expect(predictions(again) == predictions(validation))
    #expect(validation.rows.allSatisfy { $0.isJudged })
  }

  @Test("A drain that rests on idle power of the judged days is shown, and not judged")
  func unknownIdlePower() throws {
    var measurements = try outings([Day](repeating: Day(), count: 3))
    measurements.ranges.removeAll { $0.accuracy == nil && $0.day != "2020-01-01" }
    let validation = try ProfileFit(measurements, seed: 1).validate([SampleProfile.phone]) { _ in }.validation
    for row in validation.rows {
      // On the first day alone a phone was carried with the service off: nothing is known of that when it is
      // judged.
      let isUnknown = row.quantity == .drain && row.regime.hasSuffix("1")
      #expect(row.isJudged == !isUnknown, "\(row.regime), \(row.quantity)")
      #expect(
        (row.verdict == nil) == (isUnknown || row.quantity.goal == nil), "\(row.regime), \(row.quantity)")
      #expect(row.note.contains("idle power") == isUnknown)
    }
    #expect(validation.goals(.day).notCounted == 3)
    // Days in a fold of which nothing is known, and others.
    var mixed = try outings([Day](repeating: Day(), count: 3))
    mixed.ranges.removeAll { $0.accuracy == nil && $0.day != "2020-01-01" }
    for index in mixed.ranges.indices where !mixed.ranges[index].isStationary {
      mixed.ranges[index].regime = "out"
    }
    let row = try #require(
      ProfileFit(mixed, seed: 1).validate([SampleProfile.phone]) { _ in }.validation.rows.first {
        $0.regime == "out" && $0.quantity == .drain
      })
    #expect(!row.isJudged)
  }

  @Test("Days that differ more give wider intervals for new days, and those hold the next day")
  func newDays() throws {
    func row(_ errors: [Double]) throws -> Validation.Row {
      let validation = try ProfileFit(measurements(errors), seed: 1).validate([SampleProfile.phone]) { _ in }
      return try #require(validation.validation.rows.first { $0.quantity == .errorMedian })
    }
    func ratio(_ row: Validation.Row) throws -> Double {
      let days = try #require(row.newDays)
      return days.upperBound / days.lowerBound
    }
    let (alike, unlike) = (try row([8, 8, 8, 8, 8, 8]), try row([4, 8, 16, 5, 12, 8]))
    #expect(alike.isWithinNewDays == true && unlike.isWithinNewDays == true)
    let (narrow, wide) = (try ratio(alike), try ratio(unlike))
    #expect(narrow < 2 && wide > 3, "\(narrow), \(wide)")
    let (small, large) = (try #require(alike.spread), try #require(unlike.spread))
    #expect(large > 2 * small, "\(small), \(large)")
    // Most of the days lie within what the others say of a new one.
    var within = 0
    for day in [4.0, 8, 16, 5, 12, 8] {
      if try #require(unlike.newDays).contains(day) { within += 1 }
    }
    #expect(within >= 5)
  }

  @Test("What was fitted before makes no difference to a fit")
  func patternsAreForgotten() throws {
    let fit = try ProfileFit(measurements([5, 8]), seed: 1)
    let once = try fit.fit(SampleProfile.phone) { _ in true }.profile
    #expect(once != SampleProfile.phone)
    #expect(try fit.fit(once) { _ in true }.profile == once)
    var other = once
    other.tiers[.best]?.motion = SampleProfile.figure(500)
    other.tiers[.best]?.moving = SampleProfile.positions(error: 99, reported: 99)
    #expect(try fit.fit(other) { _ in true }.profile == once)
  }

  @Test("A tier without measurements of its own keeps the template's figures, or a better tier's")
  func unmeasuredTiers() throws {
    let fit = try ProfileFit(measurements([5, 6]), seed: 1)
    let fitted = try fit.fit(SampleProfile.phone) { _ in true }
    #expect(fitted.profile.tiers[.kilometer] == SampleProfile.phone.tiers[.kilometer])
    #expect(fitted.tierStanding(for: TierKey(accuracy: .best, isSlow: true)) == .best)
    let none = try fit.fit(SampleProfile.phone) { _ in false }
    #expect(none.profile.tiers[.best] != nil)
    #expect(none.notes.contains { $0.contains("best: nothing measured") })
  }

  @Test("Region monitoring that leaves as late as was measured is found")
  func regions() throws {
    let fit = try ProfileFit(measurements([5, 5]), seed: 1)
    var known = SampleProfile.phone
    known.sources[ProfileFit.source] = "made up"
    known.regions.cushion = SampleProfile.figure(60)
    known.regions.wakeDelay = SampleProfile.uniform(50...70)
    known.regions.interval = SampleProfile.uniform(30...60)
    let regions = RegionFit(measurements: fit.measurements, truths: fit.truths, seed: 5)
    let range = try #require(fit.measurements.ranges.first)
    let exit = MeasuredExit(tripStart: SampleMeasurements.ride().trip.lowerBound, latency: 0)
    let trip = try #require(regions.trip(range, exit))
    // 100 m at 10 m/s, after the 5 s between the label and the first place.
    #expect(abs(trip.crossing.seconds - exit.tripStart - 15) <= 2)
    let made = Sample(regions.predict([trip], known, replays: 0..<40))
    let measured = try measurements(
      [5, 5], exits: made.sorted.enumerated().filter { $0.offset % 4 == 0 }.map(\.element))
    let refit = try ProfileFit(measured, seed: 2)
    let fitted = try refit.fit(known) { _ in true }
    let found = Sample(
      regions.predict(
        [trip], fitted.profile.day(DayScores(errors: 0, power: 0, regionTimes: 0)), replays: 0..<40))
    #expect(abs(try #require(found.median) / (try #require(made.median)) - 1) < 0.2)
    #expect(fitted.profile.regions.cushion.basis == .measured)
  }

  @Test("Replays follow the truth and stay where it is not known")
  func replayedTruth() throws {
    let all = try measurements([5])
    let range = try #require(all.ranges.first)
    let truth = try ReplayTruth(range, in: all)
    #expect(abs(truth.movingSeconds(from: range.start, to: range.end) - 1800) < 30)
    #expect(truth.isKnown(at: range.start + 2000))
    #expect(!truth.isKnown(at: range.start + 60))
    #expect(!truth.isKnown(at: range.start + 6000))
    let part = try truth.part(from: range.start + 1900, to: range.start + 2000)
    #expect(abs(part.end.seconds(since: part.start) - 100) < 1e-6)
    let length = Geodesic.uncheckedDistance(part.positions[0], part.positions[part.positions.count - 1])
    #expect(abs(length - 1000) < 2)
  }
}
