// swift-format-ignore-file: AlwaysUseLowerCamelCase
// What Apple's module Darwin adds to the C library's headers: functions of variable arguments, and constants
// that are casts.

@_exported public import CDarwin

public var errno: Int32 {
  get { 0 }
  set {}
}
public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var MAP_FAILED: UnsafeMutableRawPointer! { unsafe UnsafeMutableRawPointer(bitPattern: -1) }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { -1 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { -1 }
