internal import CLibrary
internal import VicinityIndex

/// What a program asks of the process that it runs in.
package enum System {
  package static let standardOutput: CInt = 1
  package static let standardError: CInt = 2

  package static func environment(_ name: String) -> String? {
    guard let pointer = unsafe getenv(name) else { return nil }
    return unsafe String(cString: pointer)
  }

  static var temporaryDirectory: String { environment("TMPDIR") ?? P_tmpdir }

  package static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  /// Waits until standard input has something to read, or has ended.
  ///
  /// - Returns: Whether it has; false when so many seconds have passed.
  static func waitForInput(seconds: Double) -> Bool {
    var wanted = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    let milliseconds = CInt(max(0, min(1000 * seconds, 1e9)))
    // Where waiting is interrupted, or cannot be done, reading waits.
    return unsafe poll(&wanted, 1, milliseconds) != 0
  }

  /// What the process was started with open, or nil where it is not.
  ///
  /// - Parameter name: What it is called in errors.
  static func open(_ descriptor: CInt, as name: String) throws(FileError) -> OpenFile {
    guard fcntl(descriptor, F_GETFD) >= 0 else { throw .last("use", name) }
    return OpenFile(descriptor: descriptor, name: name)
  }
}
