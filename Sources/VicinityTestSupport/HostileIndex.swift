internal import VicinityGeodesy
public import VicinityIndex
internal import VicinityPolygon

/// Index files with right checksums and wrong contents, as somebody with ill intent would make them: by the
/// specification, not by the library's own constants.
public enum HostileIndex {
  /// What became of a file.
  public enum Outcome: Equatable, Sendable {
    /// An error.
    case refused
    /// It answered; by checksums alone nobody can say whether rightly.
    case answered
    /// Its contents were verified, and its answers are right.
    case trusted
    /// Its contents were verified, and its answers are wrong: in which way.
    case wrong(String)
  }

  /// Opens a file and asks it everything.
  ///
  /// - Parameter variant: What differs from one call to the next, so that many calls ask more than one could
  ///   in the time.
  public static func outcome(of bytes: [UInt8], variant: Int) throws -> Outcome {
    guard let index = try? RegionIndex(bytes: bytes, verifying: variant & 1 == 0 ? .checksums : .structure)
    else { return .refused }
    let positions = [IndexExercise.positions[variant >> 4 & 3]]
    try CrossingExercise.run(index, variant: variant)
    if variant & 15 == 0 { try IndexExercise.run(index, positions: positions) }
    guard (try? index.verify(contents: true)) != nil else { return .answered }
    if let wrong = try CrossingExercise.disagreement(index) { return .wrong(wrong) }
    if variant & 15 == 1, let wrong = try IndexExercise.disagreement(index, positions: positions) {
      return .wrong(wrong)
    }
    return .trusted
  }

  /// Changes some numbers of an index file, and makes its checksums anew.
  ///
  /// Most changes leave the file's shape as it is, so that it opens: floats of boxes, places and records,
  /// ordinals, the numbers of polygons. Some change what opening checks: children, counts, offsets.
  ///
  /// - Precondition: the file is one that the library wrote, of at least one region.
  public static func change(_ bytes: inout [UInt8], _ random: inout some RandomNumberGenerator) {
    let layout = Layout(bytes)
    for _ in 0...below([1, 1, 2, 4][below(4, &random)], &random) { changeOne(&bytes, layout, &random) }
    IndexBytes.reseal(&bytes)
  }

  /// Indexes to begin with: circles in a city and all over the Earth, polygons of few and of many edges,
  /// leaves of one region and trees of several levels.
  public static func samples() throws -> [RegionIndex] {
    try [(1, 0), (24, 3), (60, 0), (300, 0), (7, 20), (3, 1)].enumerated().map { number, counts in
      var set = RegionSet()
      for i in 0..<counts.0 {
        try set.append(
          Region(
            identifier: "c\(i)", center: place(i, number),
            radius: [40, 120, 0, 900, 60, 5e3, 250, 3e5, 4e6][i * (number + 1) % 9]))
      }
      for i in 0..<counts.1 {
        // The last sample's polygon has a tree of two levels.
        let corners = counts.1 == 1 ? 700 : 5 + 4 * i
        let center = place(i * 3 + 1, number)
        let ring = (0..<corners).map { k in
          let angle = 2 * Double.pi * Double(k) / Double(corners)
          let reach = (i % 3 == 2 ? 0.3 : 0.002) * (k % 2 == 0 ? 1 : 0.8)
          return Coordinate(
            latitude: center.latitude + reach * sine(angle),
            longitude: center.longitude + 1.4 * reach * sine(angle + .pi / 2))
        }
        try set.append(Region(identifier: "p\(i)", polygon: try Polygon(exterior: ring)))
      }
      return try RegionIndex(set)
    }
  }

  /// Most places are in the city that ``CrossingExercise`` goes through, the others anywhere.
  private static func place(_ i: Int, _ sample: Int) -> Coordinate {
    if i % 5 == 4 {
      return Coordinate(latitude: Double(i * 37 % 179) - 89, longitude: Double(i * 101 % 361) - 180)
    }
    return Coordinate(
      latitude: 48.2 + 4e-4 * Double(i * 7 % 23 - 4) * Double(1 + sample % 3),
      longitude: 16.37 + 4e-4 * Double(i * 11 % 29 - 6) * Double(1 + sample % 3))
  }

