// As SwiftUI.swift.

public import Foundation

// uikit/uibackgroundtaskidentifier
public struct UIBackgroundTaskIdentifier: Equatable, Sendable {
  public static let invalid = UIBackgroundTaskIdentifier()
}

// uikit/uibackgroundrefreshstatus
public enum UIBackgroundRefreshStatus: Int, Sendable { case restricted, denied, available }

// uikit/uiapplication
@MainActor open class UIApplication: NSObject {
  // uikit/uiapplication/launchoptionskey
  public struct LaunchOptionsKey: Hashable, Sendable {}
  // uikit/uiapplication/state
  public enum State: Int, Sendable { case active, inactive, background }
  public static let shared = UIApplication()
  public let applicationState = State.active
  public let backgroundRefreshStatus = UIBackgroundRefreshStatus.available
  // uikit/uiapplication/backgroundrefreshstatusdidchangenotification
  public nonisolated static let backgroundRefreshStatusDidChangeNotification = NSNotification.Name(
    "UIApplicationBackgroundRefreshStatusDidChangeNotification")
  // uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
  public func beginBackgroundTask(
    withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { .invalid }
  public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

// uikit/uiapplicationdelegate; its methods are optional there
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
  init()
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  // uikit/uiapplicationdelegate/applicationprotecteddatadidbecomeavailable(_:)
  func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
}

extension UIApplicationDelegate {
  public func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}
}

// uikit/uidevice
@MainActor open class UIDevice: NSObject {
  public static let current = UIDevice()
  public var isBatteryMonitoringEnabled = false
  // uikit/uidevice/batterylevel: 0 to 1, -1 where it is not known
  public let batteryLevel: Float = -1
  public let name = ""
  public let model = ""
  public let systemVersion = ""
  public let identifierForVendor: UUID? = nil
}
