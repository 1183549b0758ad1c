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
  /// Whether what is written to the bytes is written to a file.
  private let isWrittenToFile: Bool
  /// Where the mapping starts and how long it is; `base` lies inside.
  private let mapping: UnsafeMutableRawPointer
  private let mappingSize: Int

  /// Blocks of this size and alignment take one entry of the translation buffer where the system
  /// grants it: 2 MiB on x86-64 and arm64.
  private static let hugePage = 2 << 20

  private init(
    base: UnsafeMutableRawPointer, byteCount: Int, isFromFile: Bool, isWrittenToFile: Bool = false,
    mapping: UnsafeMutableRawPointer, mappingSize: Int
  ) {
    self.isFromFile = isFromFile
    self.isWrittenToFile = isWrittenToFile
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

  #if os(Linux)
    /// Zeros in an empty file that is open for reading and writing, mapped: what is written to them is in the
    /// file.
    static func create(in file: borrowing OpenFile, byteCount: Int) throws(FileError) -> IndexStorage {
      // What a disk has no room for would end the process when it is touched, so room is reserved first.
      var code: Int32
      repeat { code = posix_fallocate(file.descriptor, 0, off_t(byteCount)) } while code == EINTR
      guard code == 0 else { throw FileError("write", file.path, code: code) }
      guard
        let mapping = unsafe mmap(
          nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0),
        unsafe mapping != MAP_FAILED
      else { throw FileError("map", file.path) }
      return unsafe IndexStorage(
        base: mapping, byteCount: byteCount, isFromFile: false, isWrittenToFile: true, mapping: mapping,
        mappingSize: byteCount)
    }
  #endif

  /// Copies bytes to a place, and lets go of them there.
  func fill(_ offset: Int, with bytes: UnsafeRawBufferPointer) {
    let stretch = 64 << 20
    for start in stride(from: 0, to: bytes.count, by: stretch) {
      let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + stretch, bytes.count)])
      unsafe UnsafeMutableRawBufferPointer(start: base + offset + start, count: part.count)
        .copyMemory(from: part)
      letGo(offset + start..<offset + start + part.count)
    }
  }

  /// Takes bytes that have been written out of the process's memory, where a file has them; they come back
  /// when they are touched. Of bytes that are in memory alone nothing changes.
  func letGo(_ range: Range<Int>) {
    #if os(Linux)
      guard isWrittenToFile else { return }
      let page = Int(sysconf(Int32(_SC_PAGESIZE)))
      let start = (range.lowerBound + page - 1) / page * page
      let end = min(range.upperBound, byteCount) / page * page
      guard start < end else { return }
      // If the system refuses, more memory is taken.
      _ = unsafe madvise(base + start, end - start, MADV_DONTNEED)
    #endif
  }

  private static var anonymous: Int32 {
    #if canImport(Darwin)
      MAP_ANON
    #else
      Int32(MAP_ANONYMOUS)
    #endif
  }
}
