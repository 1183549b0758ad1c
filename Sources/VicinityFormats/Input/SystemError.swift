#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The system's error codes.
package enum SystemError {
  /// The system's own words for an error code; for the last error of this thread by default.
  package static func message(_ code: Int32 = errno) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
