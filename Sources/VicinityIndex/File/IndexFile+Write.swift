extension IndexFile {
  /// Writes a tree to a temporary beside `path`, synchronises it and renames it into place.
  static func write(_ tree: PackedRTree, to path: String) throws(IndexFormatError) {
    try WholeFile.write(to: path) { file, name in writeBytes(of: tree, to: file, name) }
  }

  private static func writeBytes(
    of tree: PackedRTree, to file: Int32, _ path: String
  ) -> IndexFormatError? {
    defer { withExtendedLifetime(tree) {} }
    let base = unsafe UnsafeRawPointer(tree.storage.base)
    let rest = unsafe UnsafeRawBufferPointer(
      start: base + IndexLayout.headerSize, count: tree.layout.fileSize - IndexLayout.headerSize)
    // A file's own checksums are kept: new ones would vouch for damage that nobody has looked for.
    let header =
      tree.isFromFile
      ? unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: IndexLayout.headerSize))
      : IndexHeader.sealed(tree)
    return unsafe header.withUnsafeBytes { header in
      unsafe FileSystem.write(header, to: file, path) ?? FileSystem.write(rest, to: file, path)
    }
  }
}
