internal import VicinityPolygon

/// Reading and writing of index files; the format is specified in <doc:IndexFormat>.
enum IndexFile {
  static func hasMagic(_ path: String) throws(IndexFormatError) -> Bool {
    let magic = IndexLayout.magic
    return try system { () throws(FileError) in
      try OpenFile.regular(path)?.read(0..<magic.count) == magic
    }
  }

  static func open(_ path: String, copying: Bool) throws(IndexFormatError) -> PackedRTree {
    let opened = try system { () throws(FileError) in
      guard let file = try OpenFile.regular(path) else { throw .notRegular("open", path) }
      return file
    }
    let byteCount = try system { () throws(FileError) in try opened.status().byteCount }
    guard byteCount >= IndexLayout.headerSize else {
      throw tooShort(
        byteCount,
        head: try system { () throws(FileError) in try opened.read(0..<IndexLayout.magic.count) })
    }
    if copying { return try tree(in: try copy(of: opened, byteCount: byteCount)) }
    guard let storage = IndexStorage.map(fileDescriptor: opened.descriptor, byteCount: byteCount) else {
      throw IndexFormatError(FileError("map", path))
    }
    return try tree(in: storage)
  }

  static func tree(copying bytes: [UInt8]) throws(IndexFormatError) -> PackedRTree {
    guard bytes.count >= IndexLayout.headerSize else {
      throw tooShort(bytes.count, head: Array(bytes.prefix(IndexLayout.magic.count)))
    }
    guard let storage = IndexStorage.allocate(bytes.count, forFile: true) else {
      throw IndexFormatError(FileError("allocate memory for", "an index of \(bytes.count) bytes"))
    }
    unsafe UnsafeMutableRawBufferPointer(start: storage.base, count: bytes.count).copyBytes(from: bytes)
    return try tree(in: storage)
  }

  private static func tooShort(_ byteCount: Int, head: [UInt8]) -> IndexFormatError {
    head == IndexLayout.magic
      ? .truncated(expectedByteCount: IndexLayout.headerSize, actualByteCount: byteCount)
      : .badMagic(head)
  }

  private static func copy(
    of file: borrowing OpenFile, byteCount: Int
  ) throws(IndexFormatError) -> IndexStorage {
    guard let storage = IndexStorage.allocate(byteCount, forFile: true) else {
      throw IndexFormatError(FileError("allocate memory for", file.path))
    }
    let count = try system { () throws(FileError) in
      unsafe try file.read(
        into: UnsafeMutableRawBufferPointer(start: storage.base, count: byteCount), at: 0)
    }
    guard count == byteCount else {
      throw .truncated(expectedByteCount: byteCount, actualByteCount: count)
    }
    return storage
  }

  /// The tree in bytes from anywhere, once everything that later reads rely on has been checked.
  ///
  /// - Precondition: the storage holds a header's bytes at least.
  static func tree(in storage: IndexStorage) throws(IndexFormatError) -> PackedRTree {
    let base = unsafe UnsafeRawPointer(storage.base)
    let layout = unsafe try IndexHeader.read(base, byteCount: storage.byteCount)
    let tree = PackedRTree(storage: storage, layout: layout)
    try checkShape(tree)
    try checkPolygons(tree)
    return tree
  }

