/// A fault of Core Location that apps have met on phones. A scenario has none unless it says so; what they
/// draw by lot depends on its seed alone.
public enum PhoneFault: String, CaseIterable, Hashable, Sendable {
  /// After a launch in the background entries are withheld until the app is in front; exits arrive (Apple
  /// Developer Forums, thread 812111). An entry that has been left again meanwhile never arrives. The fault
  /// does this to any service; ``BackgroundRules/withholdsEntries`` does it to `CLMonitor`.
  case withheldEntries = "withheld-entries"
  /// The event that starts an app is delivered before the app has been told that it is launched, and so
  /// before it has asked for anything (flutter_background_geolocation, issue 1645).
  case earlyEvents = "early-events"
  /// An app that its user has force-quit is not started for any event until its user opens it (Apple
  /// Developer Forums, thread 826964), whatever ``BackgroundRules/relaunchesForceQuit`` says; by
  /// ``BackgroundRules/iOS26`` always.
  case noRelaunch = "no-relaunch"
  /// A region that is added in the same callback in which another is removed is lost in 3 of 17 cases,
  /// without a word (what customer.io counted in cycles of registration).
  case lostAdditions = "lost-additions"

  static let lostShare = 3.0 / 17
}
