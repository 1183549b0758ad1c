// As SwiftUI.swift.

public import Foundation

// metrickit/mxmetricpayload
open class MXMetricPayload: NSObject {
  // metrickit/mxmetricpayload/jsonrepresentation()
  public func jsonRepresentation() -> Data { Data() }
}

// metrickit/mxmetricmanagersubscriber; its methods are optional there
public protocol MXMetricManagerSubscriber: NSObjectProtocol {
  func didReceive(_ payloads: [MXMetricPayload])
}

// metrickit/mxmetricmanager
open class MXMetricManager: NSObject, @unchecked Sendable {
  public static let shared = MXMetricManager()
  public func add(_ subscriber: any MXMetricManagerSubscriber) {}
}