  /// Checks that every child number has the only value it can have: children are numbered in the order in
  /// which nodes refer to them. That excludes loops, shared children and reads out of bounds.
  private static func checkShape(_ tree: PackedRTree) throws(IndexFormatError) {
    let view = tree.view
    var nextNode = 1
    var nextLeaf = 0
    for i in 0..<view.nodeCount {
      for lane in 0..<TreeLayout.width {
        let child = view.child(i, lane)
        if child == TreeLayout.absent {
          try checkAbsent(view, i, lane)
          continue
        }
        let number = Int(child & TreeLayout.childMask)
        if child & TreeLayout.leafFlag != 0 {
          guard number == nextLeaf, child & TreeLayout.centerFlag == 0 else { throw misplaced(i, lane) }
          nextLeaf += 1
        } else {
          guard number == nextNode, number > i, child & TreeLayout.centerFlag == 0 else {
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
    guard view.nodeCount == 0 || tree.layout.regionCount > 0 else {
      throw .damaged(part: "tree", reason: "nodes and no regions")
    }
  }

  /// Searches do not test whether a child is absent: its bound is too far for any query. So the numbers from
  /// which that bound is computed must be exactly right.
  private static func checkAbsent(
    _ view: TreeView, _ node: Int, _ lane: Int
  ) throws(IndexFormatError) {
    for row in stride(from: 0, to: TreeLayout.child, by: 64) {
      let value = unsafe view.node(node).load(fromByteOffset: row + 4 * lane, as: UInt32.self)
      let expected: Float = row < TreeLayout.halfX ? TreeLayout.farAway : 0
      guard value == expected.bitPattern else { throw misplaced(node, lane) }
    }
  }

  private static func misplaced(_ node: Int, _ lane: Int) -> IndexFormatError {
    .damaged(part: "tree", reason: "child \(lane) of node \(node) is not the one that belongs there")
  }

  private static func checkPolygons(_ tree: PackedRTree) throws(IndexFormatError) {
    var previous: UInt64 = 0
    let sectionLength = UInt64(tree.layout.length(.polygons))
    for slot in 0..<tree.layout.polygonCount {
      let (start, end) = tree.view.polygonRange(slot)
      guard start == previous, start <= end, end <= sectionLength,
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
    guard previous == sectionLength else {
      throw .damaged(part: "polygons", reason: "\(sectionLength - previous) bytes that belong to none")
    }
  }

  // MARK: Writing

  /// Writes a tree to a temporary beside `path`, synchronises it and renames it into place.
  static func write(_ tree: PackedRTree, to path: String) throws(IndexFormatError) {
    try system { () throws(FileError) in
      try FileSystem.writeWhole(to: path) { file throws(FileError) in try writeBytes(of: tree, to: file) }
    }
  }

  /// Builds an index in a temporary beside `path`, synchronises it and renames it into place.
  ///
  /// - Returns: How many bytes it has.
  static func build(_ builder: consuming TreeBuilder, to path: String) throws -> Int {
    var builder = builder
    #if os(Linux)
      let plan = builder.plan()
      var refusal: RegionError?
      do {
        try system { () throws(FileError) in
          try FileSystem.writeWhole(to: path) { file throws(FileError) in
            let storage = try IndexStorage.create(in: file, byteCount: plan.layout.fileSize)
            let tree: PackedRTree
            do throws(RegionError) {
              tree = try builder.build(plan, in: storage)
            } catch {
              refusal = error
              // So that nothing is put into the file's place.
              throw FileError("write", path, code: 0)
            }
            let header = IndexHeader.sealed(tree)
            unsafe header.withUnsafeBytes { unsafe storage.fill(0, with: $0) }
          }
        }
      } catch {
        throw refusal ?? error
      }
      return plan.layout.fileSize
    #else
      let tree = try builder.build()
      try write(tree, to: path)
      return tree.layout.fileSize
    #endif
  }

  private static func writeBytes(of tree: PackedRTree, to file: borrowing OpenFile) throws(FileError) {
    defer { withExtendedLifetime(tree) {} }
    let base = unsafe UnsafeRawPointer(tree.storage.base)
    // A file's own checksums are kept: new ones would hide damage that has not been looked for.
    try file.write(
      tree.isFromFile
        ? unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: IndexLayout.headerSize))
        : IndexHeader.sealed(tree))
    unsafe try file.write(
      UnsafeRawBufferPointer(
        start: base + IndexLayout.headerSize, count: tree.layout.fileSize - IndexLayout.headerSize))
  }

  /// Does `work`; what the file system refuses is an error of the index.
  private static func system<Result: ~Copyable>(
    _ work: () throws(FileError) -> Result
  ) throws(IndexFormatError) -> Result {
    do throws(FileError) { return try work() } catch { throw IndexFormatError(error) }
  }
}
