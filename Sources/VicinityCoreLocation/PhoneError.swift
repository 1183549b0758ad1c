#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  /// What keeps a ``PhoneDevice`` from doing what it is asked, beside the errors of Core Location. The app's
  /// code or its Info.plist has to change.
  public enum PhoneError: Error, Hashable, Sendable {
    /// Updates are to go on in the background, and the app's Info.plist does not have `location` among its
    /// `UIBackgroundModes`. Core Location ends an app that allows them all the same
    /// (`allowsBackgroundLocationUpdates`), so they end when the app is left.
    case noBackgroundMode
    /// Another phone or channel of the process has the name. Core Location ends an app that makes a second
    /// `CLMonitor` of a name.
    case nameInUse(String)
    /// A name has letters and digits of ASCII only, and at least one.
    case invalidName(String)
    /// There are not so many slots left, of the twenty that an app has.
    case tooFewSlots(left: Int)
  }

  extension PhoneError: CustomStringConvertible {
    public var description: String {
      switch self {
      case .noBackgroundMode:
        "updates in the background need \"location\" among the UIBackgroundModes of the app's Info.plist"
      case .nameInUse(let name): "another phone or channel of this process has the name \"\(name)\""
      case .invalidName(let name): "\"\(name)\" is no name: it has letters and digits only"
      case .tooFewSlots(let left):
        left == 1 ? "there is only 1 slot left" : "there are only \(left) slots left"
      }
    }
  }
#endif
