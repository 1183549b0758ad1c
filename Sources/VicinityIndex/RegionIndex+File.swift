internal import VicinityGeodesy

extension RegionIndex {
  /// What of a file is checked when it is opened.
  public enum Verification: Hashable, Sendable {
    /// The header, all lengths and the whole shape of the tree: no later read can leave the file's bytes,
    /// whatever they are, and every query ends. This is always checked. Damage inside the records can still
    /// give wrong answers.
    case structure
    /// Every checksum, too: damage is an error.
    case checksums
    /// Every number that answers depend on, too (``RegionIndex/verify(contents:)``): a file from anybody
    /// either is an error or answers rightly.
    case contents
  }

  /// An index from a `.vicinity` file, mapped into memory: nothing is copied, and pages are read as queries
  /// touch them.
  ///
  /// Checksums find damage, and not malice: for files from strangers, who can compute checksums too, ask for
  /// ``Verification/contents``. The format is specified in <doc:IndexFormat>.
  ///
  /// A mapped file must not be changed in place: the checks would no longer be valid, and if the file is cut
  /// short the system ends the process (SIGBUS). Replacing the file, as ``write(to:)`` does, is safe: the
  /// index keeps using the old file. If others may change the file in place, use `copying` to read it into
  /// memory.
  ///
  /// - Parameters:
  ///   - path: A regular file.
  ///   - verifying: What to check. `true` stands for checksums, `false` for the structure alone.
  ///   - copying: Whether to read the file into memory instead of mapping it.
  /// - Throws: ``IndexFormatError``.
  /// - Complexity: O(nodes + polygons' bytes); O(bytes) for checksums or a copy, O(bytes + n log n) for
  ///   contents: 0.15 s a million circles.
  public init(
    contentsOf path: String, verifying: Verification = .checksums, copying: Bool = false
  ) throws(IndexFormatError) {
    tree = try IndexFile.open(path, copying: copying)
    try verify(verifying)
  }

  /// An index from the bytes of a `.vicinity` file, copied.
  ///
  /// - Throws: ``IndexFormatError``, as for a file.
  /// - Complexity: O(bytes)
  public init(bytes: [UInt8], verifying: Verification = .checksums) throws(IndexFormatError) {
    tree = try IndexFile.tree(copying: bytes)
    try verify(verifying)
  }

  private func verify(_ verification: Verification) throws(IndexFormatError) {
    if verification != .structure { try verify(contents: verification == .contents) }
  }

  /// Whether `path` leads to a regular file that starts with an index's magic number.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)`` when it cannot be read.
  public static func isIndexFile(_ path: String) throws(IndexFormatError) -> Bool {
    try IndexFile.hasMagic(path)
  }

  /// Compares every part of a file with its checksum. An index built in memory has none to compare, and
  /// passes.
  ///
  /// Checksums find damage. They do not find malice: the maker of a file computes its checksums. With
  /// `contents`, every number that answers depend on is checked against the regions, so that a file from any
  /// source either throws here or answers every query correctly for its regions. (Whether a polygon's rings
  /// cross is not checked.)
  ///
  /// - Parameter contents: Whether to check, beyond the checksums, that everything fits together.
  /// - Throws: ``IndexFormatError/damaged(part:reason:)``.
  /// - Complexity: O(bytes); O(bytes + n log n) with `contents`.
  public func verify(contents: Bool = false) throws(IndexFormatError) {
    defer { withExtendedLifetime(tree) {} }
    if tree.isFromFile {
      let base = unsafe UnsafeRawPointer(tree.storage.base)
      for section in IndexLayout.Section.allCases
      where unsafe !IndexHeader.matches(base, tree.layout, section) {
        throw .damaged(part: "section \(section)", reason: "its checksum does not match")
      }
    }
    if contents { try IndexFile.checkContents(tree) }
  }

  /// Writes the index to a file, whole or not at all: to a temporary beside it, synchronised, then renamed.
  ///
  /// Symbolic links are followed, and a file that is replaced keeps its permissions. Processes that have the
  /// old file mapped keep it.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``; what was at `path` is unchanged
  ///   then. Devices, pipes and directories are refused.
  /// - Complexity: O(bytes)
  public func write(to path: String) throws(IndexFormatError) {
    try IndexFile.write(tree, to: path)
  }

  /// Writes an index over a set of regions to a file, whole or not at all, without having it in memory: that
  /// takes some 30 bytes for each circle beside the set, which is let go part by part if nobody else has it.
  /// Where the system is not Linux the index is in memory first.
  ///
  /// The file is the one that ``write(to:)`` writes of an index over the set. Room for it is reserved first,
  /// so that a disk without room is an error.
  ///
  /// - Parameters:
  ///   - set: The regions; their order gives the ordinals.
  ///   - path: As for ``write(to:)``.
  ///   - threads: How many threads may build; all cores by default. The result does not depend on it.
  /// - Returns: How many bytes the file has.
  /// - Throws: ``RegionError/duplicateIdentifier(_:first:second:)``, ``IndexFormatError``; what was at `path`
  ///   is unchanged then.
  /// - Complexity: O(n log n)
  @discardableResult
  public static func write(
    _ set: consuming RegionSet, to path: String, threads: Int? = nil
  ) throws -> Int {
    try IndexFile.build(TreeBuilder(set: set, threads: threads ?? Parallel.coreCount), to: path)
  }

  /// The XXH64 of everything but the header: indexes with other contents have other fingerprints. An index
  /// and the file written from it have the same one.
  ///
  /// - Complexity: O(bytes), about 0.1 ms a megabyte
  package var fingerprint: UInt64 {
    defer { withExtendedLifetime(tree) {} }
    return unsafe XXHash64.hash(
      UnsafeRawBufferPointer(
        start: UnsafeRawPointer(tree.storage.base) + IndexLayout.headerSize,
        count: tree.layout.fileSize - IndexLayout.headerSize),
      seed: UInt64(tree.layout.regionCount))
  }

  /// A hash of each region's identifier and shape, by its ordinal: a region that two indexes share has the
  /// same one in both.
  ///
  /// - Complexity: O(bytes)
  package var regionHashes: [UInt64] {
    defer { withExtendedLifetime(tree) {} }
    return (0..<count).map { ordinal in
      let seed = unsafe XXHash64.hash(identifierBytes(of: ordinal))
      if let polygon = unsafe tree.polygonBytes(ofOrdinal: ordinal) {
        return unsafe XXHash64.hash(polygon, seed: seed)
      }
      guard let record = tree.record(ofOrdinal: ordinal) else { return seed }
      // Zero makes minus zero zero: the same place.
      let circle = [record.center.latitude, record.center.longitude, record.radius].map {
        ($0 + 0).bitPattern
      }
      return unsafe circle.withUnsafeBytes { unsafe XXHash64.hash($0, seed: seed) }
    }
  }
}

extension RegionIndex.Verification: ExpressibleByBooleanLiteral {
  /// Checksums, or the structure alone.
  public init(booleanLiteral value: Bool) { self = value ? .checksums : .structure }
}
