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
      what: "Background App Refresh, where it is off, keeps events from waking and starting an app.",
      source: "*Location and Maps Programming Guide*", certainty: .documented),
    Change(
      era: .iOS7, what: "Where it is off, updates end in the background.",
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
        "Suspension switches updates off; what the system gets for other services comes when the app runs again.",
      source:
        "*Handling location updates in the background*, of the queue; that the service is off is assumed",
      certainty: .assumed),
    Change(
      era: .iOS13,
      what:
        "The guides' rules of the main thread, of the keep-alive handler and of notifications no longer hold.",
      source: "*Addressing watchdog terminations*; documentation of `UILocalNotification`",
      certainty: .documented),
    Change(
      era: .iOS13, what: "Satellites are received in airplane mode, too.",
      source: "wkiri.com, September 2017", certainty: .reported),
    Change(
      era: .iOS13,
      what:
        "The cushion is the phone's own figure, and good positions of other services decide about regions.",
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
      era: .iOS16_4, what: "They do while the system shows that the app uses location.",
      source:
        "transistorsoft/cordova-background-geolocation-lt#1396, transistorsoft/react-native-background-geolocation#2015, "
        + "aaronpk/Overland-iOS#138", certainty: .reported),
    Change(
      era: .iOS16_4,
      what:
        "Updates that are begun in the background stop within seconds, unless a significant change has woken the app.",
      source:
        "Apple Developer Forums, thread 776698, as quoted; of iOS 12 in flitsmeister/ios-cllocationmanager-background, of iOS 7 "
        + "in vinhnx/notes#522", certainty: .reported),
    Change(
      era: .iOS16_4, what: "After a suspension updates must be begun again.", source: "none",
      certainty: .assumed),
    Change(
      era: .iOS17, what: "`CLMonitor` watches for an app with permission in use only while it is in use.",
      source: "documentation of `CLMonitor`", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "`CLMonitor` withholds entries after a launch in the background until the app is in front; it tells exits.",
      source: "Apple Developer Forums, thread 812111, of a launch by a remote notification",
      certainty: .reported),
    Change(
      era: .iOS17,
      what:
        "A background activity session, begun in front, keeps an app in use through suspension and the end of its process.",
      source: "`CLBackgroundActivitySession.h`, SDK of iOS 17.4", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "The next process goes on with it by beginning one at once, in the background too; otherwise it ends.",
      source: "`CLBackgroundActivitySession.h`; of service sessions Apple Developer Forums, thread 797319",
      certainty: .documented),
    Change(
      era: .iOS17, what: "One that is begun in the background and goes on with none is refused.",
      source: "`CLBackgroundActivitySession.h`; Apple Developer Forums, thread 767865", certainty: .documented
    ),
    Change(
      era: .iOS17,
      what: "Only `invalidate()` ends it; letting go of the object does not, against what WWDC23 10180 says.",
      source: "Apple Developer Forums, thread 767929", certainty: .reported),
    Change(
      era: .iOS17,
      what: "With it updates of any settings keep an app running, and may be begun in the background.",
      source: "follows from the indicator, and from being in use", certainty: .assumed),
    Change(
      era: .iOS17,
      what: "Live updates go on in the background with the mode `location` and \"always\" or a session.",
      source: "WWDC23 10180; Apple Developer Forums, thread 767865", certainty: .documented),
    Change(
      era: .iOS17, what: "They pause at rest and come again with motion, which suspends and wakes the app.",
      source: "WWDC23 10180; Apple Developer Forums, thread 763696", certainty: .documented),
    Change(
      era: .iOS17, what: "An app that has ended while it followed them is started when there is a position.",
      source: "WWDC23 10180", certainty: .documented),
    Change(
      era: .iOS18, what: "`CLServiceSession`: an app holds one itself, or has one while it listens.",
      source: "WWDC24 10212", certainty: .documented),
    Change(
      era: .iOS18,
      what:
        "Where an app declares `NSLocationRequireExplicitServiceSession`, `CLMonitor` is suspended while it holds none.",
      source: "WWDC24 10212; that the classic services go on is assumed", certainty: .documented),
    Change(
      era: .iOS18,
      what:
        "A service session is begun, refused, gone on with and ended as a background activity session is.",
      source: "Apple Developer Forums, threads 767865 and 797319", certainty: .engineer),
    Change(
      era: .iOS26,
      what: "No event starts an app that its user has force-quit. Suspended apps are woken as before.",
      source: "Apple Developer Forums, thread 826964", certainty: .reported),
  ]
}
