#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension RegionIndex {
  /// An index from a `.vicinity` file, mapped into memory: nothing is copied, and pages are read as queries
  /// touch them.
  ///
  /// The header, all lengths and the whole shape of the tree are checked in any case, so that no
  /// bytes whatever can lead a later read out of bounds. Unverified, damage inside the records can still
  /// give wrong answers; verified, it is an error here.
  ///
  /// The file must not be changed in place while it is mapped; replacing it, as ``write(to:)`` does, is safe.
  ///
  /// - Parameter verifying: Whether to read everything and compare checksums (``verify()``).
  /// - Throws: ``IndexFormatError``.
  /// - Complexity: O(nodes + polygons); verifying O(bytes).
  public init(contentsOf path: String, verifying: Bool = true) throws(IndexFormatError) {
    tree = try IndexFile.open(path)
    if verifying { try verify() }
  }

  /// Whether the file at `path` begins as an index does.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)`` when it cannot be read.
  public static func isIndexFile(_ path: String) throws(IndexFormatError) -> Bool {
    try IndexFile.hasMagic(path)
  }

  /// Compares every part with its checksum. An index built in memory has none to compare, and passes.
  ///
  /// - Throws: ``IndexFormatError/damaged(part:reason:)``.
  /// - Complexity: O(bytes)
  public func verify() throws(IndexFormatError) {
    guard tree.isMapped else { return }
    let base = unsafe UnsafeRawPointer(tree.storage.base)
    defer { withExtendedLifetime(tree) {} }
    for section in IndexLayout.Section.allCases
    where unsafe !IndexHeader.matches(base, tree.layout, section) {
      throw .damaged(part: "section \(section)", reason: "its checksum does not match")
    }
  }

  /// Writes the index to a file, whole or not at all: to a temporary beside it, synchronised, then renamed.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``; what was at `path` is unchanged then.
  /// - Complexity: O(bytes)
  public func write(to path: String) throws(IndexFormatError) {
    try IndexFile.write(tree, to: path)
  }
}

