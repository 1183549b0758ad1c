internal import CFiles
internal import VicinityIndex

extension FileSystem {
  /// Attaches a note to a file, where the file system keeps such (extended attributes); best effort.
  static func setNote(_ name: String, _ value: [UInt8], onFileAt path: String) {
    #if canImport(Darwin)
      _ = unsafe setxattr(path, name, value, value.count, 0, 0)
    #else
      _ = unsafe setxattr(path, name, value, value.count, 0)
    #endif
  }

  /// The note attached to a file; `nil` where there is none, or none can be kept.
  static func note(_ name: String, onFileAt path: String) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 4096)
    #if canImport(Darwin)
      let count = unsafe getxattr(path, name, &value, value.count, 0, 0)
    #else
      let count = unsafe getxattr(path, name, &value, value.count)
    #endif
    return count >= 0 ? Array(value.prefix(count)) : nil
  }
}
