internal import VicinityFormats
internal import VicinityIndex

/// Where output goes, by the path that somebody has given for it. Symbolic links are followed, also to where
/// nothing is yet.
package enum OutputPlace: Hashable {
  /// What this process has open already: `-`, `/dev/stdout`, `/dev/fd/3`. It is written directly, whatever it
  /// is.
  case open(CInt)
  /// A device or a pipe, written directly.
  case device(String)
  /// A file, which appears whole; or whatever else stands there, which is refused.
  case file(String)

  package static let standardOutput = OutputPlace.open(System.standardOutput)

  package init(_ path: String) {
    var end = path
    for _ in 0..<FileSystem.mostLinks {
      // Such a name is not followed: what it leads to may be a file that somebody else appends to.
      if let descriptor = Self.descriptor(named: end) {
        self = .open(descriptor)
        return
      }
      guard let target = FileSystem.linkTarget(of: end) else { break }
      end = target
    }
    let absolute = FileSystem.absolute(path)
    self = FileSystem.status(of: path)?.kind == .other ? .device(absolute) : .file(absolute)
  }

  package var isFile: Bool { if case .file = self { true } else { false } }

  /// The descriptor that a path names; nil for other paths.
  private static func descriptor(named path: String) -> CInt? {
    switch path {
    case "-", "/dev/stdout": return System.standardOutput
    case "/dev/stderr": return System.standardError
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"] where path.hasPrefix(folder) {
      let digits = path.dropFirst(folder.count)
      return digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        ? CInt(digits) : nil
    }
    return nil
  }
}
