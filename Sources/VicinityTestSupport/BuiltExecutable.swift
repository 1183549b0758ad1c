public import Foundation

/// Executables built along with the tests.
public enum BuiltExecutable {
  /// The executable called `name`, beside the test bundle that this code runs in.
  public static func url(_ name: String) throws -> URL {
    let arguments = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    let bundles = Bundle.allBundles.map(\.bundleURL) + arguments.filter { $0.path.contains(".xctest") }
    let places =
      bundles.map { $0.deletingLastPathComponent() }
      + arguments.prefix(1).map { $0.deletingLastPathComponent() }
    let found = places.lazy.map { $0.appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else { throw Missing(name: name) }
    return found
  }

  /// There is no such executable.
  public struct Missing: Error {
    /// What was looked for.
    public var name: String
  }
}
