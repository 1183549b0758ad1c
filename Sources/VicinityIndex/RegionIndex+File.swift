extension RegionIndex {
  /// An index from a `.vicinity` file, mapped into memory: nothing is copied, and pages are read as queries
  /// touch them.
  ///
  /// The header, all lengths and the whole shape of the tree are checked in any case, so that no
  /// bytes whatever can lead a later read out of bounds. Unverified, damage inside the records can still
  /// give wrong answers; verified, it is an error here. For files from strangers, who can make checksums too,
  /// see ``verify(contents:)``. The format is specified in <doc:IndexFormat>.
  ///
  /// A mapped file must not be changed in place: what it was checked for would no longer hold, and where it
  /// has been cut short the system ends the process (SIGBUS). Replacing it, as ``write(to:)`` does, is safe: the
  /// index goes on with the old file. Where that cannot be relied on, `copying` reads the file into memory.
  ///
  /// - Parameters:
  ///   - path: A regular file.
  ///   - verifying: Whether to read everything and compare checksums (``verify(contents:)``).
  ///   - copying: Whether to read the file into memory instead of mapping it.
  /// - Throws: ``IndexFormatError``.
  /// - Complexity: O(nodes + polygons' bytes); verifying or copying O(bytes).
  public init(
    contentsOf path: String, verifying: Bool = true, copying: Bool = false
  ) throws(IndexFormatError) {
    tree = try IndexFile.open(path, copying: copying)
    if verifying { try verify() }
  }

  /// An index from the bytes of a `.vicinity` file, copied.
  ///
  /// - Throws: ``IndexFormatError``, as for a file.
  /// - Complexity: O(bytes)
  public init(bytes: [UInt8], verifying: Bool = true) throws(IndexFormatError) {
    tree = try IndexFile.tree(copying: bytes)
    if verifying { try verify() }
  }

  /// Whether `path` leads to a regular file that begins as an index does.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)`` when it cannot be read.
  public static func isIndexFile(_ path: String) throws(IndexFormatError) -> Bool {
    try IndexFile.hasMagic(path)
  }

  /// Compares every part of a file with its checksum. An index built in memory has none to compare, and passes.
  ///
  /// Checksums find damage. They do not find malice: whoever makes a file makes its checksums. With
  /// `contents`, every number that answers depend on is compared with what it follows from, so that a file
  /// from anywhere either throws here or answers every query as its regions demand. (Whether a polygon's rings
  /// cross is its maker's affair.)
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
  /// Symbolic links are followed, and a file that is replaced keeps its permissions. Whoever has the old file
  /// mapped keeps it.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``; what was at `path` is unchanged then.
  ///   Devices, pipes and directories are refused.
  /// - Complexity: O(bytes)
  public func write(to path: String) throws(IndexFormatError) {
    try IndexFile.write(tree, to: path)
  }

  /// The XXH64 of everything but the header: indexes with other contents have other fingerprints. An index and the file
  /// written from it have the same one.
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
}
