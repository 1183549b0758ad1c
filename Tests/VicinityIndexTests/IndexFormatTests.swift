import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityIndex

/// The format of the file: fixed, the same in memory and mapped, and refused in words where it is another.
@Suite struct IndexFormatTests {
  /// Centres whose sines and cosines every system computes alike.
  static var goldenSet: RegionSet {
    get throws {
      var set = RegionSet()
      let places: [(Degrees, Degrees)] = [(0, 0), (90, 0), (-90, 0), (0, 180), (0, 90), (0, -90)]
      for i in 0..<20 {
        let place = places[i % places.count]
        try set.appendCircle(
          identifier: Array("r\(i)".utf8), center: Coordinate(latitude: place.0, longitude: place.1),
          radius: Double(i * i * 1000))
      }
      return set
    }
  }

  /// Version 5 for ever: when this changes, so must ``IndexLayout/version``.
  @Test func bytesAreFixed() throws {
    let bytes = try IndexSample.bytes(RegionIndex(try Self.goldenSet))
    #expect(bytes.count == 5824)
    #expect(IndexBytes.hash(bytes[...]) == 0xD0B2_E7E0_9975_876F)
  }

  @Test func headerIsAsSpecified() throws {
    let bytes = try IndexSample.bytes(RegionIndex(try Self.goldenSet))
    #expect(Array(bytes[0..<8]) == Array("VICINITY".utf8))
    #expect(IndexBytes.word(bytes, 8) == 1024 << 32 | 5)
    #expect(IndexBytes.word(bytes, 16) == UInt64(bytes.count))
    #expect(IndexBytes.word(bytes, 24) == 20)
    #expect(IndexBytes.word(bytes, 32) == 0)
    let nodes = IndexBytes.word(bytes, 40)
    let leaves = IndexBytes.word(bytes, 48)
    let lengths = [nodes * 512, leaves * 960, 80, 80, 50, 128, 0, 0]
    var offset: UInt64 = 1024
    for (i, length) in lengths.enumerated() {
      let entry = 256 + 32 * i
      #expect(IndexBytes.word(bytes, entry) == offset)
      #expect(IndexBytes.word(bytes, entry + 8) == length)
      let end = offset + (length + 63) / 64 * 64
      #expect(IndexBytes.word(bytes, entry + 16) == IndexBytes.hash(bytes[Int(offset)..<Int(end)]))
      offset = end
    }
    #expect(offset == UInt64(bytes.count))
    #expect(IndexBytes.word(bytes, 1016) == IndexBytes.hash(bytes[..<1016]))
  }

