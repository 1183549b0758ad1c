extension DeviceProfile {
  /// The names of the profiles that are shipped, in alphabetical order: the files of `Data/devices`.
  public static let names = ["iphone-6", "modern-phone", "nexus-6"]

  /// A profile that is shipped.
  ///
  /// - Throws: ``DeviceProfileError/unknownName(_:known:)``.
  public static func named(_ name: String) throws(DeviceProfileError) -> DeviceProfile {
    switch name {
    case "iphone-6": try DeviceProfile(json: PackageResources.iphone_6_json)
    case "modern-phone": try DeviceProfile(json: PackageResources.modern_phone_json)
    case "nexus-6": try DeviceProfile(json: PackageResources.nexus_6_json)
    default: throw .unknownName(name, known: names)
    }
  }
}
