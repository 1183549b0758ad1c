import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

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
    let folds = Folds(ranges)
    #expect(
      folds.days
        == ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04", "2020-01-07", "2020-01-08"])
    for day in folds.days {
      let fitted = Set(ranges.filter { folds.isFitted($0, judging: day) }.map(\.day))
      #expect(fitted == Set(folds.days).subtracting([day]))
    }
  }

  @Test("Nothing of a judged day is in the fit")
  func judgedDaysAreLeftOut() throws {
    // One day is 5 m off, the other 50 m.
    let fit = try ProfileFit(measurements([5, 50]), seed: 1)
    let (validation, profiles) = try fit.validate([SampleProfile.phone]) { _ in }
    let row = try #require(validation.rows.first { $0.quantity == .errorMedian })
    let folds = Folds(fit.measurements.ranges)
    #expect(validation.days == folds.days)
    let first = fit.fit(SampleProfile.phone) { folds.isFitted($0, judging: "2020-01-01") }
    let second = fit.fit(SampleProfile.phone) { folds.isFitted($0, judging: "2020-01-02") }
    #expect(abs(try #require(first.profile.tiers[.best]).moving.error.value(at: 0.5) / 50 - 1) < 0.3)
    #expect(abs(try #require(second.profile.tiers[.best]).moving.error.value(at: 0.5) / 5 - 1) < 0.3)
    #expect(row.count == 3000)
    // Each is judged by the other: together the predictions are spread as what was measured.
    #expect(abs(row.predicted / row.measured - 1) < 0.5)
    let whole = try #require(profiles.first?.tiers[.best]).moving.error.value(at: 0.5)
    #expect(whole > 5 && whole < 49)
    #expect(try DeviceProfile(json: try #require(profiles.first).encoded()) == profiles.first)
  }

  @Test("What was fitted before makes no difference to a fit")
  func patternsAreForgotten() throws {
    let fit = try ProfileFit(measurements([5, 8]), seed: 1)
    let once = fit.fit(SampleProfile.phone) { _ in true }.profile
    #expect(once != SampleProfile.phone)
    #expect(fit.fit(once) { _ in true }.profile == once)
    var other = once
    other.tiers[.best]?.motion = SampleProfile.figure(500)
    other.tiers[.best]?.moving = SampleProfile.positions(error: 99, reported: 99)
    #expect(fit.fit(other) { _ in true }.profile == once)
  }

  @Test("A tier without measurements of its own keeps the pattern's figures, or a better tier's")
  func unmeasuredTiers() throws {
    let fit = try ProfileFit(measurements([5, 6]), seed: 1)
    let fitted = fit.fit(SampleProfile.phone) { _ in true }
    #expect(fitted.profile.tiers[.kilometer] == SampleProfile.phone.tiers[.kilometer])
    #expect(fitted.tierStanding(for: TierKey(accuracy: .best, isSlow: true)) == .best)
    let none = fit.fit(SampleProfile.phone) { _ in false }
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
    let made = Sample(regions.predict([trip], known, replays: 40))
    let measured = try measurements(
      [5, 5], exits: made.sorted.enumerated().filter { $0.offset % 4 == 0 }.map(\.element))
    let refit = try ProfileFit(measured, seed: 2)
    let fitted = refit.fit(known) { _ in true }
    let found = Sample(regions.predict([trip], fitted.profile, replays: 40))
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
    let length = Geodesic.uncheckedDistance(part.places[0], part.places[part.places.count - 1])
    #expect(abs(length - 1000) < 2)
  }
}
