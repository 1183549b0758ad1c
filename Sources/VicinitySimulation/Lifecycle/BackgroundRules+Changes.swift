extension BackgroundRules {
  /// Something that a version of the system has changed for apps that watch places: what, who says so, and
  /// how sure that is.
  public struct Change: Hashable, Sendable {
    /// How sure it is.
    public enum Certainty: String, CaseIterable, Hashable, Sendable {
      /// Apple's documentation, headers or sessions say it.
      case documented
      /// An engineer of Apple's has said it in the forums.
      case engineer
      /// Developers report it.
      case reported
      /// Nobody says it.
      case assumed
    }

    /// The first era with the change.
    public var era: DeviceProfile.Era
    public var what: String
    public var source: String
    public var certainty: Certainty
  }

  /// What the eras changed, from the oldest on. What no row mentions is the same in all.
  public static let changes: [Change] = [
    Change(
      era: .iOS4, what: "Background tasks keep an app running for ten minutes.",
      source: "initial values of `backgroundTimeRemaining`", certainty: .reported),
    Change(
      era: .iOS4, what: "With the mode `location` any updates keep an app running.",
      source: "*App Programming Guide for iOS*", certainty: .documented),
    Change(
      era: .iOS4, what: "Without the mode, updates go on while the app is suspended and come in one packet.",
      source: "*App Programming Guide for iOS*", certainty: .documented),
    Change(
      era: .iOS4, what: "Regions and significant changes start an app again that its user has force-quit.",
      source: "Apple Developer Forums, thread 826964, of iOS 18 and before", certainty: .reported),
    Change(
      era: .iOS4, what: "Airplane mode switches the satellite receiver off.",
      source: "gregbrownflyingcarpet.com, 11 May 2011, of an iPad", certainty: .reported),
    Change(
      era: .iOS4, what: "A crossing is told some 200 m beyond the boundary.",
      source: "*Location and Maps Programming Guide*, as what to assume in tests", certainty: .documented),
    Change(
      era: .iOS4, what: "Expiration handlers are called on another thread.",
      source: "follows from handlers that set a flag which a blocking loop sees",
      certainty: .assumed),
    Change(
      era: .iOS7, what: "Background tasks keep an app running for 180 seconds.",
      source: "initial values of `backgroundTimeRemaining`", certainty: .reported),
    Change(
      era: .iOS7,
      what: "Where Background App Refresh is off, events neither wake nor start an app.",
      source: "*Location and Maps Programming Guide*", certainty: .documented),
    Change(
      era: .iOS7, what: "Where Background App Refresh is off, updates end in the background.",
      source: "*Location and Maps Programming Guide*, of `backgroundRefreshStatus`", certainty: .documented),
    Change(
      era: .iOS7, what: "There are beacons: their regions, ranging and advertising.",
      source: "documentation of `CLBeaconRegion`", certainty: .documented),
    Change(
      era: .iOS7, what: "Positions can be held back by `allowDeferredLocationUpdates` (since iOS 6).",
      source: "*Location and Maps Programming Guide*", certainty: .documented),
    Change(
      era: .iOS13, what: "Background tasks keep an app running for about 30 seconds.",
      source: "initial values of `backgroundTimeRemaining`", certainty: .reported),
    Change(
      era: .iOS13,
      what:
        "Updates go on in the background only where `allowsBackgroundLocationUpdates` asks for it (since iOS 9).",
      source: "documentation of `allowsBackgroundLocationUpdates`", certainty: .documented),
    Change(
      era: .iOS13,
      what:
        "Suspension switches updates off. Positions of other services come when the app runs again.",
      source:
        "*Handling location updates in the background*, of the queue; that the service is off is assumed",
      certainty: .assumed),
    Change(
      era: .iOS13,
      what:
        "The rules of Apple's guides for main thread, keep-alive handler and notifications no longer hold.",
      source: "*Addressing watchdog terminations*; documentation of `UILocalNotification`",
      certainty: .documented),
    Change(
      era: .iOS13, what: "Satellites are received in airplane mode, too.",
      source: "wkiri.com, September 2017", certainty: .reported),
    Change(
      era: .iOS13,
      what:
        "The cushion is from the phone's profile. Good positions of other services decide about regions, too.",
      source: "measured where the phone's profile says so; otherwise none", certainty: .assumed),
    Change(
      era: .iOS13, what: "Expiration handlers are called on the main thread, when that is free.",
      source: "documentation of `beginBackgroundTask(expirationHandler:)`", certainty: .documented),
    Change(
      era: .iOS13, what: "Updates go on in the background without Background App Refresh.",
      source: "none", certainty: .assumed),
    Change(
      era: .iOS16_4,
      what:
        "Updates with a distance filter, or coarser than a hundred metres, no longer keep an app running.",
      source:
        "Apple Developer Forums, thread 726945, as quoted in transistorsoft/react-native-background-geolocation#2494; "
        + "aaronpk/Overland-iOS#122", certainty: .engineer),
    Change(
      era: .iOS16_4,
      what: "Such updates do keep an app running while the system shows that it uses location.",
      source:
        "transistorsoft/cordova-background-geolocation-lt#1396, transistorsoft/react-native-background-geolocation#2015, "
        + "aaronpk/Overland-iOS#138", certainty: .reported),
    Change(
      era: .iOS16_4,
      what:
        "Updates that begin in the background stop within seconds, unless a significant change has woken the app.",
      source:
        "Apple Developer Forums, thread 776698, as quoted; of iOS 12 in flitsmeister/ios-cllocationmanager-background, of iOS 7 "
        + "in vinhnx/notes#522", certainty: .reported),
    Change(
      era: .iOS16_4, what: "After a suspension an app must begin its updates again.", source: "none",
      certainty: .assumed),
    Change(
      era: .iOS17, what: "`CLMonitor` watches for an app with permission in use only while it is in use.",
      source: "documentation of `CLMonitor`", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "After a launch in the background `CLMonitor` tells exits, but withholds entries until the app is in front.",
      source: "Apple Developer Forums, thread 812111, of a launch by a remote notification",
      certainty: .reported),
    Change(
      era: .iOS17,
      what:
        "A background activity session that begins in front keeps an app in use, also when it is suspended or ends.",
      source: "`CLBackgroundActivitySession.h`, SDK of iOS 17.4", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "The next process continues the session if it begins one at once, also in the background. Else it ends.",
      source: "`CLBackgroundActivitySession.h`; of service sessions Apple Developer Forums, thread 797319",
      certainty: .documented),
    Change(
      era: .iOS17,
      what: "A session that begins in the background is refused, unless it continues an earlier one.",
      source: "`CLBackgroundActivitySession.h`; Apple Developer Forums, thread 767865", certainty: .documented
    ),
    Change(
      era: .iOS17,
      what:
        "Only `invalidate()` ends a session. Letting go of the object does not, though WWDC23 10180 says so.",
      source: "Apple Developer Forums, thread 767929", certainty: .reported),
    Change(
      era: .iOS17,
      what: "During a session updates of any settings keep an app running, and may begin in the background.",
      source: "follows from the indicator, and from being in use", certainty: .assumed),
    Change(
      era: .iOS17,
      what:
        "Live updates go on in the background with the mode `location`, and with \"always\" or a session.",
      source: "WWDC23 10180; Apple Developer Forums, thread 767865", certainty: .documented),
    Change(
      era: .iOS17,
      what: "Live updates pause at rest, which suspends the app, and come again with motion, which wakes it.",
      source: "WWDC23 10180; Apple Developer Forums, thread 763696", certainty: .documented),
    Change(
      era: .iOS17,
      what: "An app that has ended while it followed live updates is started when there is a position.",
      source: "WWDC23 10180", certainty: .documented),
    Change(
      era: .iOS18,
      what: "An app holds a `CLServiceSession` itself, or has one while it listens to positions or events.",
      source: "WWDC24 10212", certainty: .documented),
    Change(
      era: .iOS18,
      what:
        "If an app declares `NSLocationRequireExplicitServiceSession`, `CLMonitor` needs such a session.",
      source: "WWDC24 10212; that the classic services go on is assumed", certainty: .documented),
    Change(
      era: .iOS18,
      what:
        "A service session begins, is refused, continues and ends by the rules of a background activity session.",
      source: "Apple Developer Forums, threads 767865 and 797319", certainty: .engineer),
    Change(
      era: .iOS26,
      what: "No event starts an app that its user has force-quit. Suspended apps are woken as before.",
      source: "Apple Developer Forums, thread 826964", certainty: .reported),
  ]
}
