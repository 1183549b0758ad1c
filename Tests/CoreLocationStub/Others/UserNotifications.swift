// As SwiftUI.swift.

public import Foundation

// usernotifications/unnotificationcontent
open class UNNotificationContent: NSObject {}

// usernotifications/unmutablenotificationcontent
open class UNMutableNotificationContent: UNNotificationContent {
  open var title = ""
  open var body = ""
  open var sound: UNNotificationSound?
  open var badge: NSNumber?
}

// usernotifications/unnotificationsoundname
public struct UNNotificationSoundName: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public init(rawValue: String) { self.rawValue = rawValue }
}

// usernotifications/unnotificationsound
open class UNNotificationSound: NSObject {
  public convenience init(named name: UNNotificationSoundName) { self.init() }
}

// usernotifications/unnotificationtrigger
open class UNNotificationTrigger: NSObject {}

// usernotifications/untimeintervalnotificationtrigger
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger {
  public convenience init(timeInterval: TimeInterval, repeats: Bool) { self.init() }
}

// usernotifications/unnotificationrequest
open class UNNotificationRequest: NSObject {
  public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {}
}

// usernotifications/unauthorizationoptions
public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
  public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
}

// usernotifications/unusernotificationcenter
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  open class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
  open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { false }
  open func add(_ request: UNNotificationRequest) async throws {}
}
