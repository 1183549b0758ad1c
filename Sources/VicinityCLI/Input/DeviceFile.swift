import VicinityFormats
import VicinitySimulation

/// Device profiles by name and from files.
enum DeviceFile {
  /// The largest profile that is read: a hundred times those that come with the program.
  static let mostBytes = 4 << 20

  /// The profile of a name, or in a file.
  static func profile(_ name: String) throws -> DeviceProfile {
    if DeviceProfile.names.contains(name) {
      do { return try DeviceProfile.named(name) } catch { throw CommandFailure("\(error)", at: name) }
    }
    guard name.contains("/") || name.contains(".") || System.file(at: name) != nil else {
      do { return try DeviceProfile.named(name) } catch { throw CommandFailure("\(error)", at: "--device") }
    }
    let bytes = try SmallFile.read(name, atMost: mostBytes)
    do { return try DeviceProfile(json: bytes) } catch { throw CommandFailure("\(error)", at: name) }
  }

  /// A profile with an Android phone's figures.
  static func applying(_ path: String, to profile: DeviceProfile) throws -> DeviceProfile {
    let bytes = try SmallFile.read(path, atMost: mostBytes)
    do {
      return try DeviceProfile(
        PowerProfile(xml: bytes), source: path, name: profile.name + "-with-power-profile",
        title: profile.title + " with a power_profile.xml", base: profile)
    } catch {
      throw CommandFailure("\(error)", at: path)
    }
  }
}

/// Files that are read whole.
enum SmallFile {
  /// A file's bytes.
  static func read(_ path: String, atMost limit: Int) throws -> [UInt8] {
    guard System.file(at: path)?.kind != .directory else { throw CommandFailure("is a directory", at: path) }
    let descriptor = System.openForReading(path)
    guard descriptor >= 0 else {
      throw CommandFailure("cannot read", systemError: -descriptor, at: path)
    }
    defer { _ = System.closeDescriptor(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = System.read(from: descriptor, into: &buffer)
      guard count >= 0 else { throw CommandFailure("cannot read", systemError: CInt(-count), at: path) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else {
        throw CommandFailure("larger than \(DecimalText.grouped(limit)) bytes", at: path)
      }
    }
  }
}
