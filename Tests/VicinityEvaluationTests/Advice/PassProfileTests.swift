import Testing
import VicinityTestSupport

@testable import VicinityEvaluation

@Suite("How near a pass keeps, and for how long")
struct PassProfileTests {
  @Test("By hand: approach, stay, departure")
  func byHand() {
    let profile = PassProfile([9, 5, 2, 3, 7, 1, 8], steps: [0, 1, 2, 6], core: 2...3)
    // Any single step of the core: 2; two steps: 2 and 3; three: 5, 2, 3; all: 9.
    #expect(profile.radii == [2, 3, 5, 9])
    let lengths = [0.0, 1, 2, 6]
    #expect(profile.duration(within: 1.9, lengths: lengths) == nil)
    #expect(profile.duration(within: 2, lengths: lengths) == 0)
    #expect(profile.duration(within: 2.5, lengths: lengths) == 0.5)
    #expect(profile.duration(within: 7, lengths: lengths) == 4)
    #expect(profile.duration(within: 100, lengths: lengths) == 6)
  }

  @Test("A track that is too short has no such stretch")
  func short() {
    let profile = PassProfile([4, 4], steps: [0, 1, 2], core: 0...1)
    #expect(profile.radii == [4, 4, .infinity])
    #expect(profile.duration(within: 4, lengths: [0, 1, 2]) == 1)
  }

  @Test("As trying every stretch does", arguments: UInt64(0)..<200)
  func oracle(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let distances = (0..<(1 + random.below(40))).map { _ in Double(random.below(12)) }
    let low = random.below(distances.count)
    let core = low...(low + random.below(distances.count - low))
    let steps = [0, 1, 2, 5, 11, 39]
    let expected = steps.map { length in
      var least = Double.infinity
      for start in distances.indices where start + length < distances.count {
        guard start <= core.upperBound, start + length >= core.lowerBound else { continue }
        least = min(least, distances[start...(start + length)].max() ?? 0)
      }
      return least
    }
    #expect(PassProfile(distances, steps: steps, core: core).radii == expected, "seed \(seed)")
  }
}
