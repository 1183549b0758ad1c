import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Damaged and hostile bytes: a typed error, or answers that may be wrong but come, and come to an end.
@Suite struct IndexDamageTests {
  @Test func everyTruncationIsRefused() throws {
    let bytes = try IndexSample.bytes(circles: 3, polygons: 1)
    let path = TemporaryFile.path("cut.vicinity")
    defer { TemporaryFile.remove(path) }
    for length in 0..<bytes.count {
      let cut = Array(bytes[..<length])
      let expected: IndexFormatError =
        length < 8
        ? .badMagic(cut)
        : .truncated(
          expectedByteCount: length < 1024 ? 1024 : bytes.count, actualByteCount: length)
      #expect(throws: expected) { try RegionIndex(bytes: cut, verifying: false) }
      if length % 64 < 2 || length < 16 {
        try TemporaryFile.write(cut, to: path)
        #expect(throws: expected) { try RegionIndex(contentsOf: path, verifying: false) }
        #expect(throws: expected) { try RegionIndex(contentsOf: path, copying: true) }
      }
    }
  }

  @Test func everyFlippedByteIsFound() throws {
    let bytes = try IndexSample.bytes(circles: 3, polygons: 1)
    var opened = 0
    for i in bytes.indices {
      for flip in [0x01, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[i] ^= flip
        #expect(throws: IndexFormatError.self, "byte \(i) ^ \(flip)") {
          try RegionIndex(bytes: damaged)
        }
        guard let index = try? RegionIndex(bytes: damaged, verifying: false) else { continue }
        opened += 1
        if i % 3 == 0 || IndexSample.runsLongTests {
          try IndexExercise.run(index, positions: [IndexExercise.positions[i / 3 & 3]])
        }
        // What has not been verified is not made to look so by being written again.
        if flip == 1, i % 97 == 0 {
          let copy = try IndexSample.bytes(index)
          #expect(copy == damaged)
        }
      }
    }
    #expect(opened > 1000)
  }

  /// Numbers that break things.
  static let hostileWords: [UInt64] = [
    0, 1, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0xC000_0000, 0x3FFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF,
    0x7F80_0000_7F80_0000, 0xFF80_0000_FF80_0000, 0x7FC0_0000_7FC0_0000, 0x7FF0_0000_0000_0000,
    0x7FF8_0000_0000_0000, 0x7F7F_FFFF_7F7F_FFFF, 0xFF7F_FFFF_FF7F_FFFF, 0x4E6E_6B28_4E6E_6B28,
    Double.greatestFiniteMagnitude.bitPattern, (-1.0).bitPattern, (91.0).bitPattern, (1e300).bitPattern,
  ]

  static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    for _ in 0...random.below(8) {
      // The header only now and then: hardly anything of it may differ.
      let low = random.below(20) == 0 ? 8 : 1024
      let at = low + random.below(bytes.count - low)
      switch random.below(5) {
      case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes[at] ^= 1 << UInt8(random.below(8))
      case 2:
        let word = hostileWords[random.below(hostileWords.count)]
        let start = at & ~3
        for i in 0..<(random.below(2) == 0 ? 4 : 8) where start + i < bytes.count {
          bytes[start + i] = UInt8(truncatingIfNeeded: word >> UInt64(8 * i))
        }
      case 3:
        // One field's neighbour in its place.
        let from = low + random.below(bytes.count - low)
        for i in 0..<(4 << random.below(5)) where max(at & ~3, from & ~3) + i < bytes.count {
          bytes[(at & ~3) + i] = bytes[(from & ~3) + i]
        }
      default:
        let word = hostileWords[random.below(hostileWords.count)]
        for i in 0..<64 where (at & ~63) + i < bytes.count {
          bytes[(at & ~63) + i] = UInt8(truncatingIfNeeded: word >> UInt64(8 * (i & 7)))
        }
      }
    }
  }

  @Test func resealedDamageNeitherCrashesNorHangs() throws {
    let samples = [
      try IndexSample.bytes(circles: 3, polygons: 1), try IndexSample.bytes(circles: 24, polygons: 4),
      try IndexSample.bytes(circles: 290, polygons: 0), try IndexSample.bytes(circles: 0, polygons: 40),
    ]
    let seed: UInt64 = 0xDA3A6E
    var random = SplitMix64(seed: seed)
    var opened = 0
    var trusted = 0
    for round in 0..<(IndexSample.runsLongTests ? 200_000 : 700) {
      var bytes = samples[random.below(samples.count)]
      Self.mutate(&bytes, &random)
      IndexBytes.reseal(&bytes)
      guard let index = try? RegionIndex(bytes: bytes, verifying: true) else { continue }
      opened += 1
      try IndexExercise.run(index, positions: [IndexExercise.positions[round & 3]])
      guard (try? index.verify(contents: true)) != nil else { continue }
      trusted += 1
      let wrong = try IndexExercise.disagreement(index, positions: [IndexExercise.positions[round & 3]])
      #expect(wrong == nil, "seed \(seed), round \(round)")
    }
    #expect(opened > 150)
    #expect(trusted > 5)
  }

  /// Any word may be no number: bounds, centres, radii. Distances that come of it are compared with others,
  /// and sorted.
  @Test func aNumberThatIsNoneNeverLeadsAstray() throws {
    for (circles, polygons) in [(24, 0), (12, 1)] {
      let sample = try IndexSample.bytes(circles: circles, polygons: polygons)
      var opened = 0
      for at in stride(from: IndexBytes.headerSize, to: sample.count - 3, by: 4) {
        var bytes = sample
        for (i, byte) in [UInt8(0), 0, 0xC0, 0x7F].enumerated() { bytes[at + i] = byte }
        IndexBytes.reseal(&bytes)
        guard let index = try? RegionIndex(bytes: bytes, verifying: true) else { continue }
        opened += 1
        try IndexExercise.run(index, positions: IndexExercise.positions)
      }
      #expect(opened > 100)
    }
  }

  /// A node that says that everything below it is the same circle has to be right: searches rely on it.
  @Test func falseSamenessIsFound() throws {
    let place = Coordinate(latitude: 48, longitude: 16)
    for isSame in [false, true] {
      let regions = (0..<6000).map { i in
        Region(
          identifier: "\(i)",
          center: isSame ? place : Coordinate(latitude: 48, longitude: 16 + 1e-3 * Double(i)),
          radius: 100)
      }
      let bytes = try IndexSample.bytes(RegionIndex(regions))
      let index = try RegionIndex(bytes: bytes)
      try index.verify(contents: true)
      let nodes = Int(IndexBytes.word(bytes, 256))
      let children = (0..<index.tree.view.nodeCount * 16).map { i in
        (
          offset: nodes + i / 16 * 512 + TreeLayout.child + i % 16 * 4,
          child: index.tree.view.child(i / 16, i % 16)
        )
      }.filter { $0.child != TreeLayout.absent && $0.child & TreeLayout.leafFlag == 0 }
      #expect(!children.isEmpty && children.allSatisfy { ($0.child & TreeLayout.runFlag != 0) == isSame })
      guard !isSame else { continue }
      for (offset, _) in children {
        var changed = bytes
        changed[offset + 3] |= 0x40
        IndexBytes.reseal(&changed)
        let lying = try RegionIndex(bytes: changed)
        #expect(throws: IndexFormatError.self) { try lying.verify(contents: true) }
        try IndexExercise.run(lying)
      }
    }
  }

  /// Lies that checksums cannot find, each told alone.
  @Test func contentsAreCompared() throws {
    let bytes = try IndexSample.bytes(circles: 40, polygons: 2)
    try RegionIndex(bytes: bytes).verify(contents: true)
    func offset(_ section: Int) -> Int { Int(IndexBytes.word(bytes, 256 + 32 * section)) }
    func expectFound(_ what: String, _ change: (inout [UInt8]) -> Void) throws {
      var changed = bytes
      change(&changed)
      #expect(changed != bytes)
      IndexBytes.reseal(&changed)
      let index = try RegionIndex(bytes: changed)
      #expect(throws: IndexFormatError.self, "\(what)") { try index.verify(contents: true) }
      try IndexExercise.run(index)
    }
    let nodes = offset(0)
    let leaf = offset(1)
    let record = leaf + TreeLayout.recordOffset
    try expectFound("centre of a node's child") { $0[nodes + 2] ^= 0x40 }
    try expectFound("half extent") { for i in 0..<4 { $0[nodes + 192 + i] = 0 } }
    try expectFound("reach") { for i in 0..<4 { $0[nodes + 384 + 4 + i] = 0 } }
    try expectFound("reach that is no number") { for i in 0..<4 { $0[nodes + 384 + i] = 0xFF } }
    try expectFound("place in a leaf") { $0[leaf + 2] ^= 1 }
    try expectFound("what rounding left of it") { $0[record + 2] ^= 0x40 }
    try expectFound("place in a leaf with what rounding left of it made to fit") { bytes in
      func float(_ offset: Int) -> Float {
        Float(
          bitPattern: UInt32(
            truncatingIfNeeded: (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }))
      }
      func put(_ value: Float, _ offset: Int) {
        for i in 0..<4 { bytes[offset + i] = UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * i)) }
      }
      // 65536 and its multiples leave the sum as it is.
      put(float(leaf) + 65536, leaf)
      put(float(record) - 65536, record)
    }
    let polygonLeaf = try #require(
      stride(from: leaf, to: offset(2), by: TreeLayout.leafSize).first { start in
        let record = start + TreeLayout.recordOffset
        return IndexBytes.word(bytes, record) >> 32 == UInt64(TreeLayout.polygonMark)
      })
    for (what, number) in [
      ("infinite", Float.infinity), ("minus infinite", -.infinity), ("not a number", .nan), ("far", 1e30),
    ] {
      for row in [TreeLayout.leafX, TreeLayout.leafY, TreeLayout.leafZ] {
        try expectFound("place of a polygon that is \(what)") { bytes in
          for i in 0..<4 {
            bytes[polygonLeaf + row + i] = UInt8(
              truncatingIfNeeded: number.bitPattern >> UInt32(8 * i))
          }
        }
      }
    }
    try expectFound("reach in a leaf") { for i in 0..<4 { $0[leaf + 192 + 4 + i] = 0 } }
    try expectFound("reach in a leaf larger than the radius") { $0[leaf + 192 + 7] ^= 1 }
    try expectFound("ordinal in a row") { $0[leaf + TreeLayout.leafOrdinals] ^= 1 }
    try expectFound("ordinal") { $0[record + 12] ^= 1 }
    try expectFound("ordinal beyond the count") { $0[record + 14] = 1 }
    try expectFound("latitude") { $0[record + 22] ^= 1 }
    try expectFound("longitude") { $0[record + 30] ^= 1 }
    try expectFound("radius") { for i in 0..<8 { $0[record + 40 + 32 + i] = 0xFF } }
    try expectFound("positions") { bytes in
      for i in 0..<4 { bytes.swapAt(offset(2) + i, offset(2) + 4 + i) }
    }
    try expectFound("identifier's end") { $0[offset(3)] += 1 }
    try expectFound("identifier's end beyond the text") { $0[offset(3) + 3] = 0xFF }
    try expectFound("identifier") { $0[offset(4)] ^= 1 }
    try expectFound("identifier given twice") { bytes in
      let start = offset(4)
      // Ordinals 1 and 2, "circle 0" and "circle 1".
      let second = Int(bytes[offset(3) + 4])
      for i in 0..<8 { bytes[start + second + i] = bytes[start + second - 8 + i] }
    }
    try expectFound("identifier given twice, with a table that is made of the two") { bytes in
      let (ends, text, table, slots) = (offset(3), offset(4), offset(5), 64)
      func end(_ ordinal: Int) -> Int {
        Int(bytes[ends + 4 * ordinal]) | Int(bytes[ends + 4 * ordinal + 1]) << 8
      }
      let second = end(1)
      for i in 0..<8 { bytes[text + second + i] = bytes[text + second - 8 + i] }
      for i in 0..<4 * slots { bytes[table + i] = 0xFF }
      for ordinal in 0..<42 {
        let start = ordinal == 0 ? 0 : end(ordinal - 1)
        var slot = Int(IndexBytes.hash(bytes[text + start..<text + end(ordinal)]) % UInt64(slots))
        while bytes[table + 4 * slot] != 0xFF { slot = (slot + 1) % slots }
        for i in 0..<4 { bytes[table + 4 * slot + i] = UInt8(truncatingIfNeeded: ordinal >> (8 * i)) }
      }
    }
    try expectFound("empty identifier table") { bytes in
      for i in 0..<64 * 4 { bytes[offset(5) + i] = 0xFF }
    }
    try expectFound("identifier table with no empty slot") { bytes in
      for i in 0..<64 * 4 { bytes[offset(5) + i] = 0 }
    }
  }
}