/// Reading and writing of index files.
enum IndexFile {
  static func hasMagic(_ path: String) throws(IndexFormatError) -> Bool {
    let file = systemOpen(path, O_RDONLY | O_CLOEXEC, 0)
    guard file >= 0 else { throw failure("open", path) }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: IndexLayout.magic.count)
    let count = unsafe head.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw failure("read", path) }
    return count == head.count && head == IndexLayout.magic
  }

  static func open(_ path: String) throws(IndexFormatError) -> PackedRTree {
    let file = systemOpen(path, O_RDONLY | O_CLOEXEC, 0)
    guard file >= 0 else { throw failure("open", path) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw failure("inspect", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .system(
        operation: "map", path: path, code: EINVAL, message: "not a regular file")
    }
    let size = Int(status.st_size)
    guard size >= IndexLayout.headerSize else {
      var head = [UInt8](repeating: 0, count: IndexLayout.magic.count)
      let count = unsafe head.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
      if count < head.count || head != IndexLayout.magic {
        throw .badMagic(Array(head.prefix(max(0, count))))
      }
      throw .truncated(expectedByteCount: IndexLayout.headerSize, actualByteCount: size)
    }
    guard let storage = IndexStorage.map(fileDescriptor: file, byteCount: size) else {
      throw failure("map", path)
    }
    return try tree(in: storage)
  }

  /// The tree in bytes from anywhere, once everything that later reads rely on has been checked.
  static func tree(in storage: IndexStorage) throws(IndexFormatError) -> PackedRTree {
    let base = unsafe UnsafeRawPointer(storage.base)
    let layout = unsafe try IndexHeader.read(base, byteCount: storage.byteCount)
    let tree = PackedRTree(storage: storage, layout: layout)
    try checkShape(tree)
    try checkPolygons(tree)
    return tree
  }

  /// Holds every child number to the one value it can have: children are numbered in the order in which nodes
  /// refer to them. That rules out loops, sharing and reads out of bounds at once.
  private static func checkShape(_ tree: PackedRTree) throws(IndexFormatError) {
    let view = tree.view
    var nextNode = 1
    var nextLeaf = 0
    for i in 0..<view.nodeCount {
      for lane in 0..<TreeLayout.width {
        let child = unsafe view.node(i).load(
          fromByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
        if child == TreeLayout.absent { continue }
        let number = Int(child & TreeLayout.childMask)
        if child & TreeLayout.leafFlag != 0 {
          guard number == nextLeaf else { throw misplaced(i, lane) }
          nextLeaf += 1
        } else {
          guard child & TreeLayout.polygonFlag == 0, number == nextNode, number > i else {
            throw misplaced(i, lane)
          }
          nextNode += 1
        }
      }
    }
    guard nextLeaf == view.leafCount, view.nodeCount == 0 || nextNode == view.nodeCount else {
      throw .damaged(part: "tree", reason: "nodes or leaves that nothing refers to")
    }
    guard tree.layout.regionCount <= view.leafCount * TreeLayout.width else {
      throw .damaged(part: "tree", reason: "fewer leaves than regions need")
    }
  }

  private static func misplaced(_ node: Int, _ lane: Int) -> IndexFormatError {
    .damaged(part: "tree", reason: "child \(lane) of node \(node) is not the one that belongs there")
  }

  /// Checks every polygon's offsets and bytes.
  private static func checkPolygons(_ tree: PackedRTree) throws(IndexFormatError) {
    var previous: UInt64 = 0
    for slot in 0..<tree.layout.polygonCount {
      let (start, end) = tree.view.polygonRange(slot)
      guard start == previous, start <= end, end <= UInt64(tree.layout.length(.polygons)),
        start % UInt64(IndexLayout.alignment) == 0
      else {
        throw .damaged(part: "polygon \(slot)", reason: "it is not where it belongs")
      }
      previous = end
      let bytes = unsafe UnsafeRawBufferPointer(
        start: tree.view.polygons + Int(start), count: Int(end - start))
      let length: Int
      do throws(PolygonBlobError) {
        length = unsafe try PolygonView.validate(bytes)
      } catch {
        throw .damaged(part: "polygon \(slot)", reason: "\(error)")
      }
      guard length == bytes.count else {
        throw .damaged(part: "polygon \(slot)", reason: "\(bytes.count - length) bytes too many")
      }
    }
  }

  static func write(_ tree: PackedRTree, to path: String) throws(IndexFormatError) {
    let temporary = "\(path).\(getpid()).partial"
    let file = systemOpen(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw failure("create", temporary) }
    let rest = unsafe UnsafeRawBufferPointer(
      start: tree.storage.base + IndexLayout.headerSize,
      count: tree.layout.fileSize - IndexLayout.headerSize)
    var error = unsafe IndexHeader.sealed(tree).withUnsafeBytes { header in
      unsafe writeAll(header, to: file, temporary) ?? writeAll(rest, to: file, temporary)
    }
    withExtendedLifetime(tree) {}
    if error == nil, fsync(file) != 0 { error = failure("synchronise", temporary) }
    if close(file) != 0, error == nil { error = failure("close", temporary) }
    if error == nil, unsafe rename(temporary, path) != 0 { error = failure("replace", path) }
    if let error {
      _ = unsafe unlink(temporary)
      throw error
    }
  }

  private static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String
  ) -> IndexFormatError? {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = unsafe systemWrite(file, rest.baseAddress, min(rest.count, 1 << 30))
      if count < 0 {
        if errno == EINTR { continue }
        return failure("write", path)
      }
      written += count
    }
    return nil
  }

  private static func failure(_ operation: String, _ path: String) -> IndexFormatError {
    let code = errno
    return .system(
      operation: operation, path: path, code: code,
      message: unsafe String(cString: strerror(code)))
  }
}

// The enum's own `open` and `write` hide the system's.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}
