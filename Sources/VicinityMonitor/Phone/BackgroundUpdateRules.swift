/// Which updates of the standard service keep an app running in the background: the rules of a version of the
/// system.
///
/// - Up to iOS 16.3 all updates do that an app with the background mode `location` allows there.
/// - Since iOS 16.4 only those do that have no distance filter and an accuracy of a hundred metres or better;
///   with others the app is suspended (an engineer of Apple's, Apple Developer Forums, thread 726945, as
///   quoted in transistorsoft/react-native-background-geolocation#2494). While the system shows that the app
///   uses location, all do (transistorsoft/cordova-background-geolocation-lt#1396).
/// - Updates that are begun in the background stop within seconds, unless significant changes have woken the
///   app (thread 776698).
/// - Since iOS 17 there are background activity sessions, which are shown. One that is begun in the
///   background is refused (thread 767865).
///
/// None of this is in Apple's documentation but the sessions.
public struct BackgroundUpdateRules: Hashable, Sendable {
  /// Whether only some updates count: those that are shown to the user, and those without a filter of a
  /// hundred metres or better.
  public var needsQualifyingUpdates: Bool
  /// Whether updates have to be begun in front, or when significant changes have woken the app.
  public var needsBeginningInFront: Bool
  /// Whether there are background activity sessions.
  public var hasActivitySessions: Bool

  public init(
    needsQualifyingUpdates: Bool = false, needsBeginningInFront: Bool = false,
    hasActivitySessions: Bool = false
  ) {
    self.needsQualifyingUpdates = needsQualifyingUpdates
    self.needsBeginningInFront = needsBeginningInFront
    self.hasActivitySessions = hasActivitySessions
  }

  /// Up to iOS 16.3, and on computers.
  public static let anyUpdates = BackgroundUpdateRules()
  /// Since iOS 16.4.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let iOS16_4 = BackgroundUpdateRules(needsQualifyingUpdates: true, needsBeginningInFront: true)
  /// Since iOS 17.
  public static let iOS17 = BackgroundUpdateRules(
    needsQualifyingUpdates: true, needsBeginningInFront: true, hasActivitySessions: true)

  /// Whether updates with these settings, which have been begun where they may be, keep an app running.
  ///
  /// - Parameters:
  ///   - settings: Those of the updates, as they are now.
  ///   - hasActivity: Whether the app holds a background activity session.
  public func keepsRunning(_ settings: LocationSettings, hasActivity: Bool) -> Bool {
    guard settings.allowsBackgroundUpdates else { return false }
    guard needsQualifyingUpdates else { return true }
    return settings.showsIndicator || hasActivitySessions && hasActivity
      || settings.effectiveFilter == nil && settings.desiredAccuracy.isHundredMetersOrBetter
  }
}
