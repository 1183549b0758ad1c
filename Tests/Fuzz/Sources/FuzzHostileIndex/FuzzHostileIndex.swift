import Harness
internal import VicinityIndex

/// Any bytes as a script of changes to the numbers of an index file, whose checksums are made to match: where
/// `FuzzIndex` seldom gets past what opening checks, most of these open. Every query, every rule of
/// crossings, fleets and plans end; and what verification of the contents passes answers rightly.
@_cdecl("FuzzHostileIndex_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  guard let samples = try? HostileIndex.samples().map(bytes) else { return 1 }
  return fuzz(count, arguments, seeds: seeds) { input in
    var script = Script(rest: input[...])
    let variant = Int(script.next() & 0xFF)
    var bytes = samples[Int(script.next() % UInt64(samples.count))]
    HostileIndex.change(&bytes, &script)
    do {
      if case .wrong(let what) = try HostileIndex.outcome(of: bytes, variant: variant) { finding(what) }
    } catch {
      finding("\(error)")
    }
  }
}

/// Four bytes for each choice; zeros when they are used up.
private struct Script: RandomNumberGenerator {
  var rest: ArraySlice<UInt8>

  mutating func next() -> UInt64 {
    let word = rest.prefix(4).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    rest = rest.dropFirst(4)
    return word | word << 32
  }
}

private func bytes(_ index: RegionIndex) throws -> [UInt8] {
  let path = scratchPath("sample.vicinity")
  defer { remove(path) }
  try index.write(to: path)
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&buffer, 1, buffer.count, file)
  return Array(buffer.prefix(count))
}

/// Scripts of every length.
private var seeds: [[UInt8]] {
  (0..<64).map { i in
    (0..<40 + 4 * i).map { UInt8(truncatingIfNeeded: ($0 &* 167) ^ (i &* 89) ^ ($0 &* $0 >> 5)) }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
