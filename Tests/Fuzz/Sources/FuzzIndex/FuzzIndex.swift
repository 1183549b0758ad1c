import Harness
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// Any bytes as an index file, with checksums made to match: opened or refused, every query answered, and
/// answered rightly wherever the contents have been verified.
@_cdecl("FuzzIndex_main")
public func main(_ count: CInt, _ arguments: Arguments?) -> CInt {
  fuzz(count, arguments, seeds: try seeds()) { input in
    _ = try? RegionIndex(bytes: input, verifying: true)
    var bytes = input
    // Insertions and deletions would only ever be found out by the length.
    if bytes.count >= IndexBytes.headerSize {
      let stated = Int(clamping: IndexBytes.word(bytes, IndexBytes.fileSizeField))
      if stated >= IndexBytes.headerSize, stated < 1 << 16 {
        bytes = Array(bytes.prefix(stated)) + [UInt8](repeating: 0, count: max(0, stated - bytes.count))
      }
    }
    IndexBytes.reseal(&bytes)
    guard let index = try? RegionIndex(bytes: bytes, verifying: true) else { return }
    let positions = [IndexExercise.positions[input.count & 3]]
    do {
      try IndexExercise.run(index, positions: positions)
    } catch {
      finding("\(error)")
    }
    guard (try? index.verify(contents: true)) != nil else { return }
    if let wrong = try? IndexExercise.disagreement(index, positions: positions) { finding(wrong) }
  }
}

private func seeds() throws -> [[UInt8]] {
  var result: [[UInt8]] = []
  for (circles, polygons) in [(0, 0), (1, 0), (3, 1), (20, 0), (0, 2), (40, 3), (280, 0)] {
    var set = RegionSet()
    for i in 0..<circles {
      let center = Coordinate(
        latitude: Double(i * 37 % 181) - 90, longitude: Double(i * 101 % 361) - 180)
      try set.append(
        Region(identifier: "c\(i)", center: center, radius: [0, 100, 5e3, 3e5, 4e6][i % 5]))
    }
    for i in 0..<polygons {
      let (south, west, size) = (Double(i) * 20 - 10, Double(i) * 90 + 10, 0.1 + 0.4 * Double(i))
      let ring = [(0.0, 0.0), (0, 1), (1, 1), (1, 0)].map { dy, dx in
        Coordinate(latitude: south + size * dy, longitude: west + size * dx)
      }
      try set.append(Region(identifier: "p\(i)", polygon: try Polygon(exterior: ring)))
    }
    let path = scratchPath("seed.vicinity")
    try RegionIndex(set).write(to: path)
    result.append(try bytes(path))
  }
  return result
}

private func bytes(_ path: String) throws -> [UInt8] {
  defer { remove(path) }
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&buffer, 1, buffer.count, file)
  return Array(buffer.prefix(count))
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
