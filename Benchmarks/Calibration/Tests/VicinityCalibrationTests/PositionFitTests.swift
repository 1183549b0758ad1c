import Testing
import VicinityCrossings

@testable import VicinityCalibration
@testable import VicinityGeodesy
@testable import VicinitySimulation

@Suite("Fitted positions")
struct PositionFitTests {
  private static let noNoise = PositionFit(noise: NoiseDeconvolution(Sample([])), source: "test")

  @Test("The model that made the errors is found again", arguments: [(20.0, 0.3), (60, 0.7)])
  func recovers(correlationTime: Double, association: Double) throws {
    let model = try SampleMeasurements.model(
      error: 8, reported: 12, correlationTime: correlationTime, association: association)
    let series = (0..<8).map { SampleMeasurements.errors(model, seconds: 4000, seed: UInt64($0) + 10) }
    let found = try #require(Self.noNoise.model(series, fallbackTime: SampleProfile.figure(1)))
    #expect(abs(found.error.value(at: 0.5) / 8 - 1) < 0.1)
    #expect(abs(found.error.value(at: 0.95) / model.error.value(at: 0.95) - 1) < 0.15)
    #expect(abs(found.reported.value(at: 0.5) / 12 - 1) < 0.1)
    #expect(abs(found.association.value - association) < 0.1)
    let ratio = found.correlationTime.value / correlationTime
    #expect(ratio > 0.7 && ratio < 1.4, "\(found.correlationTime.value)")
    #expect(found.correlationTime.basis == .measured)
  }

  @Test func fewErrorsAreNoModel() throws {
    let model = try SampleMeasurements.model(error: 8, reported: 12, correlationTime: 20, association: 0.3)
    let series = [SampleMeasurements.errors(model, seconds: 19, seed: 1)]
    #expect(Self.noNoise.model(series, fallbackTime: SampleProfile.figure(1)) == nil)
    #expect(Self.noNoise.model([], fallbackTime: SampleProfile.figure(1)) == nil)
  }

  @Test func equalErrorsHaveNoCorrelationTime() {
    let errors = (0..<100).map {
      MeasuredError(time: Double($0), truth: .site, error: 5, accuracy: 10, speed: 0)
    }
    #expect(PositionFit.correlationTime([errors]) == nil)
    #expect(PositionFit.association(errors) == 0)
  }

  @Test func spellsOfCells() throws {
    var process = SpellProcess(RandomStream(seed: 5, "spells"))
    let errors = (0..<40_000).map { second in
      let isIn = process.isInSpell(
        share: 0.1, duration: 90, at: Timestamp(microseconds: Int64(second) * 1_000_000))
      return MeasuredError(
        time: Double(second), truth: .reference, error: 5, accuracy: isIn ? 1500 : 65, speed: 10)
    }
    let found = try #require(PositionFit.spells([errors], accuracy: 500))
    #expect(abs(found.share / 0.1 - 1) < 0.25, "\(found)")
    #expect(abs(found.duration / 90 - 1) < 0.25, "\(found)")
    #expect(PositionFit.spells([errors.filter { $0.accuracy < 500 }], accuracy: 500) == nil)
  }
}

@Suite("Samples")
struct SampleTests {
  @Test func quantiles() {
    let sample = Sample([4, 1, 3, 2])
    #expect(sample.median == 2.5)
    #expect(sample.quantile(0) == 1)
    #expect(sample.quantile(1) == 4)
    #expect(Sample([]).median == nil)
    #expect(Sample([7]).quantile(0.3) == 7)
  }

  @Test func fourDigits() {
    #expect(Sample.rounded(123_456) == 123_500)
    #expect(Sample.rounded(0.000123456) == 0.0001235)
    #expect(Sample.rounded(-2.00004) == -2)
    #expect(Sample.rounded(.nan) == 0)
    #expect("\(Sample.rounded(0.1 + 0.2))" == "0.3")
  }

  @Test("An interval holds the median in about 19 of 20 samples")
  func coverage() throws {
    var random = RandomStream(seed: 9, "coverage")
    var held = 0
    for trial in 0..<100 {
      // Twelve days that differ from each other, of thirty numbers each.
      let clusters = (0..<12).map { _ in
        let day = 3 * random.normal()
        return (0..<30).map { _ in 20 + day + random.normal() }
      }
      let interval = try #require(ClusteredSample(clusters).interval(0.5, seed: UInt64(trial), rounds: 200))
      if interval.contains(20) { held += 1 }
    }
    #expect(held >= 82 && held <= 100, "\(held)")
  }

  @Test func histogramsAgreeWithSorting() throws {
    var random = RandomStream(seed: 10, "histograms")
    let clusters = (0..<10).map { _ in (0..<150).map { _ in random.logNormal(median: 10, spread: 1) } }
    let many = clusters + clusters
    let few = try #require(ClusteredSample(clusters).interval(0.5, seed: 1))
    let binned = try #require(ClusteredSample(many).interval(0.5, seed: 1))
    #expect(binned.lowerBound > few.lowerBound * 0.95 && binned.upperBound < few.upperBound * 1.05)
    #expect(ClusteredSample([[1, 2]]).interval(0.5, seed: 1) == nil)
  }
}
