import Foundation

/// A directory that is gone when the test is.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("vicinity-formats-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Plain C: Foundation syncs every file it writes to the disk, which is most of the time a fuzzing loop
  /// takes.
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    guard let file = unsafe fopen(self.file(name), "wb") else {
      throw CocoaError(.fileWriteUnknown)
    }
    let written = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, written == bytes.count else {
      throw CocoaError(.fileWriteUnknown)
    }
    return self.file(name)
  }

  var contents: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}

/// The real data beside the repository, which is not part of it: tests that need it are skipped where it is
/// absent.
/// The files of `Data/`, which are always there.
enum ProductData {
  static let root: URL = {
    var url = URL(fileURLWithPath: #filePath)
    // Tests/VicinityFormatsTests/TemporaryDirectory.swift: three levels below the repository's root.
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url
  }()

  static func path(_ name: String) -> String { root.appendingPathComponent("Data/" + name).path }
}

enum SharedData {
  static let root = ProductData.root.deletingLastPathComponent().appendingPathComponent("shared/data").path

  static let isPresent = FileManager.default.fileExists(atPath: root + "/regions")

  static func path(_ name: String) -> String { root + "/" + name }

  static func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}

/// Sine and cosine of degrees.
enum Libm {
  static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
  static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
}
