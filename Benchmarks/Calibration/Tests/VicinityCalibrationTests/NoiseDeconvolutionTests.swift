import Testing

@testable import VicinityCalibration
@testable import VicinityGeodesy

@Suite("The truth's own noise")
struct NoiseDeconvolutionTests {
  /// Lengths of vectors of two normal numbers.
  private func lengths(_ deviation: Double, seed: UInt64, count: Int = 20_000) -> [(Double, Double)] {
    var random = RandomStream(seed: seed, "noise")
    return (0..<count).map { _ in (deviation * random.normal(), deviation * random.normal()) }
  }

  private func sample(_ vectors: [(Double, Double)]) -> Sample {
    Sample(vectors.map { ($0.0 * $0.0 + $0.1 * $0.1).squareRoot() })
  }

  @Test("What was added is taken out", arguments: [3.0, 6, 20])
  func recovers(deviation: Double) throws {
    let phone = lengths(deviation, seed: 1)
    let truth = lengths(3, seed: 2)
    let measured = sample(zip(phone, truth).map { ($0.0 + $1.0, $0.1 + $1.1) })
    let deconvolution = NoiseDeconvolution(sample(truth))
    let found = deconvolution.deconvolved(measured.profile)
    let expected = sample(phone).profile
    // The quartiles and the 95 % point; the far ends rest on a few numbers. Noise as long as what it is added
    // to blurs most.
    let tolerance = deviation > 3 ? 0.06 : 0.12
    for index in [3, 4, 5, 7] {
      #expect(
        abs(found[index] / expected[index] - 1) < tolerance,
        "\(Sample.probabilities[index]): \(found) \(expected)"
      )
    }
    // What is found and the noise together are what was measured.
    let again = deconvolution.combined(found)
    #expect(abs(again[4] / measured.profile[4] - 1) < 0.01)
    for index in [3, 4, 5, 6, 7] { #expect(abs(again[index] / measured.profile[index] - 1) < 0.05) }
  }

  @Test func noiseAsLongAsTheErrorLeavesAThird() {
    let noise = sample(lengths(5, seed: 3))
    let found = NoiseDeconvolution(noise).deconvolved(noise.profile)
    for (found, measured) in zip(found, noise.profile) { #expect(found >= measured / 3 * 0.999) }
    #expect(found[4] < noise.profile[4] / 2)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test func withoutNoiseNothingChanges() {
    let measured = sample(lengths(5, seed: 4)).profile
    #expect(NoiseDeconvolution(Sample([])).deconvolved(measured) == measured)
  }
}
