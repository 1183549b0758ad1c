enum IndexHeader {
  typealias Field = IndexLayout.Field

  /// Writes everything but the sections' checksums, which only a file needs.
  static func write(_ layout: IndexLayout, to base: UnsafeMutableRawPointer) {
    for (i, byte) in IndexLayout.magic.enumerated() {
      unsafe base.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
    }
    unsafe put(IndexLayout.version, base, Field.version)
    unsafe put(UInt32(IndexLayout.headerSize), base, Field.headerSize)
    unsafe put(UInt64(layout.fileSize), base, Field.fileSize)
    unsafe put(UInt64(layout.regionCount), base, Field.regionCount)
    unsafe put(UInt64(layout.polygonCount), base, Field.polygonCount)
    unsafe put(UInt64(layout.nodeCount), base, Field.nodeCount)
    unsafe put(UInt64(layout.leafCount), base, Field.leafCount)
    for section in IndexLayout.Section.allCases {
      let entry = Field.sections + section.rawValue * Field.sectionSize
      unsafe put(UInt64(layout.offset(section)), base, entry)
      unsafe put(UInt64(layout.length(section)), base, entry + 8)
    }
  }

  /// A header with checksums of `tree`'s sections and of itself, ready to be written out.
  static func sealed(_ tree: PackedRTree) -> [UInt8] {
    let base = unsafe UnsafeRawPointer(tree.storage.base)
    var header = unsafe [UInt8](
      UnsafeRawBufferPointer(start: base, count: IndexLayout.headerSize))
    unsafe header.withUnsafeMutableBytes { bytes in
      guard let target = bytes.baseAddress else { return }
      for section in IndexLayout.Section.allCases {
        let entry = Field.sections + section.rawValue * Field.sectionSize
        let start = tree.layout.offset(section)
        let sum = unsafe checksum(base, tree.layout, section) { passed in
          tree.storage.letGo(start + passed.lowerBound..<start + passed.upperBound)
        }
        unsafe put(sum, target, entry + 16)
      }
      unsafe put(headerChecksum(UnsafeRawPointer(target)), target, Field.headerChecksum)
    }
    return header
  }

  /// The layout that a header describes, once every part of it has been found consistent.
  ///
  /// - Parameter byteCount: The bytes there are; at least a header's.
  static func read(
    _ base: UnsafeRawPointer, byteCount: Int
  ) throws(IndexFormatError) -> IndexLayout {
    let magic = unsafe Array(UnsafeRawBufferPointer(start: base, count: IndexLayout.magic.count))
    guard magic == IndexLayout.magic else { throw .badMagic(magic) }
    let version = unsafe get32(base, Field.version)
    guard version == IndexLayout.version else {
      throw .unsupportedVersion(found: Int(version), supported: Int(IndexLayout.version))
    }
    guard unsafe get64(base, Field.headerChecksum) == headerChecksum(base) else {
      throw .damaged(part: "header", reason: "its checksum does not match")
    }
    guard unsafe get32(base, Field.headerSize) == UInt32(IndexLayout.headerSize) else {
      throw .damaged(part: "header", reason: "its size is not \(IndexLayout.headerSize)")
    }
    let fileSize = unsafe get64(base, Field.fileSize)
    guard fileSize <= UInt64(byteCount) else {
      throw .truncated(
        expectedByteCount: Int(clamping: fileSize), actualByteCount: byteCount)
    }
    guard fileSize == UInt64(byteCount) else {
      throw .damaged(part: "file", reason: "\(byteCount) bytes where \(fileSize) belong")
    }
    // Counts are compared with the file's size before any arithmetic on them.
    func count(_ field: Int, _ name: String, each size: Int) throws(IndexFormatError) -> Int {
      let value = unsafe get64(base, field)
      guard value <= UInt64(byteCount / size) else {
        throw .damaged(part: "header", reason: "\(value) \(name) in a file of \(byteCount) bytes")
      }
      return Int(value)
    }
    let layout = IndexLayout(
      regionCount: try count(Field.regionCount, "regions", each: 4),
      polygonCount: try count(Field.polygonCount, "polygons", each: 8),
      nodeCount: try count(Field.nodeCount, "nodes", each: TreeLayout.nodeSize),
      leafCount: try count(Field.leafCount, "leaves", each: TreeLayout.leafSize),
      identifierByteCount: Int(
        clamping: min(unsafe length(base, .identifierBytes), UInt64(byteCount))),
      polygonByteCount: Int(clamping: min(unsafe length(base, .polygons), UInt64(byteCount))))
    guard layout.regionCount <= RegionSet.maximumCount,
      layout.leafCount <= IndexLayout.maximumLeafCount
    else {
      throw .damaged(part: "header", reason: "more regions or leaves than can be numbered")
    }
    guard layout.polygonCount <= layout.regionCount else {
      throw .damaged(
        part: "header",
        reason: "\(layout.polygonCount) polygons among \(layout.regionCount) regions")
    }
    unsafe try checkReserved(base)
    // The offsets and lengths in the header must be those that follow from the counts.
    for section in IndexLayout.Section.allCases {
      let entry = Field.sections + section.rawValue * Field.sectionSize
      guard unsafe get64(base, entry) == UInt64(layout.offset(section)),
        unsafe get64(base, entry + 8) == UInt64(layout.length(section))
      else {
        throw .damaged(part: "header", reason: "section \(section) is not where it belongs")
      }
    }
    guard layout.fileSize == byteCount else {
      throw .damaged(part: "header", reason: "sections of \(layout.fileSize) bytes")
    }
    return layout
  }

  /// Checks that all bytes without a meaning in version 5 are zero.
  private static func checkReserved(_ base: UnsafeRawPointer) throws(IndexFormatError) {
    let sectionCount = IndexLayout.Section.allCases.count
    let table = Field.sections..<Field.sections + sectionCount * Field.sectionSize
    for offset in stride(from: Field.reserved, to: Field.headerChecksum, by: 8) {
      let isUsed = table.contains(offset) && (offset - table.lowerBound) % Field.sectionSize < 24
      guard unsafe isUsed || get64(base, offset) == 0 else {
        throw .damaged(part: "header", reason: "reserved byte \(offset) is not zero")
      }
    }
  }

  /// Compares the checksum of a section with the one in the header.
  static func matches(
    _ base: UnsafeRawPointer, _ layout: IndexLayout, _ section: IndexLayout.Section
  ) -> Bool {
    unsafe get64(base, Field.sections + section.rawValue * Field.sectionSize + 16)
      == checksum(base, layout, section)
  }

  /// The checksum of a section and the padding behind it.
  ///
  /// - Parameter passed: Told of the bytes of the section that will not be read again.
  static func checksum(
    _ base: UnsafeRawPointer, _ layout: IndexLayout, _ section: IndexLayout.Section,
    passed: (Range<Int>) -> Void = { _ in }
  ) -> UInt64 {
    let end =
      section.rawValue + 1 < layout.offsets.count
      ? layout.offsets[section.rawValue + 1] : layout.fileSize
    return unsafe XXHash64.hash(
      UnsafeRawBufferPointer(
        start: base + layout.offset(section), count: end - layout.offset(section)), passed: passed)
  }

  private static func headerChecksum(_ base: UnsafeRawPointer) -> UInt64 {
    unsafe XXHash64.hash(UnsafeRawBufferPointer(start: base, count: Field.headerChecksum))
  }

  private static func length(_ base: UnsafeRawPointer, _ section: IndexLayout.Section) -> UInt64 {
    unsafe get64(base, Field.sections + section.rawValue * Field.sectionSize + 8)
  }

  private static func get64(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  private static func get32(_ base: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  private static func put<T: BitwiseCopyable>(
    _ value: T, _ base: UnsafeMutableRawPointer, _ offset: Int
  ) {
    unsafe base.storeBytes(of: value, toByteOffset: offset, as: T.self)
  }
}
