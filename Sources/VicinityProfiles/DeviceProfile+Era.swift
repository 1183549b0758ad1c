extension DeviceProfile {
  /// A version of the system that changed what apps may do in the background, from the oldest on;
  /// `BackgroundRules` of `VicinitySimulation` has the rules of each. Its raw value is its name in profiles,
  /// scenarios and on the command line.
  public enum Era: String, CaseIterable, Hashable, Sendable, Codable {
    /// iOS 4 to 6.
    case iOS4 = "ios4"
    /// iOS 7 to 12.
    case iOS7 = "ios7"
    /// iOS 13 to 16.3.
    case iOS13 = "ios13"
    /// iOS 16.4 to 16.7.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case iOS16_4 = "ios16.4"
    case iOS17 = "ios17"
    case iOS18 = "ios18"
    case iOS26 = "ios26"
    /// A computer of any version.
    case macOS = "macos"
  }
}
