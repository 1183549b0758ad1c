import ArgumentParser
import VicinityFormats
import VicinityIndex
import VicinityRuns
import VicinitySimulation

/// Device profiles by name and from files.
enum DeviceFile {
  /// The largest profile that is read, bytes: a hundred times those that come with the program.
  static let mostBytes = 4 << 20

  /// - Parameter option: The option that the name was given to.
  static func profile(_ name: String, option: String = "--device") throws -> DeviceProfile {
    if DeviceProfile.names.contains(name) {
      return try CommandFailure.at(name) { try DeviceProfile.named(name) }
    }
    guard name.contains("/") || name.contains(".") || FileSystem.exists(name) else {
      do { return try DeviceProfile.named(name) } catch {
        throw ValidationError("\(option): \(VisibleText.of("\(error)"))")
      }
    }
    let bytes = try InputFile.bytes(of: name, atMost: mostBytes)
    return try CommandFailure.at(name) { try DeviceProfile(json: bytes) }
  }

  /// A profile with an Android phone's figures.
  static func applying(_ path: String, to profile: DeviceProfile) throws -> DeviceProfile {
    let bytes = try InputFile.bytes(of: path, atMost: mostBytes)
    return try CommandFailure.at(path) {
      try DeviceProfile(
        PowerProfile(xml: bytes), source: path, name: profile.name + "-with-power-profile",
        title: profile.title + " with a power_profile.xml", base: profile)
    }
  }
}
