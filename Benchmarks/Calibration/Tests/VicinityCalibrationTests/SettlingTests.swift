import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinityCalibration
@testable import VicinitySimulation

@Suite("Positions that settle")
struct SettlingTests {
  private func phone(settling: Bool) throws -> DeviceProfile {
    var phone = SampleProfile.phone
    phone.tiers[.best]?.indoors = SampleProfile.positions(error: 5, reported: 10)
    phone.tiers[.best]?.strayFixes = SampleProfile.figure(0)
    if settling {
      phone.tiers[.best]?.settling = SettlingModel(
        stages: [
          .init(
            until: SampleProfile.figure(2), positions: SampleProfile.positions(error: 300, reported: 1000)),
          .init(until: SampleProfile.figure(10), positions: SampleProfile.positions(error: 20, reported: 65)),
        ], interval: SampleProfile.uniform(1.5...1.5))
    }
    return phone
  }

  private func fixes(_ phone: DeviceProfile, filter: Meters) throws -> [Fix] {
    let start = Timestamp(microseconds: 1_600_000_000_000_000)
    let home = Coordinate(latitude: 37, longitude: -122)
    let track = try TrueTrack([
      Fix(time: start, coordinate: home), Fix(time: start.advanced(bySeconds: 7200), coordinate: home),
    ])
    return try StandardReplay(profile: phone, accuracy: .best, distanceFilter: filter).run(track, seed: 5)
      .fixes
  }

  @Test("Under a roof the first are poor, and each better one passes the filter")
  func stages() throws {
    let found = try fixes(phone(settling: true), filter: 5000)
    #expect(found.count >= 2)
    for (fix, next) in zip(found, found.dropFirst()) {
      #expect(next.horizontalAccuracy < fix.horizontalAccuracy)
      #expect(next.time.seconds(since: found[0].time) < 10)
    }
    #expect((found.last?.horizontalAccuracy ?? 0) < found[0].horizontalAccuracy / 5)
    #expect(try fixes(phone(settling: false), filter: 5000).count == 1)
    // Without a filter to speak of they all come, until they have settled.
    let all = try fixes(phone(settling: true), filter: 1e-9)
    #expect(all.count >= 5 && all.count <= 8, "\(all.count)")
    try phone(settling: true).check()
  }

  @Test("Stages are found again in the errors that they made")
  func fit() throws {
    let ranges = (0..<12).map { index in
      var range = SampleMeasurements.range(
        "lying \(index)", day: "2020-01-0\(index % 9 + 1)", isStationary: true, hours: 8)
      for (second, error) in [(0.5, 300.0), (3, 20), (6, 7), (8, 7), (500, 4)] {
        range.errors.append(
          MeasuredError(
            time: range.start + second, truth: .site, error: error + Double(index) / 100, accuracy: 10,
            speed: 0))
        range.fixes.append(
          MeasuredFix(
            time: range.start + second, coordinate: Coordinate(latitude: 37, longitude: -122), accuracy: 10,
            delay: 0))
      }
      return range
    }
    let positions = PositionFit(noise: NoiseDeconvolution(Sample([])), source: "test")
    let found = try #require(
      SettlingFit(positions: positions, source: "test").model(ranges))
    #expect(found.stages.map { $0.positions.error.value(at: 0.5).rounded() } == [300, 20, 7])
    #expect(found.stages.map(\.until.value) == [2, 4, 7.5])
    #expect(ranges.map(SettlingFit.settled).allSatisfy { $0.map { $0.error.rounded() } == [4] })
    #expect(
      SettlingFit(positions: positions, source: "test")
        .model(Array(ranges.prefix(5))) == nil)
  }

  @Test("Where phones lie, how long errors last and what is new of them are found again")
  func wandering() throws {
    var model = try SampleMeasurements.model(error: 20, reported: 65, correlationTime: 20_000, association: 0)
    model.error = Statistics.rayleigh()
    model.jitter = SampleProfile.figure(0.1)
    let ranges = SampleMeasurements.lying(
      40, hours: 14, at: stride(from: 20, to: 50_000, by: 100), stretch: 20, PositionDistribution(model),
      stream: "wandering")
    let found = try #require(WanderingFit(ranges, isTimed: false))
    #expect(found.time > 14_000 && found.time < 28_000, "\(found)")
    #expect(abs(found.jitter - 0.1) < 0.03, "\(found)")
  }
}
