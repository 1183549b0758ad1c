import Foundation
import Testing
import VicinityTestSupport

@testable import VicinityGeodesy

@Suite struct DegreeTrigonometryTests {
  @Test func quartersAreExact() {
    for (k, x) in [-180.0, -90, 0, 90, 180].enumerated() {
      let (sine, cosine) = DegreeTrigonometry.sineAndCosine(SIMD2(x, x))
      #expect(sine == SIMD2(repeating: [0, -1, 0, 1, 0][k]))
      #expect(cosine == SIMD2(repeating: [-1, 0, 1, 0, -1][k]))
    }
  }

  /// The C library, asked for angles its radians round least for.
  @Test func agreesWithTheCLibrary() {
    var random = SplitMix64(seed: 71)
    var worst = 0.0
    for round in 0..<200_000 {
      // Near the seams of the octants, near zero, and anywhere.
      let small = random.uniform(-1...1) * random.logUniform(1e-12...1)
      let x: Double
      switch round % 3 {
      case 0: x = 45 * Double(random.below(9)) - 180 + small
      case 1: x = 180 * small
      default: x = random.uniform(-180...180)
      }
      let clamped = max(-180, min(180, x))
      let (sine, cosine) = DegreeTrigonometry.sineAndCosine(SIMD2(clamped, 90 - abs(clamped)))
      let octant = (clamped / 90).rounded()
      let t = (clamped - 90 * octant) * (.pi / 180)
      let s: [Double] = [sin(t), cos(t), -sin(t), -cos(t)]
      let k = Int(octant) & 3
      worst = largerOrNaN(worst, abs(sine.x - s[k]))
      worst = largerOrNaN(worst, abs(cosine.x - s[(k + 1) & 3]))
      // The complement, within its own rounding.
      #expect(abs(sine.y - cosine.x) < 4e-16)
    }
    #expect(worst <= 3.4e-16)
  }
}
