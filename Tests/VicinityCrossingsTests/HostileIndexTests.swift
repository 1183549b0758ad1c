import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

/// Index files with right checksums and wrong contents, asked everything: nothing in a file chooses an
/// address or a loop without an end, and what is verified answers rightly.
@Suite struct HostileIndexTests {
  private static func bytes(_ index: RegionIndex) throws -> [UInt8] {
    let path = TemporaryFile.path("hostile.vicinity")
    defer { TemporaryFile.remove(path) }
    try index.write(to: path)
    return try TemporaryFile.bytes(path)
  }

  /// Makes the error of every distance to a node's regions infinite: then lanes that hold no circle passed
  /// the tests, too.
  @Test(arguments: [Float(3.4e38), .infinity, 1e38, .nan])
  func anExtentWithoutEndLeadsNowhere(_ extent: Float) throws {
    for sample in try HostileIndex.samples() {
      let whole = try Self.bytes(sample)
      for row in [192, 256, 320, 384] {
        var bytes = whole
        for lane in 0..<16 where bytes[1024 + 448 + 4 * lane + 3] != 0xFF {
          for i in 0..<4 {
            bytes[1024 + row + 4 * lane + i] = UInt8(truncatingIfNeeded: extent.bitPattern >> UInt32(8 * i))
          }
        }
        IndexBytes.reseal(&bytes)
        for verifying in [RegionIndex.Verification.structure, .checksums] {
          let index = try RegionIndex(bytes: bytes, verifying: verifying)
          for variant in [0, 3] { try CrossingExercise.run(index, variant: variant) }
          try IndexExercise.run(index, positions: [CrossingExercise.middle])
        }
        #expect(throws: IndexFormatError.self) { try RegionIndex(bytes: bytes, verifying: .contents) }
      }
    }
  }

  @Test func samplesAnswerRightly() throws {
    for sample in try HostileIndex.samples() {
      for variant in 0..<4 {
        #expect(try HostileIndex.outcome(of: Self.bytes(sample), variant: variant) == .trusted)
      }
    }
  }

  @Test func hostileFilesNeitherCrashNorHang() throws {
    let samples = try HostileIndex.samples().map(Self.bytes)
    let seed: UInt64 = 0x5EA1ED
    var (answered, trusted) = (0, 0)
    let count = unsafe getenv("VICINITY_LONG_TESTS") != nil ? 1_000_000 : 3000
    for round in 0..<count {
      var random = SplitMix64(seed: seed &+ UInt64(round))
      var bytes = samples[random.below(samples.count)]
      HostileIndex.change(&bytes, &random)
      switch try HostileIndex.outcome(of: bytes, variant: round) {
      case .refused: break
      case .answered: answered += 1
      case .trusted: trusted += 1
      case .wrong(let what): Issue.record("seed \(seed), round \(round): \(what)")
      }
    }
    #expect(answered > count / 4)
    #expect(trusted > count / 20)
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
