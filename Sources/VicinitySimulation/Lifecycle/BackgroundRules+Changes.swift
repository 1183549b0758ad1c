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

  /// What the eras changed, from the oldest on. What no row mentions is the same in all, but for
  /// low power mode and airplane mode, which ``BackgroundRules`` has.
  public static let changes: [Change] = [
    Change(
      era: .iOS4, what: "Background tasks keep an app running for ten minutes.",
      source: "initial values of `backgroundTimeRemaining`", certainty: .reported),
    Change(
      era: .iOS4, what: "With the mode `location`, updates keep an app running whatever their settings.",
      source: "*App Programming Guide for iOS*", certainty: .documented),
    Change(
      era: .iOS4,
      what:
        "Without the mode, the service goes on while the app is suspended. The app gets these "
        + "updates in one packet when it runs again.",
      source: "*App Programming Guide for iOS*", certainty: .documented),
    Change(
      era: .iOS4, what: "Regions and significant changes start an app even if its user has force-quit it.",
      source: "Apple Developer Forums, thread 826964, of iOS 18 and before", certainty: .reported),
    Change(
      era: .iOS4, what: "Airplane mode switches the satellite receiver off.",
      source: "gregbrownflyingcarpet.com, 11 May 2011, of an iPad", certainty: .reported),
    Change(
      era: .iOS4, what: "An app is told of a crossing when the phone is about 200 m beyond the boundary.",
      source: "*Location and Maps Programming Guide*, as what to assume in tests", certainty: .documented),
    Change(
      era: .iOS4,
      what:
        "Expiration handlers are called on another thread, even while the main thread is blocked.",
      source: "follows from handlers that set a flag which a blocking loop sees",
      certainty: .assumed),
    Change(
      era: .iOS7, what: "Background tasks keep an app running for 180 seconds.",
      source: "initial values of `backgroundTimeRemaining`", certainty: .reported),
    Change(
      era: .iOS7,
      what: "If Background App Refresh is off, events neither wake nor start an app.",
      source: "*Location and Maps Programming Guide*", certainty: .documented),
    Change(
      era: .iOS7, what: "If Background App Refresh is off, an app in the background gets no updates.",
      source: "*Location and Maps Programming Guide*, of `backgroundRefreshStatus`", certainty: .documented),
    Change(
      era: .iOS7, what: "There are beacons: their regions, ranging and advertising.",
      source: "documentation of `CLBeaconRegion`", certainty: .documented),
    Change(
      era: .iOS7,
      what:
        "An app can have its updates held back and delivered together, by "
        + "`allowDeferredLocationUpdates` (since iOS 6).",
      source: "*Location and Maps Programming Guide*", certainty: .documented),
    Change(
      era: .iOS13, what: "Background tasks keep an app running for about 30 seconds.",
      source: "initial values of `backgroundTimeRemaining`", certainty: .reported),
    Change(
      era: .iOS13,
      what:
        "Updates go on in the background only if the app sets `allowsBackgroundLocationUpdates` "
        + "(since iOS 9).",
      source: "documentation of `allowsBackgroundLocationUpdates`", certainty: .documented),
    Change(
      era: .iOS13,
      what:
        "While the app is suspended, updates are off. When it runs again, it gets the positions that "
        + "other services found meanwhile.",
      source:
        "*Handling location updates in the background*, on the queue in which positions wait for the "
        + "app; that the service is off is assumed",
      certainty: .assumed),
    Change(
      era: .iOS13,
      what:
        "Three rules of Apple's guides no longer hold: those about a blocked main thread, about the "
        + "keep-alive handler, and about the number of notifications.",
      source: "*Addressing watchdog terminations*; documentation of `UILocalNotification`",
      certainty: .documented),
    Change(
      era: .iOS13, what: "Airplane mode leaves the satellite receiver on.",
      source: "wkiri.com, September 2017", certainty: .reported),
    Change(
      era: .iOS13,
      what:
        "The cushion is the figure of the phone's profile. Regions are also decided by good "
        + "positions that other services ask for.",
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
        "Apple Developer Forums, thread 726945, as quoted in "
        + "transistorsoft/react-native-background-geolocation#2494; aaronpk/Overland-iOS#122",
      certainty: .engineer),
    Change(
      era: .iOS16_4,
      what:
        "These updates still keep an app running while the system shows the user that the app uses location.",
      source:
        "transistorsoft/cordova-background-geolocation-lt#1396, "
        + "transistorsoft/react-native-background-geolocation#2015, aaronpk/Overland-iOS#138",
      certainty: .reported),
    Change(
      era: .iOS16_4,
      what:
        "Updates that begin in the background stop within seconds, unless a significant change has "
        + "woken or started the app.",
      source:
        "Apple Developer Forums, thread 776698, as quoted; of iOS 12 in "
        + "flitsmeister/ios-cllocationmanager-background, of iOS 7 in vinhnx/notes#522", certainty: .reported),
    Change(
      era: .iOS16_4, what: "After a suspension an app must begin its updates again.", source: "none",
      certainty: .assumed),
    Change(
      era: .iOS17, what: "With permission in use, `CLMonitor` watches only while the app is in use.",
      source: "documentation of `CLMonitor`", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "After a launch in the background, `CLMonitor` reports exits, but withholds entries until "
        + "the app is in front.",
      source: "Apple Developer Forums, thread 812111, of a launch by a remote notification",
      certainty: .reported),
    Change(
      era: .iOS17,
      what:
        "A background activity session that begins in front keeps the app in use, even if the app is "
        + "suspended or its process ends.",
      source: "`CLBackgroundActivitySession.h`, SDK of iOS 17.4", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "The app's next process continues the session by beginning one at once, even in the "
        + "background. Otherwise the session ends.",
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
        "A running app ends a session only by `invalidate()`. To release the object does not end the "
        + "session, although WWDC23 10180 says that it does.",
      source: "Apple Developer Forums, thread 767929", certainty: .reported),
    Change(
      era: .iOS17,
      what:
        "During a session, updates keep an app running whatever their settings, and may begin in the "
        + "background.",
      source: "follows from the indicator, and from being in use", certainty: .assumed),
    Change(
      era: .iOS17,
      what:
        "Live updates go on in the background if the app has the mode `location`, and also either "
        + "\"always\" or a session.",
      source: "WWDC23 10180; Apple Developer Forums, thread 767865", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "Live updates pause when the phone is at rest, and an app in the background is suspended. "
        + "When the phone moves, they come again and wake the app.",
      source: "WWDC23 10180; Apple Developer Forums, thread 763696", certainty: .documented),
    Change(
      era: .iOS17,
      what:
        "If an app's process ends while the app follows live updates, the next position starts the "
        + "app again.",
      source: "WWDC23 10180", certainty: .documented),
    Change(
      era: .iOS18,
      what:
        "An app begins a `CLServiceSession` itself, or has one automatically while it listens to "
        + "positions or events.",
      source: "WWDC24 10212", certainty: .documented),
    Change(
      era: .iOS18,
      what:
        "If an app declares `NSLocationRequireExplicitServiceSession`, `CLMonitor` and live updates "
        + "work only during a service session of its own.",
      source: "WWDC24 10212; that the classic services go on is assumed", certainty: .documented),
    Change(
      era: .iOS18,
      what:
        "A service session begins, is refused, continues and ends by the rules of a background "
        + "activity session.",
      source: "Apple Developer Forums, threads 767865 and 797319", certainty: .engineer),
    Change(
      era: .iOS26,
      what: "No event starts an app that its user has force-quit. Suspended apps are woken as before.",
      source: "Apple Developer Forums, thread 826964", certainty: .reported),
  ]
}
