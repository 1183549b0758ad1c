import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor
import VicinityTestSupport

@testable import VicinitySimulation

@Suite("How days differ") struct DayEffectsTests {
  private static func phone(errors: Double = 0, power: Double = 0, times: Double = 0) -> DeviceProfile {
    var phone = SampleProfile.phone
    phone.days = DayEffects(
      errors: SampleProfile.figure(errors), power: SampleProfile.figure(power),
      regionTimes: SampleProfile.figure(times))
    return phone
  }

  /// The paths of figures that differ, without their last parts.
  private func changed(_ a: DeviceProfile, _ b: DeviceProfile) -> Set<String> {
    Set(
      zip(a.listedFigures.filter { !$0.path.hasPrefix("days.") }, b.listedFigures).compactMap { a, b in
        #expect(a.path == b.path)
        return a.figure == b.figure ? nil : a.path.split(separator: " ").first.map(String.init)
      })
  }

  @Test("The median day is the profile's; each effect changes what it is for, and nothing else")
  func changesWhatItIsFor() throws {
    let phone = try DeviceProfile.named("iphone-6")
    func day(_ scores: DayScores) throws -> Set<String> {
      var varied = phone
      varied.days = Self.phone(errors: 0.5, power: 0.25, times: 1).days
      let day = varied.day(scores)
      #expect(day.days == nil)
      try day.check()
      return changed(varied, day)
    }
    #expect(try day(DayScores(errors: 0, power: 0, regionTimes: 0)) == [])
    let errors = try day(DayScores(errors: 1, power: 0, regionTimes: 0))
    #expect(errors.contains("tiers.best.moving.error") && errors.contains("regions.positions.error"))
    #expect(
      errors.allSatisfy { $0.hasSuffix(".error") && !$0.contains("indoors") && !$0.contains("settling") })
    let power = try day(DayScores(errors: 0, power: -1, regionTimes: 0))
    #expect(power.isSuperset(of: ["idle", "tiers.best.gnss", "regions.look", "tiers.hundredMeters.fix"]))
    #expect(power.isDisjoint(with: ["battery", "screen", "awakeTail"]) && power.isDisjoint(with: errors))
    #expect(
      try day(DayScores(errors: 0, power: 0, regionTimes: 2)) == [
        "regions.wakeDelay", "regions.interval", "regions.restInterval",
      ])
    let twice = Self.phone(errors: 0.5).day(DayScores(errors: 2, power: 1, regionTimes: 1))
    let median = SampleProfile.phone.tiers[.best]?.moving.error.value(at: 0.5)
    let found = try #require(twice.tiers[.best]?.moving.error.value(at: 0.5))
    #expect(abs(found / (try #require(median)) - 2.718_281_828) < 1e-9)
  }

  @Test("The most extreme day of the most varied phone can be simulated")
  func extremesAreValid() throws {
    var phone = Self.phone(errors: 2, power: 2, times: 2)
    phone.tiers[.best]?.moving.error = SampleProfile.always(8e7)
    for score in [-1e9, 1e9, .infinity] {
      try phone.day(DayScores(errors: score, power: 0, regionTimes: score)).check()
    }
    phone.days?.power.high = 3
    let power = try #require(phone.days?.power.value)
    let allowed = "\(power.shortestText) to 2"
    #expect(throws: DeviceProfileError.outOfRange(path: "days.power.high", value: 3, allowed: allowed)) {
      try phone.check()
    }
  }

  @Test(
    "Days that stand for all days have each effect once in each of as many equal parts, in different orders")
  func strataCoverAllDays() {
    let days = DayScores.stratified(24, seed: 7)
    for effect in [\DayScores.errors, \.power, \.regionTimes] {
      let parts = days.map { Int(NormalDistribution.probability(below: $0[keyPath: effect]) * 24) }
      #expect(parts.sorted() == Array(0..<24))
    }
    #expect(days.map(\.errors) != days.map(\.power) && days.map(\.errors) != days.map(\.regionTimes))
    #expect(DayScores.stratified(24, seed: 7) == days && DayScores.stratified(24, seed: 8) != days)
  }

  /// The energy of a day at rest, joules: the idle power alone.
  private func joules(_ phone: DeviceProfile, seed: UInt64, east: Double = 0) throws -> Double {
    let track = try TrueTrack(Route(east: east).going(for: 3600, step: 600).fixes)
    let scenario = Scenario(track: track, profile: phone, seed: seed)
    return try Simulation.run(scenario) { ScriptedApp { _, _ in } }.joules.values.reduce(0, +)
  }

  @Test("Simulated days draw their effects by seed and place, with the median and spread of the profile")
  func simulatedDaysDiffer() throws {
    let median = try joules(SampleProfile.phone, seed: 1)
    let phone = Self.phone(power: 0.3)
    let logs = try (1...400).map { try log(joules(phone, seed: $0) / median) / 0.3 }
    #expect(
      Statistics.kolmogorovSmirnov(logs) { NormalDistribution.probability(below: $0) }
        < Statistics.kolmogorovSmirnovBound(400))
    // The same day for all policies; another one for another device.
    #expect(try joules(phone, seed: 5) == joules(phone, seed: 5))
    let places = try (0..<100).map { try log(joules(phone, seed: 5, east: 10 * Double($0)) / median) / 0.3 }
    #expect(
      Statistics.kolmogorovSmirnov(places) { NormalDistribution.probability(below: $0) }
        < Statistics.kolmogorovSmirnovBound(100))
    #expect(try joules(phone.noiseless, seed: 5) == median)
  }

  @Test("A profile with effects of days is read as it was written")
  func roundTrips() throws {
    let phone = Self.phone(errors: 0.25, power: 0.125, times: 0.5)
    let text = try phone.encoded()
    #expect(try DeviceProfile(json: text) == phone)
    #expect(try DeviceProfile(json: SampleProfile.phone.encoded()).days == nil)
  }
}