  /// The sine to a millionth or so, by nothing that a system could do in its own way.
  private static func sine(_ angle: Double) -> Double {
    let x = angle.remainder(dividingBy: 2 * .pi)
    let z = x * x
    return x * (1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110 * (1 - z / 156))))))
  }

  /// Where the parts of a file are.
  private struct Layout {
    let regions: Int
    let nodes: Int
    let leaves: Int
    let polygons: Int
    /// Where each section starts, and the last one's length.
    let starts: [Int]
    let polygonByteCount: Int

    init(_ bytes: [UInt8]) {
      func number(_ offset: Int) -> Int { Int(truncatingIfNeeded: IndexBytes.word(bytes, offset)) }
      (regions, polygons, nodes, leaves) = (number(24), number(32), number(40), number(48))
      starts = (0..<8).map { number(256 + 32 * $0) }
      polygonByteCount = number(256 + 32 * 7 + 8)
    }
  }

  private static func changeOne(
    _ bytes: inout [UInt8], _ layout: Layout, _ random: inout some RandomNumberGenerator
  ) {
    let start = layout.starts
    switch below(layout.polygons > 0 ? 20 : 15, &random) {
    case 0..<4:
      // A row of a node: the boxes' centres and half extents, the largest radius.
      let row = start[0] + 512 * below(layout.nodes, &random) + 64 * below(7, &random)
      changeLanes(&bytes, row, &random)
    case 4..<7:
      changeLanes(
        &bytes, start[1] + 960 * below(layout.leaves, &random) + 64 * below(5, &random), &random)
    case 7..<11:
      // The records of the first leaves are in use; those of padding lanes are tried as well.
      let record =
        start[1] + 960 * below(layout.leaves, &random) + 320 + 40 * below(16, &random)
      switch below(7, &random) {
      case 0..<3: putFloat(&bytes, record + 4 * below(3, &random), &random)
      case 3: putWord(&bytes, record + 12, layout.regions, &random)
      default: putDouble(&bytes, record + 16 + 8 * below(3, &random), &random)
      }
    case 11: putWord(&bytes, start[2] + 4 * below(layout.regions, &random), 16 * layout.leaves, &random)
    case 12:
      let section = 3 + 2 * below(2, &random)
      putWord(&bytes, start[section] + 4 * below(layout.regions, &random), layout.regions, &random)
    case 13:
      putWord(
        &bytes, start[0] + 512 * below(layout.nodes, &random) + 448 + 4 * below(16, &random),
        layout.leaves, &random)
    case 14:
      // The header: counts, and the sections' offsets and lengths.
      let field = below(4, &random) == 0 ? 256 + 8 * below(32, &random) : 16 + 8 * below(5, &random)
      let value = words[below(words.count, &random)]
      IndexBytes.put(
        below(2, &random) == 0 ? UInt64(value) : IndexBytes.word(bytes, field) &+ UInt64(value & 3),
        in: &bytes, at: field)
    case 15:
      putWord(&bytes, start[6] + 8 * below(layout.polygons + 1, &random), layout.polygonByteCount, &random)
    default: changePolygon(&bytes, start[7], layout.polygonByteCount, &random)
    }
  }

  /// Changes one lane of a row of sixteen floats, or all.
  private static func changeLanes(
    _ bytes: inout [UInt8], _ row: Int, _ random: inout some RandomNumberGenerator
  ) {
    if below(6, &random) > 0 { return putFloat(&bytes, row + 4 * below(16, &random), &random) }
    putFloat(&bytes, row, &random)
    for lane in 1..<16 { for i in 0..<4 { bytes[row + 4 * lane + i] = bytes[row + i] } }
  }

  /// Changes a number of a polygon: of its header, its boxes, its groups of edges, or its coordinates.
  private static func changePolygon(
    _ bytes: inout [UInt8], _ start: Int, _ byteCount: Int, _ random: inout some RandomNumberGenerator
  ) {
    // Records start at multiples of 64, and most have little more than a header and a group.
    let place = start + 8 * below(byteCount / 8, &random)
    switch below(4, &random) {
    case 0: putFloat(&bytes, place + 4 * below(2, &random), &random)
    case 1: putDouble(&bytes, place, &random)
    case 2: for i in 0..<2 { bytes[place + i] = UInt8(truncatingIfNeeded: random.next()) }
    default: bytes[place + below(8, &random)] ^= 1 << UInt8(below(8, &random))
    }
  }

  // MARK: Numbers that break things

  private static let floats: [Float] = [
    .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 3.4e38, 1e38, -1e38,
    1e30, 1e19, -1e19, 1e12, 1e9,
    -1e9, 1e8, 1e7, 1e4, 1, -1, 0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude,
  ]

  private static let doubles: [Double] = [
    .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, 1e155, -1e155,
    1e38, 1e19, 1e9, 2e7, 9e6, 5e5,
    1e5, 360, 180, -180.5, 91, 90, 1, -1, 0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude,
  ]

  private static let words: [UInt32] = [
    0, 1, 2, 15, 16, 17, 63, 64, 255, 65535, 0x3FFF_FFFF, 0x4000_0000, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001,
    0xC000_0000, 0xFFFF_FFFE,
    0xFFFF_FFFF,
  ]

  private static func putFloat(_ bytes: inout [UInt8], _ at: Int, _ random: inout some RandomNumberGenerator)
  {
    let old = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
    let bits: UInt32
    switch below(4, &random) {
    case 0: bits = UInt32(truncatingIfNeeded: random.next())
    case 1: bits = old ^ 1 << UInt32(below(32, &random))
    default: bits = floats[below(floats.count, &random)].bitPattern
    }
    for i in 0..<4 { bytes[at + i] = UInt8(truncatingIfNeeded: bits >> UInt32(8 * i)) }
  }

  private static func putDouble(_ bytes: inout [UInt8], _ at: Int, _ random: inout some RandomNumberGenerator)
  {
    let bits: UInt64
    switch below(4, &random) {
    case 0: bits = random.next()
    case 1: bits = IndexBytes.word(bytes, at) ^ 1 << UInt64(below(64, &random))
    default: bits = doubles[below(doubles.count, &random)].bitPattern
    }
    IndexBytes.put(bits, in: &bytes, at: at)
  }

  /// A number below `limit`, or one near it, or one that is far too large.
  private static func putWord(
    _ bytes: inout [UInt8], _ at: Int, _ limit: Int, _ random: inout some RandomNumberGenerator
  ) {
    let value: UInt32
    switch below(4, &random) {
    case 0: value = UInt32(truncatingIfNeeded: below(max(1, limit), &random))
    case 1: value = UInt32(truncatingIfNeeded: limit + below(3, &random) - 1)
    default: value = words[below(words.count, &random)]
    }
    for i in 0..<4 { bytes[at + i] = UInt8(truncatingIfNeeded: value >> UInt32(8 * i)) }
  }

  private static func below(_ bound: Int, _ random: inout some RandomNumberGenerator) -> Int {
    Int(truncatingIfNeeded: random.next() % UInt64(bound))
  }
}
