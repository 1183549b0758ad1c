internal import Foundation

/// Files that a test makes and removes.
public enum TemporaryFile {
  /// A path that no other test or process uses.
  public static func path(_ name: String) -> String {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("vicinity-\(UUID().uuidString)-\(name)").path
  }

  /// All bytes of a file.
  public static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Makes or replaces a file.
  public static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  public static func names(_ directory: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  /// Removes files, where they exist.
  public static func remove(_ paths: String...) {
    for path in paths { try? FileManager.default.removeItem(atPath: path) }
  }
}
