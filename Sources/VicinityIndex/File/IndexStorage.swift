internal import CLibrary

/// The bytes of an index: made in memory or mapped from a file, page-aligned, freed with the last user.
///
/// Written only before the first copy of the index exists; immutable ever after.
///
// SAFETY: nothing writes to the bytes once an index holds them, so they may be read from any thread.
@safe package final class IndexStorage: @unchecked Sendable {
  package let base: UnsafeMutableRawPointer
  package let byteCount: Int
  /// Whether the bytes come from a file, mapped or read: they have checksums, and may be damaged.
  package let isFromFile: Bool
  /// Where the mapping starts and how long it is; `base` lies inside.
  private let mapping: UnsafeMutableRawPointer
  private let mappingSize: Int

  /// Blocks of this size and alignment take one entry of the translation buffer where the system
  /// grants it: 2 MiB on x86-64 and arm64.
  private static let hugePage = 2 << 20

  private init(
    base: UnsafeMutableRawPointer, byteCount: Int, isFromFile: Bool,
    mapping: UnsafeMutableRawPointer, mappingSize: Int
  ) {
    self.isFromFile = isFromFile
    unsafe self.base = base
    self.byteCount = byteCount
    unsafe self.mapping = mapping
    self.mappingSize = mappingSize
  }

  deinit { _ = unsafe munmap(mapping, mappingSize) }

  /// Zeroed memory for `byteCount` bytes; nil when the system has none.
  ///
  /// - Parameter forFile: Whether a file's bytes are to be read into it.
  package static func allocate(_ byteCount: Int, forFile: Bool = false) -> IndexStorage? {
    let wantsHugePages = byteCount >= 2 * hugePage
    let size = max(1, byteCount) + (wantsHugePages ? hugePage : 0)
    guard byteCount < Int.max - 2 * hugePage,
      let mapping = unsafe mmap(
        nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | anonymous, -1, 0),
      unsafe mapping != MAP_FAILED
    else { return nil }
    var base = unsafe mapping
    if wantsHugePages {
      let misalignment = Int(bitPattern: mapping) % hugePage
      unsafe base += misalignment == 0 ? 0 : hugePage - misalignment
      #if os(Linux)
        // If the system refuses this advice, only speed is lost. 14 is MADV_HUGEPAGE
        // (asm-generic/mman-common.h).
        _ = unsafe madvise(base, byteCount, 14)
      #endif
    }
    return unsafe IndexStorage(
      base: base, byteCount: byteCount, isFromFile: forFile, mapping: mapping, mappingSize: size)
  }

  /// `byteCount` bytes of an open file, mapped read-only; nil when the system refuses.
  package static func map(fileDescriptor: Int32, byteCount: Int) -> IndexStorage? {
    guard byteCount > 0,
      let mapping = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, fileDescriptor, 0),
      unsafe mapping != MAP_FAILED
    else { return nil }
    return unsafe IndexStorage(
      base: mapping, byteCount: byteCount, isFromFile: true, mapping: mapping,
      mappingSize: byteCount)
  }

  private static var anonymous: Int32 {
    #if canImport(Darwin)
      MAP_ANON
    #else
      Int32(MAP_ANONYMOUS)
    #endif
  }
}
