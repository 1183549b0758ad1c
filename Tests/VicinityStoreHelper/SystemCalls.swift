#if Store
  internal import Foundation

  #if canImport(GRDBSQLite)
    internal import GRDBSQLite
  #else
    internal import SQLite3
  #endif

  /// The system calls by which SQLite changes files, counted, and one of them made the last, or made to fail.
  ///
  /// SQLite lets its file layer's calls be replaced (`xSetSystemCall`), for just this.
  enum SystemCalls {
    /// The call before which the process is killed; 0 for none.
    nonisolated(unsafe) static var killed = 0
    /// Whether half of what that call should write is written first.
    nonisolated(unsafe) static var isTorn = false
    /// The calls that fail for want of room.
    nonisolated(unsafe) static var failing = 0..<0
    /// The calls so far.
    nonisolated(unsafe) static var count = 0

    /// Replaces SQLite's calls.
    ///
    /// SAFETY: called once, before SQLite is used; this process makes one call of the store at a time.
    static func replace() {
      guard let files = unsafe sqlite3_vfs_find(nil) else { return }
      let write: Write = { unsafe SystemCalls.count($0, $1, $2) { unsafe Foundation.write($0, $1, $2) } }
      let writeAt: WriteAt = { file, bytes, size, offset in
        unsafe SystemCalls.count(file, bytes, size) { unsafe pwrite($0, $1, $2, offset) }
      }
      let truncate: Truncate = { SystemCalls.fails() ? -1 : ftruncate($0, $1) }
      // Deleting takes no room.
      let delete: Delete = { path in
        _ = SystemCalls.fails()
        return unsafe path.map { unsafe unlink($0) } ?? -1
      }
      unsafe replace("write", unsafeBitCast(write, to: sqlite3_syscall_ptr.self), in: files)
      unsafe replace("pwrite", unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self), in: files)
      unsafe replace("pwrite64", unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self), in: files)
      unsafe replace("ftruncate", unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self), in: files)
      unsafe replace("unlink", unsafeBitCast(delete, to: sqlite3_syscall_ptr.self), in: files)
    }

    private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int
    private typealias WriteAt = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
    private typealias Truncate = @convention(c) (Int32, off_t) -> Int32
    private typealias Delete = @convention(c) (UnsafePointer<CChar>?) -> Int32

    private static func replace(
      _ name: String, _ call: sqlite3_syscall_ptr, in files: UnsafeMutablePointer<sqlite3_vfs>
    ) {
      _ = unsafe files.pointee.xSetSystemCall(files, name, call)
    }

    /// Counts a call; true where it is to fail, `errno` set.
    private static func fails() -> Bool {
      unsafe count += 1
      if unsafe count == killed { kill(getpid(), SIGKILL) }
      guard unsafe failing.contains(count) else { return false }
      errno = ENOSPC
      return true
    }

    private static func count(
      _ file: Int32, _ bytes: UnsafeRawPointer?, _ size: Int,
      _ write: (Int32, UnsafeRawPointer?, Int) -> Int
    ) -> Int {
      if unsafe count + 1 == killed, unsafe isTorn { _ = unsafe write(file, bytes, size / 2) }
      return fails() ? -1 : unsafe write(file, bytes, size)
    }
  }
#endif
