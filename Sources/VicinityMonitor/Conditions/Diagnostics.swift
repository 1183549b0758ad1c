/// Why events are suspended or may be incomplete: the diagnostics of Core Location's monitoring events.
///
/// The raw values are stored.
public struct Diagnostics: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The user has denied the app the use of location.
  public static let authorizationDenied = Diagnostics(rawValue: 1 << 0)
  /// Location services are off for all apps.
  public static let authorizationDeniedGlobally = Diagnostics(rawValue: 1 << 1)
  /// The device's rules forbid the app the use of location.
  public static let authorizationRestricted = Diagnostics(rawValue: 1 << 2)
  /// The app may use location while in use only, and is not in use.
  public static let insufficientlyInUse = Diagnostics(rawValue: 1 << 3)
  /// The app is given positions of reduced accuracy only.
  public static let accuracyLimited = Diagnostics(rawValue: 1 << 4)
  /// The device cannot watch such a condition.
  public static let conditionUnsupported = Diagnostics(rawValue: 1 << 5)
  /// There are too many other conditions.
  public static let conditionLimitExceeded = Diagnostics(rawValue: 1 << 6)
  /// What happens cannot be stored: it is lost if the process ends.
  public static let persistenceUnavailable = Diagnostics(rawValue: 1 << 7)
  /// The app has no service session, which it needs.
  public static let serviceSessionRequired = Diagnostics(rawValue: 1 << 8)
  /// The user is being asked.
  public static let authorizationRequestInProgress = Diagnostics(rawValue: 1 << 9)
  /// The crossing was not seen: the device was elsewhere before and after, and a straight way between the two
  /// positions leads through the region. The event's date is where that way puts it.
  public static let inferred = Diagnostics(rawValue: 1 << 10)

  /// All there are, with their names, in the order of their bits.
  public static let names: [(Diagnostics, String)] = [
    (.authorizationDenied, "authorizationDenied"),
    (.authorizationDeniedGlobally, "authorizationDeniedGlobally"),
    (.authorizationRestricted, "authorizationRestricted"),
    (.insufficientlyInUse, "insufficientlyInUse"),
    (.accuracyLimited, "accuracyLimited"),
    (.conditionUnsupported, "conditionUnsupported"),
    (.conditionLimitExceeded, "conditionLimitExceeded"),
    (.persistenceUnavailable, "persistenceUnavailable"),
    (.serviceSessionRequired, "serviceSessionRequired"),
    (.authorizationRequestInProgress, "authorizationRequestInProgress"),
    (.inferred, "inferred"),
  ]
}

extension Diagnostics: CustomStringConvertible {
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