  @Test(arguments: [(0, 0), (1, 0), (0, 1), (300, 9)])
  func fileAnswersAsMemoryDoes(_ counts: (circles: Int, polygons: Int)) throws {
    let oracle = ListOracle(try IndexSample.listed(circles: counts.circles, polygons: counts.polygons))
    let regions = oracle.regions
    let index = try RegionIndex(regions)
    let path = TemporaryFile.path("same.vicinity")
    defer { TemporaryFile.remove(path) }
    try index.write(to: path)
    #expect(try RegionIndex.isIndexFile(path))
    let bytes = try TemporaryFile.bytes(path)
    #expect(index.byteCount == bytes.count)
    for other in [
      try RegionIndex(contentsOf: path), try RegionIndex(contentsOf: path, verifying: false),
      try RegionIndex(contentsOf: path, copying: true), try RegionIndex(bytes: bytes),
    ] {
      try other.verify(contents: true)
      #expect(other.count == regions.count)
      #expect((0..<other.count).map(other.region) == regions)
      expectNoFault(try oracle.contentsFault(of: other))
      for (i, position) in RegionFamily.uniform.positions(25, among: regions, seed: 4).enumerated() {
        if i < 5 { expectNoFault(try oracle.fault(of: other, at: position), "seed 4") }
        for scans in [false, true] {
          let options = QueryOptions(usesBruteForce: scans)
          #expect(
            try other.nearest(30, to: position, options: options)
              == index.nearest(30, to: position, options: options))
          #expect(
            try other.within(1e6, of: position, options: options)
              == index.within(1e6, of: position, options: options))
        }
      }
      for region in regions {
        #expect(other.ordinal(of: region.identifier) == index.ordinal(of: region.identifier))
      }
      #expect(try IndexSample.bytes(other) == bytes)
    }
  }

  @Test func identifiersMayBeAnyBytes() throws {
    var set = RegionSet()
    let identifiers: [[UInt8]] = [
      [], [0], [0, 0], Array("a\0b".utf8), [0xFF], [0xC3], [0xED, 0xA0, 0x80], Array("ä".utf8),
      Array("a\u{308}".utf8), [UInt8](repeating: 65, count: 70_000),
    ]
    let here = Coordinate(latitude: 1, longitude: 2)
    for identifier in identifiers { try set.appendCircle(identifier: identifier, center: here, radius: 1) }
    let index = try RegionIndex(bytes: try IndexSample.bytes(RegionIndex(set)))
    try index.verify(contents: true)
    for (i, identifier) in identifiers.enumerated() {
      let text = String(decoding: identifier, as: UTF8.self)
      #expect(index.identifier(of: i) == text)
      // What is not UTF-8 has no `String` to be found by.
      #expect(index.ordinal(of: text) == (Array(text.utf8) == identifier ? i : nil))
    }
    try IndexExercise.run(index)
  }

  /// Found by `FuzzPolygon`: coordinates that differ by less than a place can.
  @Test func verticesMayShareAPlace() throws {
    let ring = [(0, 0), (0, 1), (1, 1), (1, 1e-300), (1, 0)].map { lat, lon in
      Coordinate(latitude: lat, longitude: lon)
    }
    let index = try RegionIndex([Region(identifier: "p", polygon: try Polygon(exterior: ring))])
    try index.verify(contents: true)
    #expect(try IndexExercise.disagreement(index) == nil)
  }

  @Test func refusesOtherFilesInWords() throws {
    let bytes = try IndexSample.bytes()
    func error(_ change: (inout [UInt8]) -> Void) -> IndexFormatError? {
      var changed = bytes
      change(&changed)
      do throws(IndexFormatError) {
        _ = try RegionIndex(bytes: changed)
        return nil
      } catch {
        return error
      }
    }
    #expect(error { $0 = [] } == .badMagic([]))
    #expect(error { $0 = Array("VIC".utf8) } == .badMagic(Array("VIC".utf8)))
    #expect(error { $0 = Array("id,latitude,longitude\n".utf8) } == .badMagic(Array("id,latit".utf8)))
    #expect(error { $0[0] = 0 } == .badMagic([0] + Array("ICINITY".utf8)))
    #expect(error { $0 = Array($0[..<8]) } == .truncated(expectedByteCount: 1024, actualByteCount: 8))
    #expect(error { $0[8] = 2 } == .unsupportedVersion(found: 2, supported: 5))
    #expect(error { $0[24] ^= 1 } == .damaged(part: "header", reason: "its checksum does not match"))
    #expect(
      error { $0.removeLast() }
        == .truncated(expectedByteCount: bytes.count, actualByteCount: bytes.count - 1))
    #expect(
      error { $0.append(0) }
        == .damaged(part: "file", reason: "\(bytes.count + 1) bytes where \(bytes.count) belong"))
    // Header fields out of range, with checksums that match.
    for field in [12, 24, 32, 40, 48, 56, 248, 256, 264, 280, 288, 296, 1008] {
      for value in [0, 1, 5, UInt64(UInt32.max), 1 << 62, UInt64.max >> 1, UInt64.max] {
        let found = error {
          IndexBytes.put(value, in: &$0, at: field)
          IndexBytes.put(IndexBytes.hash($0[..<1016]), in: &$0, at: 1016)
        }
        guard IndexBytes.word(bytes, field) != value else { continue }
        guard case .damaged = found else {
          Issue.record("field \(field), \(value): \(String(describing: found))")
          continue
        }
      }
    }
  }

  @Test func tellsWhatItHolds() throws {
    let bytes = try IndexSample.bytes(circles: 101, polygons: 3)
    let index = try RegionIndex(bytes: bytes)
    let details = index.details(comparingChecksums: true)
    #expect(details.formatVersion == 5)
    #expect(details.byteCount == bytes.count)
    #expect(details.regionCount == 104 && details.circleCount == 101 && details.polygonCount == 3)
    #expect(details.radii?.smallest == 0 && details.radii?.largest == 4_000_000)
    #expect(details.radii?.median == 5000 && details.radii?.percentile99 == 4_000_000)
    #expect(details.sections.allSatisfy { $0.isIntact == true })
    #expect(details.sections.map(\.name).prefix(3) == ["nodes", "leaves", "positions"])
    #expect(try RegionIndex([Region]()).details().bounds == nil)
    let pacific = try RegionIndex(
      [170, 179, -179, -170].map { lon in
        Region(identifier: "\(lon)", center: Coordinate(latitude: lon / 10, longitude: lon), radius: 1)
      })
    let bounds = try #require(pacific.details().bounds)
    #expect(bounds == .init(south: -17.9, west: 170, north: 17.9, east: -170))
    #expect(pacific.details(comparingChecksums: true).sections.allSatisfy { $0.isIntact == nil })
    var damaged = bytes
    damaged[1024] ^= 1
    let sections = try RegionIndex(bytes: damaged, verifying: false)
      .details(comparingChecksums: true).sections
    #expect(sections.map(\.isIntact) == [false] + Array(repeating: true, count: 7))
  }
}
